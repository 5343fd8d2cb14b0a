// The outcome of the call that was decided before this one, on the card of the next.
import { useCall } from '../activity/use-call.ts'
import { markInvisible } from '../text/invisible.tsx'
import { OutcomeFacts } from './call-outcome.tsx'
import type { LastDecision } from './queue.ts'

export function LastDecisionLine({ of: { call: decided, verdict } }: { of: LastDecision }) {
  const { call } = useCall(decided.tool_call_id)
  return (
    <p class="row last-decision" role="status" aria-label="Last decision">
      <span class="decided-verdict">{verdict}:</span>
      <span class="decided-title">{markInvisible(decided.approval.preview.title)}</span>
      {call && <OutcomeFacts call={call} />}
      {call?.status === 'error' && <span class="decided-title">{markInvisible(call.error.message)}</span>}
    </p>
  )
}
