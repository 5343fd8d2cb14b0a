// The end of links and buttons of notifications.
import type { CallWithStatus } from '../protocol/calls.ts'
import { steadyNow } from '../steady-time.ts'

/** Lifetime of a link or button for a call that does not expire before. */
const MAX_LIFETIME_MS = 86_400_000

/** Returns the time, in milliseconds since 1970, until which a link or button that is created now can decide on a call. */
export function findDecisionEnd({ approval }: CallWithStatus<'awaiting_approval'>): number {
  const latest = steadyNow() + MAX_LIFETIME_MS
  return approval.expires_at === null ? latest : Math.min(latest, Date.parse(approval.expires_at))
}
