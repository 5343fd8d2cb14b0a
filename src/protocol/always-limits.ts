// The limits of a saved rule, as a person types them.
import type { AlwaysLimits } from './approvals.ts'
import { DURATION } from './duration.ts'

/** Describes the syntax for a prompt. */
export const ALWAYS_LIMITS_SYNTAX = 'such as 2h, 10 uses or session'

/**
 * Parses limits such as `2h`, `10 uses`, `session` or `2h session`. Returns undefined if the text is anything else; an empty text is no
 * limit.
 */
export function parseAlwaysLimits(text: string): AlwaysLimits | undefined {
  let left = text.trim().toLowerCase()
  const limits: AlwaysLimits = {}
  while (left !== '') {
    const [taken, lifetime, uses, session] = NEXT_LIMIT.exec(left) ?? []
    if (taken === undefined) return undefined
    if (lifetime !== undefined) limits.for = lifetime
    if (uses !== undefined) limits.uses = Number(uses)
    if (session !== undefined) limits.scope = 'session'
    left = left.slice(taken.length)
  }
  return limits
}

const NEXT_LIMIT = new RegExp(`^(?:(${DURATION})|([1-9]\\d{0,5})\\s*(?:uses?|x)|(session))(?:[\\s,]+|$)`)
