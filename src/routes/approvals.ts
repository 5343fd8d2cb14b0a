// Routes for approvals: pending calls, approve, reject.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import type { RefusedRequest } from '../catalog/toolset-resolver.ts'
import { restrictedOwner } from '../engine/call-owners.ts'
import type { BatchItemOutcome, Calls, SerializedCall } from '../engine/calls.ts'
import { toListedCall } from '../engine/listed-calls.ts'
import { OutcomeList } from '../engine/listed-outcomes.ts'
import { ToolError } from '../errors.ts'
import type { Notifier } from '../notify/notifier.ts'
import {
  ApprovalPage,
  ApprovalsQuery,
  ApproveBody,
  ApproveCallsBody,
  CallPreview,
  PreviewFreshness,
  PreviewQuery,
  PreviewTextParams,
  PreviewTextQuery,
  RejectCallsBody,
  RejectRequest
} from '../protocol/approvals.ts'
import { CallOrOutcomes } from '../protocol/call-requests.ts'
import type { Call } from '../protocol/calls.ts'
import { CallIdParams, WaitQuery } from '../protocol/request-params.ts'
import { plainTextContent } from '../protocol/response-content.ts'
import { schemaRef } from '../protocol/schema-ref.ts'
import { sendCall, sendJson, sendLists, serializeResults } from './calls.ts'
import { watchDisconnect } from './http/disconnect.ts'
import type { ProblemRedactor } from './http/problem.ts'
import { EVALUATION_ERRORS, problemResponses } from './schema.ts'
import {
  formatForToolset,
  formatOutcomesForToolset,
  type ToolsetFormatter,
  toolsetErrorHandler
} from './toolset-format.ts'

const decisionResponses = {
  200: schemaRef('Call'),
  202: schemaRef('Call'),
  ...problemResponses(...EVALUATION_ERRORS, 'PREVIEW_CHANGED')
}
/** Several calls are answered as outcomes, a single one as a call. */
const severalResponses = { ...decisionResponses, 200: CallOrOutcomes }

interface Services {
  calls: Calls
  catalog: ToolsetFormatter
  masking: ProblemRedactor
  notifier: Pick<Notifier, 'watchers'>
}

export const approvalRoutes: FastifyPluginAsyncTypebox<Services> = async (
  app,
  { calls, catalog: formatter, masking, notifier }
) => {
  const errorHandler = toolsetErrorHandler({ formatter, masking }, describeDecision)

  app.get(
    '/approvals',
    {
      schema: {
        operationId: 'listApprovals',
        summary: 'List calls that wait for approval, oldest first.',
        tags: ['approvals'],
        querystring: ApprovalsQuery,
        response: {
          200: ApprovalPage,
          ...problemResponses()
        }
      }
    },
    async ({ query: { toolset, ...page }, caller }, reply) => {
      if (caller.rights.has('approve')) notifier.watchers.noteAsked()
      const format = (call: Call) => JSON.stringify(formatter.formatApproval(toolset!, toListedCall(call).call))
      const found = calls.listPending(page, restrictedOwner(caller), toolset === undefined ? undefined : format)
      return sendLists(reply, found.cursor === null ? {} : { cursor: found.cursor }, { approvals: found.calls })
    }
  )

  app.get(
    '/calls/:id/preview',
    {
      config: { right: 'approve', byLink: true },
      schema: {
        operationId: 'previewCall',
        summary: "Get the whole texts before and after a waiting call's file changes.",
        tags: ['approvals'],
        params: CallIdParams,
        querystring: PreviewQuery,
        response: {
          200: CallPreview,
          ...problemResponses('NOT_FOUND', 'CONFLICT', 'PREVIEW_CHANGED')
        }
      }
    },
    async ({ params, query }) => calls.getPreview(params.id, query.digest)
  )

  app.get(
    '/calls/:id/digest',
    {
      config: { right: 'approve', byLink: true },
      schema: {
        operationId: 'digestCall',
        summary: 'Check whether the preview of a waiting call is still up to date.',
        description: 'The preview is up to date if its digest is `digest`. Nothing is changed.',
        tags: ['approvals'],
        params: CallIdParams,
        response: {
          200: PreviewFreshness,
          ...problemResponses('NOT_FOUND', 'CONFLICT')
        }
      }
    },
    async ({ params }) => calls.checkFreshness(params.id)
  )

  app.get(
    '/calls/:id/preview/:file/:side',
    {
      config: { right: 'approve', byLink: true },
      schema: {
        operationId: 'previewText',
        summary:
          "Get a file's text before or after a waiting call. before_href and after_href in its preview link here.",
        tags: ['approvals'],
        params: PreviewTextParams,
        querystring: PreviewTextQuery,
        response: {
          200: { description: 'Text.', content: plainTextContent },
          ...problemResponses('NOT_FOUND', 'CONFLICT', 'PREVIEW_CHANGED')
        }
      }
    },
    async ({ params: { id, file, side }, query }, reply) => {
      const { files } = await calls.getPreview(id, query.digest)
      const text = files[file]?.[side]
      if (text === undefined)
        throw new ToolError(
          'NOT_FOUND',
          "The preview has no text at this URL. Use before_href or after_href of the call's files."
        )
      return reply.type('text/plain; charset=utf-8').header('x-content-type-options', 'nosniff').send(text)
    }
  )

  app.post(
    '/approve',
    {
      config: { right: 'approve' },
      errorHandler,
      schema: {
        operationId: 'approve',
        summary: 'Approve waiting calls. Several are decided separately, with {results} in their order.',
        tags: ['approvals'],
        body: ApproveCallsBody,
        querystring: WaitQuery,
        response: severalResponses
      }
    },
    async (
      { body: { stepId, tool_call_id = stepId, tool_call_ids, calls: shown, ...decision }, caller, query },
      reply
    ) => {
      const selected = selectCalls({ tool_call_id, tool_call_ids, calls: shown })
      if (tool_call_id !== undefined) return decideOne(tool_call_id, decision, { caller, query, reply })
      const forOne = SINGLE_CALL_FIELDS.find(field => decision[field] !== undefined)
      if (forOne) throw invalidParams(`/${forOne}`, 'is allowed only if one call is approved')
      const results = await decideEach(selected, ({ tool_call_id, ...digests }) =>
        decide(tool_call_id, { ...decision, ...digests }, caller)
      )
      return sendResults(results, selected, { query, reply })
    }
  )

  app.post(
    '/calls/:id/approve',
    {
      config: { right: 'approve', byLink: true },
      errorHandler,
      schema: {
        operationId: 'approveCall',
        summary: 'Approve one waiting call.',
        tags: ['approvals'],
        params: CallIdParams,
        body: ApproveBody,
        querystring: WaitQuery,
        response: decisionResponses
      }
    },
    async ({ params, body, caller, query }, reply) => decideOne(params.id, body, { caller, query, reply })
  )

  app.post(
    '/reject',
    {
      config: { right: 'approve' },
      errorHandler,
      schema: {
        operationId: 'reject',
        summary: 'Reject waiting calls. Several are decided separately, with {results} in their order.',
        tags: ['approvals'],
        body: RejectCallsBody,
        querystring: WaitQuery,
        response: severalResponses
      }
    },
    async ({ body: { stepId, tool_call_id = stepId, tool_call_ids, ...decision }, caller, query }, reply) => {
      const selected = selectCalls({ tool_call_id, tool_call_ids })
      if (tool_call_id !== undefined)
        return sendCall(
          reply,
          formatForToolset(formatter, query.toolset, await calls.reject(tool_call_id, decision, caller))
        )
      const results = await decideEach(selected, ({ tool_call_id }) => calls.reject(tool_call_id, decision, caller))
      return sendResults(results, selected, { query, reply })
    }
  )

  app.post(
    '/calls/:id/reject',
    {
      config: { right: 'approve', byLink: true },
      errorHandler,
      schema: {
        operationId: 'rejectCall',
        summary: 'Reject one waiting call.',
        tags: ['approvals'],
        params: CallIdParams,
        body: RejectRequest,
        querystring: WaitQuery,
        response: decisionResponses
      }
    },
    async ({ params, body, caller, query }, reply) =>
      sendCall(reply, formatForToolset(formatter, query.toolset, await calls.reject(params.id, body, caller)))
  )

  /** Approves or rejects: toolsets have one response for both decisions. */
  function decide(id: string, { approved = true, modifiedArgs: modified_args, ...decision }: Decision, caller: Caller) {
    if (!approved) return calls.reject(id, { reason: decision.reason }, caller)
    if (modified_args !== undefined && decision.modified_params !== undefined)
      throw invalidParams('/modifiedArgs', 'and modified_params exclude each other: send only one of them')
    return calls.approve(id, { ...decision, modified_args }, caller)
  }

  /** Describes a refused decision by its call, if there is one and the caller may decide on it. */
  async function describeDecision({ params, body, caller }: FastifyRequest): Promise<RefusedRequest> {
    if (!caller?.rights.has('approve')) return {}
    const { id } = params as { id?: string }
    const { tool_call_id, stepId } = (body ?? {}) as Record<string, unknown>
    const named = id ?? tool_call_id ?? stepId
    return typeof named === 'string' ? describeCall(named) : {}
  }

  async function describeCall(tool_call_id: string): Promise<RefusedRequest> {
    const wait = { ms: 0, throughApproval: true, signal: AbortSignal.abort() }
    const known = await calls.get(tool_call_id, wait).catch(() => undefined)
    if (!known) return { tool_call_id }
    const { tool, params, requested_tool = tool, requested_params = params } = JSON.parse(known.json)
    return { tool_call_id, tool: requested_tool, params: requested_params }
  }

  /** Sends the outcomes of decisions about several calls. */
  async function sendResults(
    results: BatchItemOutcome[],
    selected: readonly SelectedCall[],
    { query: { toolset }, reply }: Pick<DecisionRequest, 'query' | 'reply'>
  ) {
    if (toolset === undefined) return sendJson(reply, 200, serializeResults(results, masking))
    const about = await Promise.all(selected.map(({ tool_call_id }) => describeCall(tool_call_id)))
    return sendJson(reply, 200, formatOutcomesForToolset({ formatter, masking }, toolset, results, about))
  }

  /** Decides before it responds; wait_ms delays the response until the call has ended. */
  async function decideOne(id: string, decision: Decision, { caller, query, reply }: DecisionRequest) {
    const { wait_ms, toolset } = query
    const decided = await decide(id, decision, caller)
    // A call that needs further approvals does not end before those.
    if (!wait_ms || decided.call.status === 'awaiting_approval')
      return sendCall(reply, formatForToolset(formatter, toolset, decided))
    const wait = { ms: wait_ms, throughApproval: true, signal: watchDisconnect(reply).signal }
    return sendCall(reply, formatForToolset(formatter, toolset, await calls.get(id, wait)))
  }
}

type Caller = Parameters<Calls['approve']>[2]
type Decision = Parameters<Calls['approve']>[1] & { approved?: boolean; modifiedArgs?: object }

interface DecisionRequest {
  caller: Caller
  query: Static<typeof WaitQuery>
  reply: FastifyReply
}

/** Fields that refer to one call's preview or modified params. */
const SINGLE_CALL_FIELDS = ['digest', 'whole_digest', 'modified_params', 'modifiedArgs', 'modified_digest'] as const

interface CallSelector {
  tool_call_id: string | undefined
  tool_call_ids: string[] | undefined
  calls?: SelectedCall[] | undefined
}

interface SelectedCall {
  tool_call_id: string
  digest?: string
  whole_digest?: string
}

function selectCalls({ tool_call_id, tool_call_ids, calls }: CallSelector): readonly SelectedCall[] {
  const [selected, ...others] = [
    tool_call_id === undefined ? undefined : [{ tool_call_id }],
    tool_call_ids?.map(id => ({ tool_call_id: id })),
    calls
  ].filter(each => each !== undefined)
  if (selected === undefined || others.length > 0)
    throw invalidParams(
      '/tool_call_id',
      'is required: send exactly one of tool_call_id, tool_call_ids and (only to approve) calls'
    )
  return selected
}

function decideEach(
  selected: readonly SelectedCall[],
  decide: (call: SelectedCall) => Promise<SerializedCall>
): Promise<BatchItemOutcome[]> {
  const outcomes = new OutcomeList()
  return Promise.all(
    selected.map(call =>
      decide(call).then(
        decided => outcomes.add(decided),
        (error: unknown): BatchItemOutcome => ({ error })
      )
    )
  )
}

const invalidParams = (pointer: string, message: string) =>
  new ToolError('INVALID_PARAMS', `${pointer} ${message}.`, { errors: [{ pointer, message }] })
