// A strict call is asked about twice: the second time in a dialog that says again what would happen.
import { Dialog } from '../shell/dialog.tsx'
import type { Waiting } from '../store/approvals.ts'
import { approve } from './decide.ts'
import { useGuard } from './guard.ts'

export function ConfirmDialog({ call, onClose }: { call: Waiting; onClose: () => void }) {
  const { preview, reason, digest } = call.approval
  const guard = useGuard(digest)
  const submit = () => {
    if (!guard.clicks()) return
    onClose()
    void approve(call)
  }
  return (
    <Dialog title="This is strict. Let it happen?" onClose={onClose} onSubmit={submit}>
      <div class="inside">
        <p>
          <strong>{preview.title}</strong>
        </p>
        <p class="muted">{reason}</p>
        <div class="row end">
          <button class="button" type="button" onClick={onClose}>
            Back
          </button>
          <button class="button danger" type="button" aria-disabled={!guard.rested} onClick={submit}>
            Yes, approve
          </button>
        </div>
      </div>
    </Dialog>
  )
}
