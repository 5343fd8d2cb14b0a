// Decisions over HTTP: what waits, approve, reject.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type TProperties, Type } from 'typebox'
import type { Calls, Outcome } from '../calls/calls.ts'
import { ToolError } from '../errors.ts'
import { type Masks, resultsJson, sendCall, sendJson } from './calls.ts'
import { leaving } from './leaving.ts'
import { CallId, Digest, problems, ref, WaitMs } from './schema.ts'

const approveFields = {
  digest: Type.Optional(Digest),
  modified_params: Type.Optional(
    Type.Object({}, { additionalProperties: true, description: 'Params to run with instead; checked and judged anew.' })
  ),
  always: Type.Optional(Type.String({ description: "Id of one of the call's always_options." })),
  confirm: Type.Optional(Type.Boolean({ description: 'Must be true for a strict call.' })),
  reason: Type.Optional(Type.String({ maxLength: 4_096 }))
}
const rejectFields = {
  reason: Type.Optional(Type.String({ maxLength: 4_096, description: 'Why, for the log and the caller.' })),
  user_message: Type.Optional(Type.String({ maxLength: 16_384, description: 'What the caller should do instead.' }))
}
const which = {
  tool_call_id: Type.Optional(Type.String()),
  tool_call_ids: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 100, uniqueItems: true }))
}
const body = <P extends TProperties>(fields: P) => Type.Object(fields, { additionalProperties: false })
const Wait = Type.Object({ wait_ms: Type.Optional(WaitMs) }, { additionalProperties: false })
const decided = {
  200: ref('Call'),
  202: ref('Call'),
  ...problems('INVALID_PARAMS', 'NOT_FOUND', 'CONFLICT', 'PREVIEW_CHANGED')
}

export const approvalRoutes: FastifyPluginAsyncTypebox<{ calls: Calls; masking: Masks }> = async (
  app,
  { calls, masking }
) => {
  app.get(
    '/approvals',
    {
      schema: {
        operationId: 'listApprovals',
        summary: 'Calls that wait for a decision, oldest first.',
        tags: ['approvals'],
        response: { 200: Type.Object({ approvals: Type.Array(ref('Call')) }), ...problems() }
      }
    },
    async (_request, reply) => sendJson(reply, 200, JSON.stringify({ approvals: calls.pending() }))
  )

  app.post(
    '/approve',
    {
      config: { right: 'approve' },
      schema: {
        operationId: 'approve',
        summary: 'Let waiting calls run. Several: each is decided by itself, {results} in their order.',
        tags: ['approvals'],
        body: body({ ...which, ...approveFields }),
        querystring: Wait,
        response: decided
      }
    },
    async ({ body: { tool_call_id, tool_call_ids, ...decision }, caller, query }, reply) => {
      const ids = idsOf({ tool_call_id, tool_call_ids })
      if (ids.length === 1 && tool_call_id !== undefined)
        return approveOne(ids[0]!, decision, caller, query.wait_ms, reply)
      if (decision.modified_params !== undefined || decision.digest !== undefined)
        throw invalid(decision.digest !== undefined ? '/digest' : '/modified_params', 'is for one call alone')
      return sendJson(reply, 200, resultsJson(await each(ids, id => calls.approve(id, decision, caller)), masking))
    }
  )

  app.post(
    '/calls/:id/approve',
    {
      config: { right: 'approve' },
      schema: {
        operationId: 'approveCall',
        summary: 'Let one waiting call run.',
        tags: ['approvals'],
        params: CallId,
        body: body(approveFields),
        querystring: Wait,
        response: decided
      }
    },
    async ({ params, body, caller, query }, reply) => approveOne(params.id, body, caller, query.wait_ms, reply)
  )

  app.post(
    '/reject',
    {
      config: { right: 'approve' },
      schema: {
        operationId: 'reject',
        summary: 'Refuse waiting calls. Several: each is decided by itself, {results} in their order.',
        tags: ['approvals'],
        body: body({ ...which, ...rejectFields }),
        response: decided
      }
    },
    async ({ body: { tool_call_id, tool_call_ids, ...decision }, caller }, reply) => {
      const ids = idsOf({ tool_call_id, tool_call_ids })
      if (ids.length === 1 && tool_call_id !== undefined)
        return sendCall(reply, await calls.reject(ids[0]!, decision, caller))
      return sendJson(reply, 200, resultsJson(await each(ids, id => calls.reject(id, decision, caller)), masking))
    }
  )

  app.post(
    '/calls/:id/reject',
    {
      config: { right: 'approve' },
      schema: {
        operationId: 'rejectCall',
        summary: 'Refuse one waiting call.',
        tags: ['approvals'],
        params: CallId,
        body: body(rejectFields),
        response: decided
      }
    },
    async ({ params, body, caller }, reply) => sendCall(reply, await calls.reject(params.id, body, caller))
  )

  /** The decision is made when this answers; wait_ms holds the answer until the call has ended. */
  async function approveOne(
    ...[id, decision, caller, wait_ms, reply]: [
      string,
      Parameters<Calls['approve']>[1],
      Parameters<Calls['approve']>[2],
      number | undefined,
      Parameters<typeof sendCall>[0]
    ]
  ) {
    const approved = await calls.approve(id, decision, caller)
    if (!wait_ms) return sendCall(reply, approved)
    return sendCall(reply, await calls.get(id, { ms: wait_ms, throughApproval: true, signal: leaving(reply).signal }))
  }
}

function idsOf({
  tool_call_id,
  tool_call_ids
}: {
  tool_call_id: string | undefined
  tool_call_ids: string[] | undefined
}) {
  if ((tool_call_id === undefined) === (tool_call_ids === undefined))
    throw invalid('/tool_call_id', 'give either tool_call_id or tool_call_ids')
  return tool_call_ids ?? [tool_call_id!]
}

const each = (ids: string[], decide: (id: string) => Promise<Outcome>) =>
  Promise.all(ids.map(id => decide(id).catch((error: unknown): Outcome => ({ error }))))

const invalid = (pointer: string, message: string) =>
  new ToolError('INVALID_PARAMS', `${pointer} ${message}.`, { errors: [{ pointer, message }] })
