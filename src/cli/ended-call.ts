// Calls that have ended, for programs that wait for them.
import type { Call } from '../client/client.ts'
import { SETTLED_STATUSES } from '../protocol/call-statuses.ts'

export type EndedCall = Extract<Call, { status: (typeof SETTLED_STATUSES)[number] }>

const ENDED: ReadonlySet<Call['status']> = new Set(SETTLED_STATUSES)

/** Returns true if a call has a result, or will not have one. */
export const hasEnded = (call: Call): call is EndedCall => ENDED.has(call.status)
