// Determines the outcome of an attack case, in the terms of corpus/paths.json, and whether it is strict enough.
import type { HttpReply, Json } from './start-app.ts'

/** By strictness; the others are not ordered. */
const RANKS: Record<string, number> = { allow: 0, ask: 1, ask_strong: 2, deny: 3, block: 3 }

const VERDICTS_BY_CODE: Record<string, readonly string[]> = {
  INVALID_PARAMS: ['invalid', 'deny', 'block'],
  INVALID_PATH: ['invalid', 'deny', 'block'],
  FILE_NOT_FOUND: ['not_found'],
  NOT_A_DIRECTORY: ['not_found', 'deny']
}
const REFUSED_VERDICTS = ['deny', 'block']

/** Returns the verdicts that apply to a response. */
export function verdictsOf({ status, body }: HttpReply): readonly string[] {
  if (status >= 400) return VERDICTS_BY_CODE[body.code] ?? REFUSED_VERDICTS
  if (body.status === 'success') return ['allow']
  if (body.status === 'awaiting_approval') return [body.approval.level === 'strict' ? 'ask_strong' : 'ask']
  if (body.status === 'rejected') return REFUSED_VERDICTS
  if (body.status === 'error') return VERDICTS_BY_CODE[body.error.code] ?? REFUSED_VERDICTS
  throw new Error(`a call that has not ended: ${JSON.stringify(body)}`)
}

/** Groups in which excess strictness fails too. */
const isExact = ({ group, expect_body }: Json) => group === 'benign' || expect_body !== undefined

export function isStrictEnough(found: readonly string[], expected: string, about: Json): boolean {
  if (expected === 'either') return true
  const wanted = expected.split('_or_')
  if (found.some(verdict => wanted.includes(verdict))) return true
  if (isExact(about)) return false
  const least = Math.min(...wanted.map(verdict => RANKS[verdict] ?? RANKS.deny!))
  return found.some(verdict => (RANKS[verdict] ?? -1) >= least)
}
