// Works through the waiting calls: after a decision, the next one opens, and shows the outcome of the last.
import { signal } from '@preact/signals'
import type { ApproveRequest, RejectRequest } from '../../src/client/client.ts'
import { formatApprovalCount } from '../../src/protocol/format-approval-count.ts'
import type { Review } from '../diff/review.ts'
import { goTo, route } from '../shell/routes.ts'
import { findNextPending, pending, type WaitingCall } from '../store/approvals.ts'
import { approve, reject } from './decide.ts'
import { addressOf, toListRows } from './groups.ts'
import { visibleGroups } from './list-view.ts'
import { setComments, toRejection } from './review-comments.ts'

/** The last decision of this page, and the call that was opened next. */
export interface LastDecision {
  call: WaitingCall
  verdict: string
  next: string
}

export const lastDecision = signal<LastDecision | undefined>(undefined)

export async function approveAndGoOn(call: WaitingCall, decision?: Omit<ApproveRequest, 'digest'>, review?: Review) {
  if (await approve(call, decision, review)) goOn(call, findCount(call) ?? 'Approved')
}

/** Returns how many approvals a call has that still waits for other persons. */
function findCount({ tool_call_id }: WaitingCall): string | undefined {
  const waiting = pending.peek().find(({ call }) => call.tool_call_id === tool_call_id)
  return waiting && formatApprovalCount(waiting.call.approval)
}

export async function rejectAndGoOn(call: WaitingCall, decision?: RejectRequest) {
  const id = call.tool_call_id
  if (!(await reject(call, { ...decision, ...toRejection(id) }))) return
  setComments(id, [])
  goOn(call, 'Rejected')
}

/** Opens the next waiting call, unless another one was opened in the meantime. */
function goOn(call: WaitingCall, verdict: LastDecision['verdict']) {
  const { panel, segments } = route.peek()
  if (panel !== 'approvals' || segments[0] !== call.tool_call_id) return
  const next = findNextPending(call.tool_call_id)
  lastDecision.value = next === undefined ? undefined : { call, verdict, next }
  if (next !== undefined) goTo('approvals', next)
}

/** Opens the entry of the list before or after the opened one. */
export function openNeighbour(by: 1 | -1) {
  const rows = visibleGroups.peek().flatMap(({ entries }) => toListRows(entries).map(addressOf))
  const opened = route.peek().segments.join('/')
  const at = rows.findIndex(address => address.join('/') === opened)
  const next = at < 0 ? rows.at(by > 0 ? 0 : -1) : rows[at + by]
  if (next !== undefined) goTo('approvals', ...next)
}
