// Routes for calls: submit, batch, read, cancel, captured output.
import '@fastify/sse'
import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import type { RefusedRequest } from '../catalog/toolset-resolver.ts'
import type { BatchItemOutcome, Calls, SerializedCall } from '../engine/calls.ts'
import type { Streams } from '../events/event-streams.ts'
import {
  BatchBody,
  CallPage,
  CancelRequest,
  LogQuery,
  Outcomes,
  SubmitBody,
  SubmitHeaders,
  SubmitQuery
} from '../protocol/call-requests.ts'
import { isSettled } from '../protocol/calls.ts'
import { CallOrDryRun } from '../protocol/explanation.ts'
import { CallIdParams, IdempotencyHeaders, NoBody, WaitQuery } from '../protocol/request-params.ts'
import { eventStreamContent } from '../protocol/response-content.ts'
import { schemaRef } from '../protocol/schema-ref.ts'
import { watchDisconnect } from './http/disconnect.ts'
import { type ProblemRedactor, toProblem } from './http/problem.ts'
import { openEventStream, visibleEvents } from './http/sse-reply.ts'
import { EVALUATION_ERRORS, problemResponses } from './schema.ts'
import {
  eventFormat,
  formatForToolset,
  formatOutcomesForToolset,
  type ToolsetFormatter,
  toolsetErrorHandler
} from './toolset-format.ts'

const DEFAULT_WAIT_MS = 30_000

interface Services {
  calls: Calls
  catalog: ToolsetFormatter
  masking: ProblemRedactor
  streams: Streams
}

export const callRoutes: FastifyPluginAsyncTypebox<Services> = async (
  app,
  { calls, catalog: formatter, masking, streams }
) => {
  app.post(
    '/calls',
    {
      sse: 'dual',
      errorHandler: toolsetErrorHandler({ formatter, masking }, ({ body }) => pickRequest(body)),
      schema: {
        operationId: 'submitCall',
        summary: 'Submit a tool call.',
        description:
          'Responds when the call has ended or needs a decision, after 30 s at the latest. With wait_ms, also waits for the decision. With Accept: text/event-stream, streams the events of the call up to its tool.result.',
        tags: ['calls'],
        body: SubmitBody,
        querystring: SubmitQuery,
        headers: SubmitHeaders,
        response: {
          200: {
            description: 'The call has ended, or the result of a dry run.',
            content: {
              'application/json': { schema: CallOrDryRun },
              ...eventStreamContent
            }
          },
          202: {
            description: 'The call has not ended, or waits for approval.',
            content: { 'application/json': { schema: schemaRef('Call') } }
          },
          ...problemResponses(...EVALUATION_ERRORS)
        }
      }
    },
    async (request, reply) => {
      const { toolset, wait_ms, on_disconnect } = request.query
      const { dry_run, ...given } = request.body
      const body = completeRequest(toolset, given)
      if (dry_run) return calls.dryRun(body, request.caller)
      const options = {
        idempotency_key: request.headers['idempotency-key'],
        fresh: request.headers['cache-control'] === 'no-cache'
      }
      const { disconnected, signal } = watchDisconnect(reply)
      const cancels = on_disconnect === 'cancel'
      const cancel = (tool_call_id: string) => calls.cancel(tool_call_id, 'The client disconnected.').catch(() => {})
      if (reply.sse) {
        reply.reserveEventStream()
        const { tool_call_id, after } = await calls.submitForStream(body, request.caller, options)
        if (cancels) void disconnected.then(() => cancel(tool_call_id))
        return openEventStream(streams, reply, {
          filter: { tool_call_id, ...visibleEvents(request.caller) },
          after: { seq: after },
          format: eventFormat(formatter, toolset),
          until: ({ type }) => type === 'tool.result'
        })
      }
      const answer = await calls.submit(body, request.caller, { ...options, wait: toWaitOptions(wait_ms, signal) })
      if (cancels && signal.aborted && !isSettled(answer.call)) await cancel(answer.call.tool_call_id)
      return sendCall(reply, formatForToolset(formatter, toolset, answer))
    }
  )

  app.post(
    '/calls/batch',
    {
      schema: {
        operationId: 'submitBatch',
        summary: 'Submit several calls; calls on the same path run in order, others in parallel.',
        tags: ['calls'],
        body: BatchBody,
        querystring: WaitQuery,
        headers: IdempotencyHeaders,
        response: {
          200: Outcomes,
          ...problemResponses('CONFLICT')
        }
      }
    },
    async (request, reply) => {
      const { toolset, wait_ms } = request.query
      const { calls: given, stop_on_error } = request.body
      const requests = given.map(each => completeRequest(toolset, each))
      const wait = toWaitOptions(wait_ms, watchDisconnect(reply).signal)
      const outcomes = await calls.batch(requests, request.caller, {
        stopOnError: stop_on_error ?? false,
        wait,
        idempotency_key: request.headers['idempotency-key']
      })
      if (toolset === undefined) return sendJson(reply, 200, serializeResults(outcomes, masking))
      return sendJson(reply, 200, formatOutcomesForToolset({ formatter, masking }, toolset, outcomes, requests))
    }
  )

  app.get(
    '/calls',
    {
      schema: {
        operationId: 'listCalls',
        summary: 'List calls, newest first.',
        tags: ['calls'],
        querystring: LogQuery,
        response: {
          200: CallPage,
          ...problemResponses()
        }
      }
    },
    async ({ query, caller }, reply) => {
      const page = await calls.list(query, caller)
      return sendLists(reply, { cursor: page.cursor }, { calls: page.calls })
    }
  )

  app.get(
    '/calls/:id',
    {
      config: { byLink: true },
      schema: {
        operationId: 'getCall',
        summary: 'Get a call. With wait_ms, the response is sent when the call has ended.',
        tags: ['calls'],
        params: CallIdParams,
        querystring: WaitQuery,
        response: { 200: schemaRef('Call'), ...problemResponses('NOT_FOUND') }
      }
    },
    async (request, reply) => {
      const { toolset, wait_ms = 0 } = request.query
      const wait = { ms: wait_ms, throughApproval: true, signal: watchDisconnect(reply).signal }
      const answer = await calls.get(request.params.id, wait)
      return sendJson(reply, 200, formatForToolset(formatter, toolset, answer).json)
    }
  )

  app.post(
    '/calls/:id/cancel',
    {
      schema: {
        operationId: 'cancelCall',
        summary: 'Cancel a call. A call that has ended does not change.',
        tags: ['calls'],
        params: CallIdParams,
        body: CancelRequest,
        response: { 200: schemaRef('Call'), ...problemResponses('NOT_FOUND') }
      }
    },
    async ({ params, body }, reply) => sendJson(reply, 200, (await calls.cancel(params.id, body?.reason)).json)
  )

  app.post(
    '/calls/:id/purge',
    {
      config: { right: 'approve' },
      schema: {
        operationId: 'purgeCall',
        summary: 'Remove the content of an ended call: params, result, previews, output and undo data.',
        tags: ['calls'],
        params: CallIdParams,
        body: NoBody,
        response: { 200: schemaRef('Call'), ...problemResponses('NOT_FOUND', 'CONFLICT') }
      }
    },
    async ({ params, caller }, reply) => sendJson(reply, 200, (await calls.purge(params.id, caller)).json)
  )
}

/** Returns the requested tool and params; the body of a refused request may be anything. */
function pickRequest(body: unknown): RefusedRequest {
  const { tool, params } = (body ?? {}) as Record<string, unknown>
  return { ...(typeof tool === 'string' && { tool }), params }
}

/** Fills in omitted params. A client that requests responses in a toolset's format also sends requests in it. */
const completeRequest = <R extends { toolset?: string; params?: object }>(toolset: string | undefined, request: R) => ({
  ...(toolset !== undefined && { toolset }),
  ...request,
  params: request.params ?? {}
})

/** By default a response is delayed until the call has ended or needs a decision; an explicit time is waited in full. */
export const toWaitOptions = (wait_ms: number | undefined, signal: AbortSignal) => ({
  ms: wait_ms ?? DEFAULT_WAIT_MS,
  throughApproval: wait_ms !== undefined,
  signal
})

/** Sends 200 for a call that has ended, 202 for one that has not. */
export const sendCall = (reply: FastifyReply, { call, json }: SerializedCall) =>
  sendJson(reply, isSettled(call) ? 200 : 202, json)

/** Sends serialized JSON. */
export const sendJson = (reply: FastifyReply, status: number, json: string) =>
  reply.code(status).type('application/json; charset=utf-8').send(json)

/** Sends an object with lists of calls, which are JSON, call by call. */
export const sendLists = (reply: FastifyReply, fields: object, lists: Record<string, readonly string[]>) =>
  reply
    .code(200)
    .type('application/json; charset=utf-8')
    .send(Readable.from(joinLists(fields, lists)))

function* joinLists(fields: object, lists: Record<string, readonly string[]>) {
  let separator = '{'
  for (const [name, calls] of Object.entries(lists)) {
    yield `${separator}"${name}":[`
    for (const [index, call] of calls.entries()) yield index === 0 ? call : `,${call}`
    yield ']'
    separator = ','
  }
  const rest = JSON.stringify(fields).slice(1)
  yield rest === '}' ? rest : `,${rest}`
}

export const serializeResults = (outcomes: BatchItemOutcome[], masking: ProblemRedactor) =>
  `{"results":[${outcomes.map(outcome => serializeOutcome(outcome, masking)).join(',')}]}`

function serializeOutcome(outcome: BatchItemOutcome, masking: ProblemRedactor) {
  if ('json' in outcome) return outcome.json
  if (!('error' in outcome)) return JSON.stringify(outcome)
  return JSON.stringify({ problem: masking.maskValue(toProblem(outcome.error)) })
}
