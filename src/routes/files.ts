// Routes for the bytes of files: each request is a call, under the same policy and with the same undo. The journal has the size
// and the hash of what was transferred.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { restrictedShare } from '../engine/call-owners.ts'
import type { Calls, SerializedCall } from '../engine/calls.ts'
import { newId } from '../engine/id.ts'
import type { SubmitRequest } from '../engine/submit.ts'
import { ToolError } from '../errors.ts'
import type { Downloads } from '../host/transfers/downloads.ts'
import type { Uploads } from '../host/transfers/uploads.ts'
import { isSettled } from '../protocol/calls.ts'
import {
  DownloadHeaders,
  DownloadQuery,
  FilePathParams,
  UploadHeaders,
  UploadQuery
} from '../protocol/file-transfers.ts'
import { binaryContent } from '../protocol/response-content.ts'
import { sendCall, sendJson, toWaitOptions } from './calls.ts'
import { BytesBody, bodyLength, bodyOf, takeBytes } from './http/byte-body.ts'
import { watchDisconnect } from './http/disconnect.ts'
import { assertSucceeded, toPreconditionError } from './http/file-errors.ts'
import { sendFile, toETag } from './http/file-response.ts'
import { callResponse, EVALUATION_ERRORS, problemResponses } from './schema.ts'
export interface TransferServices {
  calls: Calls
  downloads: Pick<Downloads, 'find'>
  uploads: Pick<Uploads, 'receive' | 'remove'>
}

const WAITING = callResponse('The call has not ended, or waits for approval.')

export const fileRoutes: FastifyPluginAsyncTypebox<TransferServices> = async (app, services) => {
  takeBytes(app)
  const { calls, downloads, uploads } = services

  const download = {
    schema: {
      tags: ['files'],
      params: FilePathParams,
      querystring: DownloadQuery,
      headers: DownloadHeaders,
      response: {
        200: {
          description: 'The content of the file. `ETag` is its sha256.',
          content: binaryContent
        },
        202: WAITING,
        206: {
          description: 'The requested byte range.',
          content: binaryContent
        },
        304: { description: 'The file still has the ETag of If-None-Match.', type: 'null' },
        ...problemResponses(...EVALUATION_ERRORS, 'PRECONDITION_FAILED', 'RANGE_NOT_SATISFIABLE')
      }
    }
  } as const
  const sendDownload = async (
    request: FastifyRequest<{
      Params: FilePathParams
      Querystring: DownloadQuery
      Headers: DownloadHeaders
    }>,
    reply: FastifyReply
  ) => {
    const { signal } = watchDisconnect(reply)
    const answer = await callDownload(calls, request, signal)
    if (!isSettled(answer.call)) return sendCall(reply, answer)
    assertSucceeded(answer.call)
    const file = downloads.find(answer.call.tool_call_id)
    if (!file)
      throw new ToolError(
        'CONFLICT',
        'The server has closed the file of this call. Send the request again without tool_call_id.'
      )
    reply.header('x-toolgate-call', answer.call.tool_call_id)
    return sendFile(reply, file, request.headers, signal)
  }
  // Before GET, for which a route for HEAD may be added otherwise.
  app.head(
    '/files/*',
    {
      schema: { ...download.schema, operationId: 'headFile', summary: 'Get the size and ETag of a file.' }
    },
    sendDownload
  )

  app.get(
    '/files/*',
    {
      schema: {
        ...download.schema,
        operationId: 'downloadFile',
        summary: 'Get the content of a file, or a range of the content.',
        description:
          'Submits a call of the tool download_file. If it needs approval, the response is 202 with the call: after approval, repeat the request with its tool_call_id. This id is valid for ten minutes, for ranges too.'
      }
    },
    sendDownload
  )
  app.put(
    '/files/*',
    {
      config: { bytes: true },
      schema: {
        operationId: 'uploadFile',
        summary: 'Write the body to a file.',
        description:
          'Submits a call of the tool upload_file when the whole body was received, unless a rule denies it. The content is stored until the call has ended.',
        tags: ['files'],
        params: FilePathParams,
        ...BytesBody,
        querystring: UploadQuery,
        headers: UploadHeaders,
        response: {
          200: callResponse('The file was overwritten. `ETag` is its sha256.'),
          201: callResponse('The file was created. `ETag` is its sha256.'),
          202: WAITING,
          ...problemResponses(...EVALUATION_ERRORS, 'PRECONDITION_FAILED')
        }
      }
    },
    async (request, reply) => {
      const { params, query, headers, caller } = request
      const { wait_ms, create_dirs, ...scope } = query
      const { 'if-match': etag, 'if-none-match': none } = headers
      const toolParams = {
        path: params['*'],
        ...(create_dirs !== undefined && { create_dirs }),
        ...(none !== undefined && { create_only: true })
      }
      const submission: SubmitRequest = {
        ...scope,
        tool: 'upload_file',
        params: toolParams,
        ...(etag !== undefined && { if_match: etag.slice(1, -1) })
      }
      await refuseDenied(calls, submission, request)
      const { signal } = watchDisconnect(reply)
      const tool_call_id = newId('tc')
      const received = await uploads.receive(tool_call_id, bodyOf(request), {
        share: restrictedShare(caller),
        length: bodyLength(request),
        signal,
        assertRoom: open => calls.assertRoomForUploads(caller, open)
      })
      const complete = { ...submission, params: { ...toolParams, ...received }, tool_call_id }
      const answer = await calls.submit(complete, caller, { wait: toWaitOptions(wait_ms, signal) }).catch(error => {
        uploads.remove(tool_call_id)
        throw toPreconditionError(error, headers)
      })
      return sendUploadAnswer(answer, request, reply)
    }
  )
}

/** Answers with the call of an upload. */
function sendUploadAnswer({ call, json }: SerializedCall, { headers }: FastifyRequest, reply: FastifyReply) {
  reply.header('x-toolgate-call', call.tool_call_id)
  if (!isSettled(call)) return sendJson(reply, 202, json)
  try {
    assertSucceeded(call)
  } catch (error) {
    throw toPreconditionError(error, headers)
  }
  const { data } = JSON.parse(json).result as { data: { hash: string; created: boolean } }
  return sendJson(reply.header('etag', toETag(data.hash)), data.created ? 201 : 200, json)
}

/** Submits the call of a download, or waits for that of an earlier request. */
async function callDownload(
  calls: Calls,
  {
    params,
    query: { tool_call_id, wait_ms, ...scope },
    caller
  }: Pick<FastifyRequest, 'caller'> & { params: FilePathParams; query: DownloadQuery },
  signal: AbortSignal
): Promise<SerializedCall> {
  const path = params['*']
  const wait = toWaitOptions(wait_ms, signal)
  if (tool_call_id === undefined)
    return calls.submit({ ...scope, tool: 'download_file', params: { path } }, caller, { wait })
  calls.assertVisible(tool_call_id, caller)
  const answer = await calls.get(tool_call_id, wait)
  const { tool, params: earlier } = answer.call
  if (tool === 'download_file' && (earlier as { path: string }).path === path) return answer
  throw new ToolError(
    'CONFLICT',
    `The call ${tool_call_id} is not a request for ${path}. Send the request without tool_call_id.`
  )
}

/**
 * Refuses an upload that policy denies, or whose precondition fails, before its bytes are received. What policy denies is a call,
 * too: that of an upload without bytes.
 */
async function refuseDenied(calls: Calls, submission: SubmitRequest, { caller, headers }: FastifyRequest) {
  const empty = { ...submission, params: { ...(submission.params as object), size: 0, hash: '' } }
  const { decision } = await calls
    .judge(empty, caller)
    .catch(error => Promise.reject(toPreconditionError(error, headers)))
  if (decision !== 'deny') return
  const { call } = await calls.submit(empty, caller, { wait: { ms: 0, throughApproval: false } })
  if (isSettled(call)) assertSucceeded(call)
  throw new ToolError('CONFLICT', 'The rules have changed during the upload. Send the file again.')
}
