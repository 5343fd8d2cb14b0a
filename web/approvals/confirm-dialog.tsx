// What is strict is asked about twice: the second time in a dialog that says again what would happen.
import { Dialog } from '../shell/dialog.tsx'
import { marked } from '../text/invisible.tsx'
import { useGuard } from './decision-guard.ts'

interface ConfirmDialogProps {
  /** What would happen, and why it is strict. */
  title: string
  reason: string
  /** Digest of what was shown: with another the buttons rest again. */
  what: string
  onYes: () => void
  onClose: () => void
}

export function ConfirmDialog({ title, reason, what, onYes, onClose }: ConfirmDialogProps) {
  const guard = useGuard(what)
  const submit = () => {
    if (!guard.clicks()) return
    onClose()
    onYes()
  }
  return (
    <Dialog title="This is strict. Let it happen?" onClose={onClose} onSubmit={submit}>
      <div class="inside">
        <p>
          <strong>{marked(title)}</strong>
        </p>
        <p class="muted">{marked(reason)}</p>
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
