// The limits of a saved rule, as a person types them.
import type { AlwaysLimits } from './approvals.ts'
import { DURATION } from './duration.ts'

/** An end of a saved rule, to be chosen from a list. */
interface AlwaysEnd {
  id: string
  title: string
  limits: AlwaysLimits
}

/** The ends that are offered where a person chooses and cannot type; the first one is the default. */
export const ALWAYS_ENDS: readonly AlwaysEnd[] = [
  { id: 'revoked', title: 'Until I revoke it', limits: {} },
  { id: 'session', title: 'In this session', limits: { scope: 'session' } },
  { id: '1h', title: 'For 1 hour', limits: { for: '1h' } },
  { id: '1d', title: 'For 1 day', limits: { for: '1d' } },
  { id: '10-uses', title: 'For 10 calls', limits: { uses: 10 } }
]

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
