// Routes for uploads in parts, by the draft "Resumable Uploads for HTTP" (draft-ietf-httpbis-resumable-upload): a client that was
// interrupted asks how much has arrived, and sends the rest.
import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { isSettled } from '../engine/call.ts'
import { restrictedOwner } from '../engine/call-owners.ts'
import type { Calls } from '../engine/calls.ts'
import { newId } from '../engine/id.ts'
import type { SubmitRequest } from '../engine/submit.ts'
import type { Upload, Uploads } from '../host/transfers/uploads.ts'
import { sendJson, toWaitOptions } from './calls.ts'
import { allowLongBody, endLongBody } from './http/body-timeouts.ts'
import { watchDisconnect } from './http/disconnect.ts'
import { assertSucceeded, toPreconditionError } from './http/file-errors.ts'
import { toETag } from './http/file-response.ts'
import { callResponse, EVALUATION_ERRORS, problemResponses, WaitMsParam } from './schema.ts'

interface UploadServices {
  calls: Calls
  uploads: Uploads
}

/** A boolean of RFC 9651. */
const StructuredBoolean = Type.Enum(['?0', '?1'])
const ByteCount = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

/** Headers of a request that begins an upload. */
export const UploadCreationHeaders = {
  'upload-complete': Type.Optional({
    ...StructuredBoolean,
    description:
      '`?0`: the body is only the first part, or empty; more follow with PATCH /uploads/{id}. `?1` is the default.'
  }),
  'upload-length': Type.Optional({ ...ByteCount, description: 'Size of the whole file in bytes, if it is known.' })
}

const IdParams = Type.Object({ upload: Type.String({ description: 'Id of the upload, from `Location`.' }) })

const PartHeaders = Type.Object({
  'upload-offset': { ...ByteCount, description: 'Where the part begins: what HEAD gives as `Upload-Offset`.' },
  'upload-complete': { ...StructuredBoolean, description: '`?1` with the last part, which may be empty.' }
})

/** Body of a route with `takeBytes`, for the API document. */
export const BytesBody = {
  consumes: ['application/octet-stream'],
  body: Type.Unsafe<unknown>({ format: 'binary', description: 'Bytes, of any Content-Type.' })
}

export const uploadRoutes: FastifyPluginAsyncTypebox<UploadServices> = async (app, services) => {
  takeBytes(app)
  const { uploads } = services
  const find = (id: string, { caller }: FastifyRequest) => uploads.get(id, restrictedOwner(caller))

  app.head(
    '/uploads/:upload',
    {
      schema: {
        operationId: 'headUpload',
        summary: 'How much of an upload has arrived, as `Upload-Offset`.',
        tags: ['files'],
        params: IdParams,
        response: { 204: { description: 'In the headers.', type: 'null' }, ...problemResponses('NOT_FOUND') }
      }
    },
    async (request, reply) => {
      const upload = find(request.params.upload, request)
      const { length, tool_call_id } = upload
      if (length !== undefined) reply.header('upload-length', length)
      if (tool_call_id !== undefined) reply.header('x-toolgate-call', tool_call_id)
      return announceUpload(reply.code(204), uploads, upload)
    }
  )

  app.patch(
    '/uploads/:upload',
    {
      config: { bytes: true },
      schema: {
        operationId: 'appendUpload',
        summary: 'Append a part to an upload; with the last one, its call is submitted.',
        description:
          'What has arrived of a part is kept when the connection is lost. An upload is given up a day after its last part.',
        tags: ['files'],
        params: IdParams,
        ...BytesBody,
        querystring: Type.Object({ wait_ms: Type.Optional(WaitMsParam) }, { additionalProperties: false }),
        headers: PartHeaders,
        response: {
          200: callResponse('The last part: the file is overwritten. `ETag` has the sha256 of its bytes.'),
          201: callResponse('The last part: the file is created.'),
          202: callResponse('The last part: the call waits for a decision, or has not ended.'),
          204: { description: 'The part has arrived.', type: 'null' },
          ...problemResponses(...EVALUATION_ERRORS, 'PRECONDITION_FAILED')
        }
      }
    },
    async (request, reply) => {
      const { params, query, headers } = request
      const { id } = find(params.upload, request)
      const { signal } = watchDisconnect(reply)
      const offset = await uploads.append(id, bodyOf(request), {
        offset: headers['upload-offset'],
        length: bodyLength(request),
        signal,
        assertRoom: open => services.calls.assertRoomForUploads(request.caller, open)
      })
      if (!readsComplete(headers)) return announceUpload(reply.code(204), uploads, { id, offset })
      return submitUpload(services, id, { request, reply, wait: toWaitOptions(query.wait_ms, signal) })
    }
  )

  app.delete(
    '/uploads/:upload',
    {
      schema: {
        operationId: 'deleteUpload',
        summary: 'Give up an upload; one whose call was submitted is removed by that call.',
        tags: ['files'],
        params: IdParams,
        response: { 204: { description: 'It is removed.', type: 'null' }, ...problemResponses('NOT_FOUND', 'CONFLICT') }
      }
    },
    async (request, reply) => {
      uploads.giveUp(find(request.params.upload, request).id)
      return reply.code(204).send(null)
    }
  )
}

/** Makes the routes of a plugin receive bodies of any type as they come. */
export function takeBytes(
  app: Pick<FastifyInstance, 'removeAllContentTypeParsers' | 'addContentTypeParser' | 'addHook'>
) {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
  app.addHook('onRequest', async ({ raw, routeOptions }, reply) => {
    if (!routeOptions.config?.bytes) return
    allowLongBody(raw)
    // What is left of the body of a refused request is not received for long.
    reply.raw.once('finish', () => {
      endLongBody(raw)
      raw.resume()
    })
  })
}

/** Returns the body of a request to a route with `takeBytes`. */
export const bodyOf = ({ body }: { body: unknown }): AsyncIterable<Buffer> =>
  // A refusal midway must reach the sender: the connection stays open for it.
  body instanceof Readable ? body.iterator({ destroyOnReturn: false }) : Readable.from([])

/** Returns the size of the body, if it was sent ahead. */
export function bodyLength({ headers }: Pick<FastifyRequest, 'headers'>): number | undefined {
  const length = headers['content-length']
  return length === undefined ? undefined : Number(length)
}

export const readsComplete = (headers: { 'upload-complete'?: string | undefined }) =>
  headers['upload-complete'] !== '?0'

/** Answers with the state of an upload. */
export const announceUpload = (
  reply: FastifyReply,
  { max_bytes }: Pick<Uploads, 'max_bytes'>,
  { id, offset, tool_call_id }: Pick<Upload, 'id' | 'offset' | 'tool_call_id'>
) =>
  reply
    .headers({
      location: `/uploads/${id}`,
      'upload-offset': offset,
      'upload-complete': tool_call_id === undefined ? '?0' : '?1',
      'upload-limit': `max-size=${max_bytes}`,
      'cache-control': 'no-store'
    })
    .send()

/** Submits the call of a complete upload, and answers with it. */
export async function submitUpload(
  { calls, uploads }: UploadServices,
  id: string,
  {
    request: { caller, headers },
    reply,
    wait
  }: { request: FastifyRequest; reply: FastifyReply; wait: ReturnType<typeof toWaitOptions> }
) {
  const { size, hash } = await uploads.measure(id)
  const tool_call_id = newId('tc')
  const { request } = uploads.bind(id, tool_call_id, size)
  const submission = request as unknown as SubmitRequest
  const params = { ...(submission.params as object), upload: id, size, hash }
  let answer: Awaited<ReturnType<Calls['submit']>>
  try {
    answer = await calls.submit({ ...submission, params, tool_call_id }, caller, { wait })
  } catch (error) {
    uploads.unbind(id)
    throw toPreconditionError(error, headers)
  }
  const { call, json } = answer
  reply.header('x-toolgate-call', tool_call_id)
  if (!isSettled(call)) return sendJson(reply, 202, json)
  try {
    assertSucceeded(call)
  } catch (error) {
    throw toPreconditionError(error, headers)
  }
  const { data } = JSON.parse(json).result as { data: { hash: string; created: boolean } }
  return sendJson(reply.header('etag', toETag(data.hash)), data.created ? 201 : 200, json)
}
