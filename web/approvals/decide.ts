// Sends decisions, bound to the preview by its digest. Errors appear on the card.
import { signal } from '@preact/signals'
import { type Approval, type ApproveRequest, type RejectRequest, ToolgateError } from '../../src/client/client.ts'
import { formatApprovalCount } from '../../src/protocol/format-approval-count.ts'
import { createReview, describeUnviewed, type Review } from '../diff/review.ts'
import { isLink } from '../session/place.ts'
import { client, setTokenName, toErrorMessage } from '../session/session.ts'
import { announce } from '../shell/live-region.tsx'
import {
  markSent,
  type SentDecision,
  settleApproval,
  toDecision,
  upsertPending,
  type WaitingCall
} from '../store/approvals.ts'
import { noteApproved } from './approved-calls.ts'
import { setDecisionError } from './decision-errors.ts'
import { getWholeDigest } from './whole-preview.ts'

/** Calls whose decision is in flight. */
export const sendingCalls = signal<ReadonlySet<string>>(new Set())

const reviews = new WeakMap<Approval, Review>()

/** Returns the review of the preview of a pending call. */
export function getReview({ tool_call_id, approval, params }: WaitingCall): Review {
  const known = reviews.get(approval)
  if (known) return known
  const review = createReview(`${tool_call_id} ${approval.digest}`, approval.preview, params)
  reviews.set(approval, review)
  return review
}

/**
 * Approves a call if its preview has been viewed to the end, and returns whether the decision was accepted. `confirm` is set after
 * a second confirmation; modified params have a review of their preview.
 */
export async function approve(
  call: WaitingCall,
  decision: Omit<ApproveRequest, 'digest'> = {},
  review: Review = getReview(call)
): Promise<boolean> {
  const missing = describeUnviewed(review)
  if (missing !== undefined) {
    announce(`Not approved: ${missing}`)
    return false
  }
  const whole_digest = getWholeDigest(call.approval.digest)
  const send = () =>
    client().approve(call.tool_call_id, {
      digest: call.approval.digest,
      ...(whole_digest !== undefined && { whole_digest }),
      ...decision
    })
  const isAccepted = await decide(call, send)
  if (isAccepted) noteApproved(call)
  return isAccepted
}

export const reject = (call: WaitingCall, decision: RejectRequest = {}): Promise<boolean> =>
  decide(call, () => client().reject(call.tool_call_id, decision))

/** The call, or at a hub the decision that was sent to the server. */
interface DecisionAnswer {
  status?: string
  decision?: SentDecision
  approved_by?: { token?: { name: string } }
  rejected_by?: { token?: { name: string } }
}

async function decide(call: WaitingCall, send: () => Promise<unknown>): Promise<boolean> {
  const id = call.tool_call_id
  if (sendingCalls.peek().has(id)) return false
  sendingCalls.value = new Set([...sendingCalls.peek(), id])
  setDecisionError(id, undefined)
  try {
    const answer = ((await send()) ?? {}) as DecisionAnswer | WaitingCall
    if (isWaiting(answer)) {
      upsertPending(answer)
      announce(`${formatApprovalCount(answer.approval)}. The call waits for another person.`)
      return true
    }
    const { decision, status, approved_by, rejected_by } = answer
    if (decision) markSent(id, decision)
    if (!isLink.peek()) setTokenName((approved_by ?? rejected_by)?.token?.name)
    // Other pages receive the outcome as an event.
    else if (status !== undefined) settleApproval(id, { decision: toDecision(status), at: new Date().toISOString() })
    return true
  } catch (error) {
    await handleRefusal(call, error)
    return false
  } finally {
    sendingCalls.value = new Set([...sendingCalls.peek()].filter(each => each !== id))
  }
}

/** Returns true for a call that needs the approval of further persons. */
const isWaiting = (answer: DecisionAnswer | WaitingCall): answer is WaitingCall => answer.status === 'awaiting_approval'

const CHANGED_REASON =
  'The preview of the call has changed since this link was sent. The next notification has another link.'

async function handleRefusal(call: WaitingCall, error: unknown) {
  const details = error instanceof ToolgateError ? error.problem?.details : undefined
  const code = error instanceof ToolgateError ? error.code : undefined
  if (isLink.peek() && (code === 'PREVIEW_CHANGED' || code === 'CONFLICT' || code === 'FORBIDDEN')) {
    // The link permits no other preview, and no second decision.
    const reason = code === 'PREVIEW_CHANGED' ? CHANGED_REASON : toErrorMessage(error)
    settleApproval(call.tool_call_id, { decision: 'void', at: new Date().toISOString(), reason })
  } else if (code === 'PREVIEW_CHANGED' && details?.approval) {
    // If edited params were accepted, the call's params differ too.
    const now = await client()
      .get(call.tool_call_id)
      .catch(() => undefined)
    upsertPending(now?.status === 'awaiting_approval' ? now : { ...call, approval: details.approval as Approval })
    announce('The preview has changed. Nothing was approved.')
  } else if (code === 'CONFLICT' && typeof details?.decision === 'string')
    settleApproval(call.tool_call_id, { decision: toDecision(details.decision), at: new Date().toISOString() })
  else {
    const text = toErrorMessage(error)
    setDecisionError(call.tool_call_id, text)
    announce(text)
  }
}
