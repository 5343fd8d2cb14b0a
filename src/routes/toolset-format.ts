// Answers in the words of the toolset that a request's query names; without one, as they are.
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { Catalog } from '../catalog/catalog.ts'
import type { Answer, Outcome } from '../engine/calls.ts'
import { describeError, ToolError } from '../errors.ts'
import type { Masks } from './calls.ts'
import { problemOf } from './http/problem.ts'

export type Speaks = Pick<Catalog, 'answerIn' | 'approvalIn' | 'refusalIn'>

export const Toolset = Type.Optional(
  Type.String({ maxLength: 64, description: 'Toolset in whose words to answer; see the toolsets page.' })
)

/** The call in the words of the toolset. */
export function inWords(speaks: Speaks, toolset: string | undefined, { call, json }: Answer): Answer {
  if (toolset === undefined) return { call, json }
  return { call, json: JSON.stringify(speaks.answerIn(toolset, JSON.parse(json))) }
}

interface Asked {
  tool: string
  params: unknown
}

/** What a request was refused for, in the envelope of the toolset; without one the error goes on to its handler. */
export function refuseInWords(
  { speaks, masking }: { speaks: Speaks; masking: Masks },
  toolset: string | undefined,
  asked: Asked,
  { error, reply }: { error: unknown; reply: FastifyReply }
) {
  if (toolset === undefined || !(error instanceof ToolError)) throw error
  const body = masking.maskedAll(speaks.refusalIn(toolset, asked, describeError(error)))
  return reply.code(problemOf(error).status).type('application/json; charset=utf-8').send(JSON.stringify(body))
}

/** What became of each of several requests, in the words of the toolset. */
export function outcomesInWords(
  { speaks, masking }: { speaks: Speaks; masking: Masks },
  toolset: string,
  outcomes: readonly Outcome[],
  asked: readonly Asked[]
): string {
  const told = outcomes.map((outcome, i) => {
    if ('json' in outcome) return inWords(speaks, toolset, outcome).json
    if (!('error' in outcome)) return JSON.stringify(outcome)
    return JSON.stringify(masking.maskedAll(speaks.refusalIn(toolset, asked[i]!, describeError(outcome.error))))
  })
  return `{"results":[${told.join(',')}]}`
}
