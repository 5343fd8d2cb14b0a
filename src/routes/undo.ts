// Routes for previewing and performing an undo.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Calls } from '../engine/calls.ts'
import { CallRequest } from '../protocol/call-requests.ts'
import { UndoScope } from '../protocol/undo.ts'
import { sendCall, toWaitOptions } from './calls.ts'
import { watchDisconnect } from './http/disconnect.ts'
import {
  CallIdParams,
  callResponse,
  DigestParam,
  EVALUATION_ERRORS,
  IdempotencyKeyHeader,
  NextCursor,
  PAGE_PARAMS,
  problemResponses,
  schemaRef,
  WaitMsParam
} from './schema.ts'

const PathParam = Type.String({ minLength: 1, maxLength: 4_096 })
const { session_id, context, agent, background, tool_call_id } = CallRequest.properties

const UndoPreviewQuery = Type.Object(
  {
    scope: Type.Optional(UndoScope),
    paths: Type.Optional(
      Type.Union([PathParam, Type.Array(PathParam, { maxItems: 1_000 })], {
        description: 'Only these paths, and everything in them; may be given several times.'
      })
    ),
    agent: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    ...PAGE_PARAMS
  },
  { additionalProperties: false }
)

const UndoBody = Type.Object(
  {
    scope: Type.Optional(UndoScope),
    paths: Type.Optional(
      Type.Array(PathParam, {
        minItems: 1,
        maxItems: 1_000,
        description: 'Only these paths, and everything in them.'
      })
    ),
    digest: Type.Optional(DigestParam),
    confirm: Type.Optional(Type.Boolean({ description: 'Approves with the digest also where the call is strict.' })),
    session_id,
    context,
    agent,
    background,
    tool_call_id
  },
  { additionalProperties: false, title: 'UndoRequest' }
)

export const undoRoutes: FastifyPluginAsyncTypebox<{ calls: Calls }> = async (app, { calls }) => {
  app.get(
    '/calls/:id/undo',
    {
      schema: {
        operationId: 'showUndo',
        summary: 'What undoing a call would do now, file by file, and what stands in its way.',
        tags: ['calls'],
        params: CallIdParams,
        querystring: UndoPreviewQuery,
        response: {
          200: Type.Object({
            available: Type.Boolean(),
            reason: Type.Optional(Type.String({ description: 'Why not.' })),
            files: Type.Array(schemaRef('UndoFile')),
            digest: Type.Optional(
              Type.String({ description: 'Binds an undo to what is shown here: it is the same on all pages.' })
            ),
            cursor: NextCursor
          }),
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
        summary: 'Undo what a call changed in files, or all since that call.',
        description:
          'Submits a call of the tool undo, in the session of the call unless another is named, and answers as POST /calls does. ' +
          'With the digest that GET showed, whoever may approve has approved it: it runs at once, or is refused with what it would do now.',
        tags: ['calls'],
        params: CallIdParams,
        body: UndoBody,
        querystring: Type.Object({ wait_ms: Type.Optional(WaitMsParam) }, { additionalProperties: false }),
        headers: Type.Object({ 'idempotency-key': Type.Optional(IdempotencyKeyHeader) }),
        response: {
          200: callResponse('The undo has ended.'),
          202: callResponse('It waits for a decision, or has not ended.'),
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
