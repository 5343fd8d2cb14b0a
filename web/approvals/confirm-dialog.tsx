// What is strict is asked about twice: the second time in a dialog that says again what would happen.
import { Dialog } from '../shell/dialog.tsx'
import { markInvisible } from '../text/invisible.tsx'
import { useGuard } from './decision-guard.ts'

interface ConfirmDialogProps {
  /** What would happen, and why it is strict. */
  title: string
  reason: string
  /** Digest of what was shown: with another the buttons rest again. */
  guardKey: string
  onYes: () => void
  onClose: () => void
}

export function ConfirmDialog({ title, reason, guardKey, onYes, onClose }: ConfirmDialogProps) {
  const guard = useGuard(guardKey)
  const submit = () => {
    if (!guard.acceptsClick()) return
    onClose()
    onYes()
  }
  return (
    <Dialog title="This is strict. Let it happen?" onClose={onClose} onSubmit={submit}>
      <div class="inside">
        <p>
          <strong>{markInvisible(title)}</strong>
        </p>
        <p class="muted">{markInvisible(reason)}</p>
        <div class="row end">
          <button class="button" type="button" onClick={onClose}>
            Back
          </button>
          <button class="button danger" type="button" aria-disabled={!guard.isReady} onClick={submit}>
            Yes, approve
          </button>
        </div>
      </div>
    </Dialog>
  )
}
