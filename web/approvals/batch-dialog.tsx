// The dialog that decides the selected calls.
import { describeUnviewed, hasViewedParts } from '../diff/review.ts'
import { Dialog, SubmitButton } from '../shell/dialog.tsx'
import type { WaitingCall } from '../store/approvals.ts'
import { markInvisible } from '../text/invisible.tsx'
import { approve, getReview, reject } from './decide.ts'
import { useGuard } from './decision-guard.ts'
import { clearSelection } from './list-view.ts'

/** A batch, with its calls as they were when its dialog was opened: later previews have other digests. */
export interface Batch {
  decision: 'approve' | 'reject'
  calls: readonly WaitingCall[]
}

/** Returns the reason for which a call is not approved in a batch. */
function findObstacle(call: WaitingCall): string | undefined {
  if (call.approval.level === 'strict') return 'strict: open the call to decide'
  const review = getReview(call)
  return hasViewedParts(review.id) ? describeUnviewed(review) : 'not opened yet'
}

export function BatchDialog({ decision, calls, onClose }: Batch & { onClose: () => void }) {
  const approves = decision === 'approve'
  const guard = useGuard(decision)
  const decided = approves ? calls.filter(call => findObstacle(call) === undefined) : calls
  const submit = () => {
    if (decided.length === 0 || !guard.acceptsClick()) return
    onClose()
    clearSelection()
    void decideAll(decided, approves)
  }
  return (
    <Dialog
      title={`${approves ? 'Approve' : 'Reject'} ${countCalls(decided.length)}`}
      onClose={onClose}
      onSubmit={submit}
    >
      <div class="inside">
        {approves && <p class="muted">Only calls that you have opened and viewed completely are approved.</p>}
        <ul class="batch">
          {calls.map(call => {
            const obstacle = approves ? findObstacle(call) : undefined
            return (
              <li key={call.tool_call_id}>
                <code>{markInvisible(call.tool)}</code> {markInvisible(call.approval.preview.title)}{' '}
                {obstacle !== undefined && <span class="badge warn">{obstacle}</span>}
              </li>
            )
          })}
        </ul>
        <div class="row end">
          <button class="button" type="button" onClick={onClose}>
            Back
          </button>
          <SubmitButton
            kind={approves ? 'primary' : 'danger'}
            aria-disabled={decided.length === 0 || !guard.isReady}
            onClick={submit}
          >
            {approves ? 'Approve' : 'Reject'} {countCalls(decided.length)}
          </SubmitButton>
        </div>
      </div>
    </Dialog>
  )
}

const countCalls = (count: number) => (count === 1 ? '1 call' : `${count} calls`)

/** Decides one call after another, each by its digest. An error appears on the card of its call and stops no other. */
async function decideAll(calls: readonly WaitingCall[], approves: boolean) {
  for (const call of calls) await (approves ? approve(call) : reject(call))
}
