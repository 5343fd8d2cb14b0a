// Decisions over HTTP: what waits, approve, reject.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { type Static, type TProperties, Type } from 'typebox'
import { ProposedFile } from '../engine/approvals/preview-files.ts'
import type { Calls, Outcome } from '../engine/calls.ts'
import { ToolError } from '../errors.ts'
import { type Masks, resultsJson, sendCall, sendJson } from './calls.ts'
import { leaving } from './http/disconnect.ts'
import { CallId, Digest, problems, ref, WaitMs } from './schema.ts'
import { inWords, type Speaks, Toolset } from './toolset-format.ts'

const approveFields = {
  digest: Type.Optional(Digest),
  modified_params: Type.Optional(
    Type.Object({}, { additionalProperties: true, description: 'Params to run with instead; checked and judged anew.' })
  ),
  modified_digest: Type.Optional({
    ...Digest,
    description: 'What a dry run of modified_params told; 409 PREVIEW_CHANGED where they would do something else now.'
  }),
  always: Type.Optional(Type.String({ description: "Id of one of the call's always_options." })),
  confirm: Type.Optional(Type.Boolean({ description: 'Must be true for a strict call.' })),
  reason: Type.Optional(Type.String({ maxLength: 4_096 })),
  approved: Type.Optional(Type.Boolean({ description: 'As toolsets answer: false rejects.' })),
  modifiedArgs: Type.Optional(
    Type.Object(
      {},
      { additionalProperties: true, description: 'As modified_params, by the names that the call was asked by.' }
    )
  )
}
const rejectFields = {
  reason: Type.Optional(Type.String({ maxLength: 4_096, description: 'Why, for the log and the caller.' })),
  user_message: Type.Optional(Type.String({ maxLength: 16_384, description: 'What the caller should do instead.' }))
}
const which = {
  tool_call_id: Type.Optional(Type.String()),
  tool_call_ids: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 100, uniqueItems: true })),
  stepId: Type.Optional(Type.String({ description: 'As toolsets say: tool_call_id.' }))
}
const body = <P extends TProperties>(fields: P) => Type.Object(fields, { additionalProperties: false })
const Speaking = Type.Object({ toolset: Toolset }, { additionalProperties: false })
const Wait = Type.Object({ wait_ms: Type.Optional(WaitMs), toolset: Toolset }, { additionalProperties: false })
const decided = {
  200: ref('Call'),
  202: ref('Call'),
  ...problems('INVALID_PARAMS', 'NOT_FOUND', 'CONFLICT', 'PREVIEW_CHANGED')
}

interface Services {
  calls: Calls
  catalog: Speaks
  masking: Masks
}

export const approvalRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { calls, catalog: speaks, masking }) => {
  app.get(
    '/approvals',
    {
      schema: {
        operationId: 'listApprovals',
        summary: 'Calls that wait for a decision, oldest first.',
        tags: ['approvals'],
        querystring: Speaking,
        response: { 200: Type.Object({ approvals: Type.Array(ref('Call')) }), ...problems('INVALID_PARAMS') }
      }
    },
    async ({ query: { toolset } }, reply) => {
      const pending = calls.pending()
      const approvals = toolset === undefined ? pending : pending.map(call => speaks.approvalIn(toolset, call))
      return sendJson(reply, 200, JSON.stringify({ approvals }))
    }
  )

  app.get(
    '/calls/:id/preview',
    {
      config: { right: 'approve' },
      schema: {
        operationId: 'previewCall',
        summary: 'What a waiting call would make of files, as whole texts before and after.',
        tags: ['approvals'],
        params: CallId,
        querystring: Type.Object({ digest: Type.Optional(Digest) }, { additionalProperties: false }),
        response: {
          200: Type.Object(
            {
              tool_call_id: Type.String(),
              digest: Type.String({ description: 'What a decision on this must name.' }),
              preview: ref('Preview'),
              files: Type.Array(ProposedFile, { description: 'None where the call shows no diff.' })
            },
            { title: 'Proposal' }
          ),
          ...problems('INVALID_PARAMS', 'NOT_FOUND', 'CONFLICT', 'PREVIEW_CHANGED')
        }
      }
    },
    async ({ params, query }) => calls.proposal(params.id, query.digest)
  )

  app.get(
    '/calls/:id/digest',
    {
      config: { right: 'approve' },
      schema: {
        operationId: 'digestCall',
        summary: 'Whether a waiting call would still do what was shown.',
        description: 'It would where `digest` is that of its approval. Nothing is decided or changed by asking.',
        tags: ['approvals'],
        params: CallId,
        response: {
          200: Type.Object(
            {
              tool_call_id: Type.String(),
              digest: Type.Optional(Type.String({ description: 'Of what it would do now.' })),
              preview: Type.Optional(ref('Preview')),
              reason: Type.Optional(
                Type.String({ description: 'Why it could not be done any more; then there is no digest.' })
              )
            },
            { title: 'Freshness' }
          ),
          ...problems('NOT_FOUND', 'CONFLICT')
        }
      }
    },
    async ({ params }) => calls.digest(params.id)
  )

  app.get(
    '/calls/:id/preview/:file/:side',
    {
      config: { right: 'approve' },
      schema: {
        operationId: 'previewText',
        summary: 'One text of the preview of a waiting call, by itself: before_href and after_href lead here.',
        tags: ['approvals'],
        params: Type.Object({
          id: Type.String({ description: 'tool_call_id' }),
          file: Type.Integer({ minimum: 0, description: 'Place among the files of the preview.' }),
          side: Type.Enum(['before', 'after'])
        }),
        querystring: Type.Object({ digest: Digest }, { additionalProperties: false }),
        response: {
          200: { description: 'The text.', content: { 'text/plain': { schema: Type.String() } } },
          ...problems('INVALID_PARAMS', 'NOT_FOUND', 'CONFLICT', 'PREVIEW_CHANGED')
        }
      }
    },
    async ({ params: { id, file, side }, query }, reply) => {
      const { files } = await calls.proposal(id, query.digest)
      const text = files[file]?.[side]
      if (text === undefined) throw new ToolError('NOT_FOUND', 'The preview has no such text.')
      return reply.type('text/plain; charset=utf-8').header('x-content-type-options', 'nosniff').send(text)
    }
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
    async ({ body: { tool_call_ids, stepId, tool_call_id = stepId, ...decision }, caller, query }, reply) => {
      const ids = idsOf({ tool_call_id, tool_call_ids })
      if (ids.length === 1 && tool_call_id !== undefined) return decideOne(ids[0]!, decision, { caller, query, reply })
      const forOne = FOR_ONE.find(field => decision[field] !== undefined)
      if (forOne) throw invalid(`/${forOne}`, 'is for one call alone')
      return sendJson(reply, 200, resultsJson(await each(ids, id => decide(id, decision, caller)), masking))
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
    async ({ params, body, caller, query }, reply) => decideOne(params.id, body, { caller, query, reply })
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
        querystring: Wait,
        response: decided
      }
    },
    async ({ body: { tool_call_ids, stepId, tool_call_id = stepId, ...decision }, caller, query }, reply) => {
      const ids = idsOf({ tool_call_id, tool_call_ids })
      if (ids.length === 1 && tool_call_id !== undefined)
        return sendCall(reply, inWords(speaks, query.toolset, await calls.reject(ids[0]!, decision, caller)))
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
        querystring: Wait,
        response: decided
      }
    },
    async ({ params, body, caller, query }, reply) =>
      sendCall(reply, inWords(speaks, query.toolset, await calls.reject(params.id, body, caller)))
  )

  /** Toolsets have one answer for both decisions. */
  function decide(id: string, { approved = true, modifiedArgs: modified_args, ...decision }: Decision, caller: Caller) {
    if (!approved) return calls.reject(id, { reason: decision.reason }, caller)
    if (modified_args !== undefined && decision.modified_params !== undefined)
      throw invalid('/modifiedArgs', 'and modified_params cannot go together')
    return calls.approve(id, { ...decision, modified_args }, caller)
  }

  /** The decision is made when this answers; wait_ms holds the answer until the call has ended. */
  async function decideOne(id: string, decision: Decision, { caller, query, reply }: Asking) {
    const { wait_ms, toolset } = query
    const decided = await decide(id, decision, caller)
    if (!wait_ms) return sendCall(reply, inWords(speaks, toolset, decided))
    const wait = { ms: wait_ms, throughApproval: true, signal: leaving(reply).signal }
    return sendCall(reply, inWords(speaks, toolset, await calls.get(id, wait)))
  }
}

type Caller = Parameters<Calls['approve']>[2]
type Decision = Parameters<Calls['approve']>[1] & { approved?: boolean; modifiedArgs?: object }

interface Asking {
  caller: Caller
  query: Static<typeof Wait>
  reply: FastifyReply
}

/** What is about one call as it was shown, or as it is to be. */
const FOR_ONE = ['digest', 'modified_params', 'modifiedArgs', 'modified_digest'] as const

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
