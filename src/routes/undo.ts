// Routes for previewing and performing an undo.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Calls } from '../engine/calls.ts'
import { CallIdParams, IdempotencyHeaders, WaitMsQuery } from '../protocol/request-params.ts'
import { UndoPreviewPage, UndoPreviewQuery, UndoRequest } from '../protocol/undo.ts'
import { sendCall, toWaitOptions } from './calls.ts'
import { watchDisconnect } from './http/disconnect.ts'
import { callResponse, EVALUATION_ERRORS, problemResponses } from './schema.ts'

export const undoRoutes: FastifyPluginAsyncTypebox<{ calls: Calls }> = async (app, { calls }) => {
  app.get(
    '/calls/:id/undo',
    {
      schema: {
        operationId: 'showUndo',
        summary: 'Preview the undo of a call, file by file, with conflicts.',
        tags: ['calls'],
        params: CallIdParams,
        querystring: UndoPreviewQuery,
        response: {
          200: UndoPreviewPage,
          ...problemResponses(...EVALUATION_ERRORS)
        }
      }
    },
    async ({ params, query: { paths, ...query }, caller }) =>
      calls.previewUndo(params.id, { ...query, ...(paths !== undefined && { paths: [paths].flat() }) }, caller)
  )

  app.post(
    '/calls/:id/undo',
    {
      schema: {
        operationId: 'undoCall',
        summary: 'Undo the file changes of a call, or of this and all later calls of its session.',
        description:
          'Submits a call of the tool undo, by default in the session of the undone call, and responds like POST /calls. With the digest that GET returns, a token that can approve also approves it: the undo runs, or is rejected if its preview has changed.',
        tags: ['calls'],
        params: CallIdParams,
        body: UndoRequest,
        querystring: WaitMsQuery,
        headers: IdempotencyHeaders,
        response: {
          200: callResponse('The undo has ended.'),
          202: callResponse('The undo has not ended, or waits for approval.'),
          ...problemResponses(...EVALUATION_ERRORS, 'PREVIEW_CHANGED')
        }
      }
    },
    async (request, reply) => {
      const { digest, confirm = false, ...query } = request.body
      const options = {
        idempotency_key: request.headers['idempotency-key'],
        ...(digest !== undefined && { shown: { digest, confirm } }),
        wait: toWaitOptions(request.query.wait_ms, watchDisconnect(reply).signal)
      }
      return sendCall(reply, await calls.undo(request.params.id, query, request.caller, options))
    }
  )
}
