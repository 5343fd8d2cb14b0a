// Formats responses for the toolset in the request's query; without one, they do not change.
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { Catalog } from '../catalog/catalog.ts'
import type { BatchItemOutcome, SerializedCall } from '../engine/calls.ts'
import { describeError, ToolError } from '../errors.ts'
import type { ProblemRedactor } from './http/problem.ts'
import { toProblem } from './http/problem.ts'

export type ToolsetFormatter = Pick<Catalog, 'formatCall' | 'formatApproval' | 'formatRefusal'>

export const ToolsetParam = Type.Optional(
  Type.String({ maxLength: 64, description: 'Toolset in whose words to answer; see the toolsets page.' })
)

/** Formats the call for the toolset. */
export function formatForToolset(
  formatter: ToolsetFormatter,
  toolset: string | undefined,
  { call, json }: SerializedCall
): SerializedCall {
  if (toolset === undefined) return { call, json }
  return { call, json: JSON.stringify(formatter.formatCall(toolset, JSON.parse(json))) }
}

interface RequestedCall {
  tool: string
  params: unknown
}

/** Sends a rejected request in the envelope of the toolset; without one, the error goes to the error handler. */
export function sendToolsetError(
  { formatter, masking }: { formatter: ToolsetFormatter; masking: ProblemRedactor },
  toolset: string | undefined,
  request: RequestedCall,
  { error, reply }: { error: unknown; reply: FastifyReply }
) {
  if (toolset === undefined || !(error instanceof ToolError)) throw error
  const body = masking.maskValue(formatter.formatRefusal(toolset, request, describeError(error)))
  return reply.code(toProblem(error).status).type('application/json; charset=utf-8').send(JSON.stringify(body))
}

/** Formats the outcomes of several requests for the toolset. */
export function formatOutcomesForToolset(
  { formatter, masking }: { formatter: ToolsetFormatter; masking: ProblemRedactor },
  toolset: string,
  outcomes: readonly BatchItemOutcome[],
  requests: readonly RequestedCall[]
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
