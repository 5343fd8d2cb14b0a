// The pending approvals. Three rules maintain them: a `tool.call` that requires approval opens one, or renews it; a decision or a
// result closes it, whoever decided; a snapshot says which are open. Decided ones stay in place for a while, so that nothing
// moves under a person.
import { computed, signal } from '@preact/signals'
import { type Approval, type Call, describeDecider, type Event } from '../../src/client/client.ts'

/** A call at a hub names its server, and a decision that was sent there and has no answer yet. */
export type WaitingCall = Extract<Call, { status: 'awaiting_approval' }> & {
  server_name?: string
  decision?: SentDecision
}

export interface SentDecision {
  decision_id: number
  verdict: 'approve' | 'reject'
  person_name: string
}

type FailedOutcome = 'failed' | 'interrupted' | 'cancelled'

/** The outcome of an approval. `failed`: ended without approval. `gone`: ended without an event here. `void`: the link is no longer valid. */
export interface ApprovalOutcome {
  decision: 'approved' | 'rejected' | 'expired' | 'gone' | 'void' | FailedOutcome
  by?: string
  at: string
  reason?: string
  /** The end of an approved call, if it did not do what was approved. */
  became?: { ended: FailedOutcome; reason?: string }
}

/** Set when a preview is outdated. */
export interface Staleness {
  /** The reason it would now fail. */
  reason?: string
}

export interface ApprovalEntry {
  call: WaitingCall
  /** The approval that was shown before the preview changed. */
  previousApproval?: Approval
  stale?: Staleness
  /** A decision that was sent to the server of the call, which has not confirmed it. */
  sent?: SentDecision
  outcome?: ApprovalOutcome
}

/** In order of arrival. */
export const approvals = signal<readonly ApprovalEntry[]>([])
export const pending = computed(() => approvals.value.filter(({ outcome }) => outcome === undefined))

/** Replaces the pending calls by these. */
export function syncPending(waiting: readonly WaitingCall[]) {
  for (const { call } of pending.peek())
    if (!waiting.some(({ tool_call_id }) => tool_call_id === call.tool_call_id))
      settleApproval(call.tool_call_id, { decision: 'gone', at: new Date().toISOString() })
  for (const call of waiting) upsertPending(call)
}

/** Opens an approval, or renews one whose preview has changed. */
export function upsertPending(call: WaitingCall) {
  const known = findApproval(call.tool_call_id)
  const { decision } = call
  if (!known) approvals.value = [...approvals.peek(), { call, ...(decision && { sent: decision }) }]
  else if (known.call.approval.digest !== call.approval.digest || known.outcome)
    updateApproval(call.tool_call_id, { call, previousApproval: known.call.approval })
  else if (known.call.approval.approvals?.length !== call.approval.approvals?.length) addApprovals(known, call)
}

/** Shows the approvals of other persons. The preview stays as it is on the screen, also where it was loaded whole. */
function addApprovals({ sent: _, ...known }: ApprovalEntry, { tool_call_id, approval }: WaitingCall) {
  const { approvals_needed, approvals } = approval
  const joint = { ...(approvals_needed !== undefined && { approvals_needed }), ...(approvals && { approvals }) }
  updateApproval(tool_call_id, { ...known, call: { ...known.call, approval: { ...known.call.approval, ...joint } } })
}

/** Replaces a preview that is cut by all of it, if the call still waits with the same digest. */
export function replacePreview(id: string, digest: string, preview: Approval['preview']) {
  const known = findApproval(id)
  if (!known || known.outcome || known.call.approval.digest !== digest) return
  const { call } = known
  updateApproval(id, { ...known, call: { ...call, approval: { ...call.approval, preview } } })
}

export function applyApprovalEvent(event: Event) {
  const known = findApproval(event.tool_call_id)
  const outcome = known && toOutcome(event, known.outcome)
  if (outcome) updateApproval(known.call.tool_call_id, { ...known, outcome })
}

/** Handles an event from before the snapshot: it opens and closes nothing, and supplies the decisions about closed ones. */
export function applyPastApprovalEvent(event: Event) {
  if (findApproval(event.tool_call_id)?.outcome) applyApprovalEvent(event)
}

/** Records whether the preview with this digest is still current; returns whether that changed. */
export function markStale(id: string, digest: string, stale: Staleness | undefined): boolean {
  const known = findApproval(id)
  if (!known || known.outcome || known.call.approval.digest !== digest) return false
  const { stale: before, ...rest } = known
  if (!before === !stale && before?.reason === stale?.reason) return false
  updateApproval(id, stale ? { ...rest, stale } : rest)
  return true
}

/** Notes that a decision was sent; undefined if it is no longer on its way. */
export function markSent(id: string, sent: SentDecision | undefined) {
  const known = findApproval(id)
  if (!known || known.outcome) return
  const { sent: _, ...rest } = known
  updateApproval(id, sent ? { ...rest, sent } : rest)
}

export function settleApproval(id: string, outcome: ApprovalOutcome) {
  const known = findApproval(id)
  if (known && !known.outcome) updateApproval(id, { ...known, outcome })
}

/** Removes decided approvals, except those that must stay in place in the view. */
export function removeSettled(kept: ReadonlySet<string | undefined>) {
  const left = approvals.peek().filter(({ call, outcome }) => !outcome || kept.has(call.tool_call_id))
  if (left.length < approvals.peek().length) approvals.value = left
}

/** Returns the id of the pending call after this one in the list, or else of the first. */
export function findNextPending(id: string): string | undefined {
  const list = approvals.value
  const at = list.findIndex(({ call }) => call.tool_call_id === id)
  const isWaiting = ({ call, outcome }: ApprovalEntry) => !outcome && call.tool_call_id !== id
  return (list.slice(at + 1).find(isWaiting) ?? list.find(isWaiting))?.call.tool_call_id
}

const findApproval = (id: string | undefined) => approvals.peek().find(({ call }) => call.tool_call_id === id)

/** Updates the outcome from an event: a decision comes first, the result of an approved call later. */
function toOutcome(event: Event, before: ApprovalOutcome | undefined): ApprovalOutcome | undefined {
  const isOpen = !before || before.decision === 'gone'
  if (event.type === 'tool.decision') {
    const { decision, reason, time: at } = event
    const { token, client, channel, earlier_approvals } = (event.by ?? {}) as Parameters<typeof describeDecider>[0]
    const by = describeDecider({ token, client, channel, earlier_approvals })
    return isOpen
      ? { decision, at, ...(by !== undefined && { by }), ...(reason !== undefined && { reason }) }
      : undefined
  }
  if (event.type !== 'tool.result') return undefined
  const ended = toDecision(event.status)
  const reason = (event.error as { message: string } | undefined)?.message ?? event.reason
  const why = reason !== undefined && { reason }
  if (isOpen) return { decision: ended, at: event.time, ...why }
  return before.decision === 'approved' && isFailedOutcome(ended) ? { ...before, became: { ended, ...why } } : undefined
}

function updateApproval(id: string, next: ApprovalEntry) {
  approvals.value = approvals.peek().map(each => (each.call.tool_call_id === id ? next : each))
}

/** Returns the decision that a call's status implies, also for one that was decided and is running. */
export const toDecision = (status: string): ApprovalOutcome['decision'] => DECISIONS_BY_STATUS[status] ?? 'approved'

const DECISIONS_BY_STATUS: Record<string, ApprovalOutcome['decision']> = {
  rejected: 'rejected',
  expired: 'expired',
  cancelled: 'cancelled',
  error: 'failed',
  interrupted: 'interrupted'
}

const isFailedOutcome = (ended: ApprovalOutcome['decision']): ended is FailedOutcome =>
  ended === 'failed' || ended === 'interrupted' || ended === 'cancelled'
