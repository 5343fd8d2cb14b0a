// What waits for a decision. Three rules keep it: a `tool.call` that requires approval opens one, or renews it; a decision
// or a result closes it, whoever decided; a snapshot says which are open. What was decided stays in its place for a
// while, so that nothing moves under a hand.
import { computed, signal } from '@preact/signals'
import type { Approval, Call, Event } from '../../src/client/client.ts'

export type Waiting = Extract<Call, { status: 'awaiting_approval' }>

type Trouble = 'failed' | 'interrupted' | 'cancelled'

/** How one that waited came to its end. `failed`: without being approved. `gone`: while nobody here was told. */
export interface Outcome {
  decision: 'approved' | 'rejected' | 'expired' | 'gone' | Trouble
  by?: string
  at: string
  reason?: string
  /** What became of one that was approved, where that is not what was approved. */
  became?: { ended: Trouble; reason?: string }
}

/** What is shown is no longer what would happen. */
export interface Stale {
  /** Why it could not be done at all by now. */
  reason?: string
}

export interface Asked {
  call: Waiting
  /** The approval that was shown before the preview changed. */
  before?: Approval
  stale?: Stale
  outcome?: Outcome
}

/** In the order they came. */
export const asked = signal<readonly Asked[]>([])
export const pending = computed(() => asked.value.filter(({ outcome }) => outcome === undefined))

/** The calls that wait are these and no others. */
export function settleAll(waiting: readonly Waiting[]) {
  for (const { call } of pending.peek())
    if (!waiting.some(({ tool_call_id }) => tool_call_id === call.tool_call_id))
      close(call.tool_call_id, { decision: 'gone', at: new Date().toISOString() })
  for (const call of waiting) open(call)
}

/** Opens one, or renews it where what it shows has changed. */
export function open(call: Waiting) {
  const known = find(call.tool_call_id)
  if (!known) asked.value = [...asked.peek(), { call }]
  else if (known.call.approval.digest !== call.approval.digest || known.outcome)
    change(call.tool_call_id, { call, before: known.call.approval })
}

export function tellApprovals(event: Event) {
  const known = find(event.tool_call_id)
  const outcome = known && outcomeIn(event, known.outcome)
  if (outcome) change(known.call.tool_call_id, { ...known, outcome })
}

/** The same of an event from before the snapshot: it opens and closes nothing, and tells who decided what is gone. */
export function recallApprovals(event: Event) {
  if (find(event.tool_call_id)?.outcome) tellApprovals(event)
}

/** Notes whether what is shown, by this digest, is still what would happen; returns whether that is news. */
export function markStale(id: string, digest: string, stale: Stale | undefined): boolean {
  const known = find(id)
  if (!known || known.outcome || known.call.approval.digest !== digest) return false
  const { stale: before, ...rest } = known
  if (!before === !stale && before?.reason === stale?.reason) return false
  change(id, stale ? { ...rest, stale } : rest)
  return true
}

export function close(id: string, outcome: Outcome) {
  const known = find(id)
  if (known && !known.outcome) change(id, { ...known, outcome })
}

/** Lets go of what was decided, but for one that is still looked at. */
export function sweep(kept: string | undefined) {
  const left = asked.peek().filter(({ call, outcome }) => !outcome || call.tool_call_id === kept)
  if (left.length < asked.peek().length) asked.value = left
}

const find = (id: string | undefined) => asked.peek().find(({ call }) => call.tool_call_id === id)

/** What an event makes of the outcome so far: a decision comes first, and what became of an approved call later. */
function outcomeIn(event: Event, before: Outcome | undefined): Outcome | undefined {
  const isOpen = !before || before.decision === 'gone'
  if (event.type === 'tool.decision') {
    const { decision, reason, time: at } = event
    const by = (event.by as { client?: string } | undefined)?.client
    return isOpen
      ? { decision, at, ...(by !== undefined && { by }), ...(reason !== undefined && { reason }) }
      : undefined
  }
  if (event.type !== 'tool.result') return undefined
  const ended = endedAs(event.status)
  const reason = (event.error as { message: string } | undefined)?.message ?? event.reason
  const why = reason !== undefined && { reason }
  if (isOpen) return { decision: ended, at: event.time, ...why }
  return before.decision === 'approved' && isTrouble(ended) ? { ...before, became: { ended, ...why } } : undefined
}

function change(id: string, next: Asked) {
  asked.value = asked.peek().map(each => (each.call.tool_call_id === id ? next : each))
}

/** What the status of a call says of one that waited: also that of one that was decided and is under way. */
export const endedAs = (status: string): Outcome['decision'] => ENDS[status] ?? 'approved'

const ENDS: Record<string, Outcome['decision']> = {
  rejected: 'rejected',
  expired: 'expired',
  cancelled: 'cancelled',
  error: 'failed',
  interrupted: 'interrupted'
}

const isTrouble = (ended: Outcome['decision']): ended is Trouble =>
  ended === 'failed' || ended === 'interrupted' || ended === 'cancelled'
