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
  speaks: ToolsetFormatter,
  toolset: string | undefined,
  { call, json }: SerializedCall
): SerializedCall {
  if (toolset === undefined) return { call, json }
  return { call, json: JSON.stringify(speaks.formatCall(toolset, JSON.parse(json))) }
}

interface RequestedCall {
  tool: string
  params: unknown
}

/** Sends a rejected request in the envelope of the toolset; without one, the error goes to the error handler. */
export function sendToolsetError(
  { speaks, masking }: { speaks: ToolsetFormatter; masking: ProblemRedactor },
  toolset: string | undefined,
  asked: RequestedCall,
  { error, reply }: { error: unknown; reply: FastifyReply }
) {
  if (toolset === undefined || !(error instanceof ToolError)) throw error
  const body = masking.maskValue(speaks.formatRefusal(toolset, asked, describeError(error)))
  return reply.code(toProblem(error).status).type('application/json; charset=utf-8').send(JSON.stringify(body))
}

/** Formats the outcomes of several requests for the toolset. */
export function formatOutcomesForToolset(
  { speaks, masking }: { speaks: ToolsetFormatter; masking: ProblemRedactor },
  toolset: string,
  outcomes: readonly BatchItemOutcome[],
  asked: readonly RequestedCall[]
): string {
  const told = outcomes.map((outcome, i) => {
    if ('json' in outcome) return formatForToolset(speaks, toolset, outcome).json
    if (!('error' in outcome)) return JSON.stringify(outcome)
    return JSON.stringify(masking.maskValue(speaks.formatRefusal(toolset, asked[i]!, describeError(outcome.error))))
  })
  return `{"results":[${told.join(',')}]}`
}
