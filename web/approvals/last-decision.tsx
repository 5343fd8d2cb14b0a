// The outcome of the call that was decided before this one, on the card of the next.
import { useState } from 'preact/hooks'
import { Status } from '../activity/status.tsx'
import { UndoDialog } from '../activity/undo-dialog.tsx'
import { useCall } from '../activity/use-call.ts'
import { hrefOf } from '../shell/routes.ts'
import { markInvisible } from '../text/invisible.tsx'
import { findExitCode } from './call-outcome.tsx'
import type { LastDecision } from './queue.ts'

export function DecidedBefore({ of: { call: decided, verdict } }: { of: LastDecision }) {
  const id = decided.tool_call_id
  const { call } = useCall(id)
  const [isUndoing, setUndoing] = useState(false)
  const exitCode = call && findExitCode(call)
  return (
    <p class="row decided-before" role="status" aria-label="Last decision">
      {verdict}:<span class="decided-title">{markInvisible(decided.approval.preview.title)}</span>
      {call && call.status !== 'rejected' && <Status status={call.status} />}
      {exitCode !== undefined && <span class={exitCode === 0 ? 'badge' : 'badge bad'}>exit code {exitCode}</span>}
      {call?.status === 'error' && <span class="decided-title">{markInvisible(call.error.message)}</span>}
      <a href={hrefOf('activity', id)}>View call</a>
      {call && 'undo' in call && call.undo?.available && (
        <button type="button" class="button small" onClick={() => setUndoing(true)}>
          Undo…
        </button>
      )}
      {isUndoing && <UndoDialog id={id} onClose={() => setUndoing(false)} />}
    </p>
  )
}
