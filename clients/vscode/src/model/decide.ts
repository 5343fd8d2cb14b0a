// Sends decisions about waiting calls, each bound to the preview that was shown.
import {
  type ApproveRequest,
  type Call,
  type Client,
  type RejectRequest,
  ToolgateError
} from '../../../../src/client/client.ts'
import { formatApprovalCount } from '../../../../src/protocol/format-approval-count.ts'
import { describeEnd } from './describe-end.ts'
import type { WaitingCalls, WaitingEntry } from './waiting-calls.ts'

export type DecidingClient = Pick<Client, 'approve' | 'reject' | 'get' | 'state' | 'preview'>

/** The result of a decision, for the person. */
export interface DecisionReport {
  readonly level: 'information' | 'warning' | 'error'
  readonly text: string
}

/** Approves the call as it is shown: with the params that the person has edited, if any. */
export function approve(
  client: DecidingClient,
  calls: WaitingCalls,
  entry: WaitingEntry,
  decision: Pick<ApproveRequest, 'confirm' | 'always' | 'always_limits'> = {}
): Promise<DecisionReport | undefined> {
  const { call, whole, edited } = entry
  return decide(client, calls, entry, () =>
    client.approve(call.tool_call_id, {
      digest: call.approval.digest,
      ...(whole?.whole_digest !== undefined && { whole_digest: whole.whole_digest }),
      ...(edited && { modified_params: edited.params }),
      ...(edited?.digest !== undefined && { modified_digest: edited.digest }),
      ...decision
    })
  )
}

/** Rejects the call. The reason and the comments are sent to the caller. */
export function reject(
  client: DecidingClient,
  calls: WaitingCalls,
  entry: WaitingEntry,
  { reason, comments = [] }: Pick<RejectRequest, 'reason' | 'comments'> = {}
): Promise<DecisionReport | undefined> {
  const decision: RejectRequest = {
    ...(reason !== undefined && { reason, user_message: reason }),
    ...(comments.length > 0 && { comments })
  }
  return decide(client, calls, entry, () => client.reject(entry.call.tool_call_id, decision))
}

/** Sends one decision at a time for a call. Returns undefined if another one is on its way. */
async function decide(
  client: DecidingClient,
  calls: WaitingCalls,
  entry: WaitingEntry,
  send: () => Promise<Call>
): Promise<DecisionReport | undefined> {
  if (entry.isDeciding) return undefined
  entry.isDeciding = true
  try {
    const decided = await send()
    if (decided.status === 'awaiting_approval') {
      await calls.read(decided.tool_call_id, client)
      const count = formatApprovalCount(decided.approval)
      return { level: 'information', text: `${entry.call.tool}: ${count}. The call waits for another person.` }
    }
    const outcome = describeDecided(decided)
    calls.settle(entry.call.tool_call_id, outcome)
    return { level: isFailure(decided) ? 'warning' : 'information', text: `${entry.call.tool}: ${outcome}` }
  } catch (error) {
    return await reportRefusal(client, calls, entry, error)
  } finally {
    entry.isDeciding = false
  }
}

/** Describes a call after the decision: an approved one may still be running. */
const describeDecided = (call: Call): string =>
  call.status === 'queued' || call.status === 'running' || call.status === 'success' ? 'Approved' : describeEnd(call)

const isFailure = ({ status }: Call) => status === 'error' || status === 'expired' || status === 'interrupted'

async function reportRefusal(
  client: DecidingClient,
  calls: WaitingCalls,
  { call }: WaitingEntry,
  error: unknown
): Promise<DecisionReport> {
  const { tool_call_id: id, tool } = call
  if (!(error instanceof ToolgateError)) return { level: 'error', text: `${tool}: ${(error as Error).message}` }
  if (error.code === 'PREVIEW_CHANGED') {
    await calls.read(id, client)
    return { level: 'warning', text: `${tool} was not approved: the preview has changed. Review it again.` }
  }
  if (error.code === 'CONFLICT') {
    const now = await client.get(id)
    if (now.status !== 'awaiting_approval') {
      calls.settle(id, describeEnd(now))
      return { level: 'warning', text: `${tool} was already decided. ${describeEnd(now)}` }
    }
  }
  return error.status === 0
    ? { level: 'error', text: `${tool}: the decision may not have been applied. ${error.message}` }
    : { level: 'error', text: `${tool}: ${error.message}` }
}
