// Formats responses for the toolset in the request's query; without one, they do not change.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Catalog } from '../catalog/catalog.ts'
import type { RefusedRequest } from '../catalog/toolset-resolver.ts'
import type { BatchItemOutcome, SerializedCall } from '../engine/calls.ts'
import { describeError, ToolError } from '../errors.ts'
import type { EventFormat } from '../events/event-streams.ts'
import type { ProblemRedactor } from './http/problem.ts'
import { refusalHeaders, toProblem, toToolError } from './http/problem.ts'

export type ToolsetFormatter = Pick<Catalog, 'formatCall' | 'formatApproval' | 'formatRefusal' | 'eventFormatter'>

/** Returns the format of an event stream in the toolset; undefined for that of the server. */
export function eventFormat(
  formatter: Pick<ToolsetFormatter, 'eventFormatter'>,
  toolset: string | undefined
): EventFormat | undefined {
  if (toolset === undefined || toolset === 'native') return undefined
  return { name: toolset, format: formatter.eventFormatter(toolset) }
}

/** Formats the call for the toolset. */
export function formatForToolset(
  formatter: ToolsetFormatter,
  toolset: string | undefined,
  { call, json }: SerializedCall
): SerializedCall {
  if (toolset === undefined) return { call, json }
  return { call, json: JSON.stringify(formatter.formatCall(toolset, JSON.parse(json))) }
}

interface FormattingServices {
  formatter: ToolsetFormatter
  masking: ProblemRedactor
}

/**
 * Returns the error handler of a route whose requests may speak a toolset: it sends a refusal in the envelope of the toolset.
 * Without one, and for requests without the right to the route, the error goes on to the error handler of the server.
 */
export const toolsetErrorHandler =
  (
    { formatter, masking }: FormattingServices,
    describe: (request: FastifyRequest) => RefusedRequest | Promise<RefusedRequest>
  ) =>
  async (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const { toolset } = request.query as { toolset?: string }
    const refusal = toToolError(error)
    if (toolset === undefined || !(refusal instanceof ToolError) || ACCESS_ERRORS.includes(refusal.code)) throw error
    const refused = await describe(request)
    const body = masking.maskValue(formatter.formatRefusal(toolset, refused, describeError(refusal)))
    return reply
      .code(toProblem(refusal).status)
      .headers(refusalHeaders(toProblem(refusal)))
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(body))
  }

const ACCESS_ERRORS: readonly string[] = ['UNAUTHORIZED', 'FORBIDDEN']

/** Formats the outcomes of several requests for the toolset. */
export function formatOutcomesForToolset(
  { formatter, masking }: FormattingServices,
  toolset: string,
  outcomes: readonly BatchItemOutcome[],
  requests: readonly RefusedRequest[]
): string {
  const formatted = outcomes.map((outcome, i) => {
    if ('json' in outcome) return formatForToolset(formatter, toolset, outcome).json
    if (!('error' in outcome)) return JSON.stringify(outcome)
    return JSON.stringify(
      masking.maskValue(formatter.formatRefusal(toolset, requests[i]!, describeError(outcome.error)))
    )
  })
  return `{"results":[${formatted.join(',')}]}`
}
