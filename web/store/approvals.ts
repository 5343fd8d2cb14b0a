// What waits for a decision. Three rules keep it: a `tool.call` that requires approval opens one, or renews it; a decision
// or a result closes it, whoever decided; a snapshot says which are open. What was decided stays in its place for a
// while, so that nothing moves under a hand.
import { computed, signal } from '@preact/signals'
import type { Approval, Call, Event } from '../../src/client/client.ts'

export type Waiting = Extract<Call, { status: 'awaiting_approval' }>

/** How one that waited came to its end. `gone`: while nobody here was told. */
export interface Outcome {
  decision: 'approved' | 'rejected' | 'expired' | 'cancelled' | 'gone'
  by?: string
  at: string
  reason?: string
}

export interface Asked {
  call: Waiting
  /** The approval that was shown before the preview changed. */
  before?: Approval
  /** What is shown is no longer what would happen. */
  stale?: true
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
  const outcome = outcomeIn(event)
  if (outcome && event.tool_call_id !== undefined) close(event.tool_call_id, outcome)
}

/** The same of an event from before the snapshot: it opens and closes nothing, and tells who decided what is gone. */
export function recallApprovals(event: Event) {
  const known = find(event.tool_call_id)
  const outcome = known?.outcome?.decision === 'gone' && outcomeIn(event)
  if (known && outcome) change(known.call.tool_call_id, { ...known, outcome })
}

/** Notes whether what is shown, by this digest, is still what would happen; returns whether that is news. */
export function markStale(id: string, digest: string, isStale: boolean): boolean {
  const known = find(id)
  if (!known || known.outcome || known.call.approval.digest !== digest || isStale === (known.stale ?? false))
    return false
  const { stale: _, ...rest } = known
  change(id, isStale ? { ...rest, stale: true } : rest)
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

function outcomeIn(event: Event): Outcome | undefined {
  const at = event.time
  if (event.type === 'tool.result') return { decision: endedAs(event.status), at }
  if (event.type !== 'tool.decision') return undefined
  const { decision, reason } = event
  const by = (event.by as { client?: string } | undefined)?.client
  return { decision, at, ...(by !== undefined && { by }), ...(reason !== undefined && { reason }) }
}

function change(id: string, next: Asked) {
  asked.value = asked.peek().map(each => (each.call.tool_call_id === id ? next : each))
}

const endedAs = (status: string) =>
  status === 'rejected' || status === 'expired' || status === 'cancelled' ? status : 'approved'
