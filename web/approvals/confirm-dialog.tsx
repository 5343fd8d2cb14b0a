// The second confirmation of strict calls: a dialog that repeats the preview.
import { Dialog, SubmitButton } from '../shell/dialog.tsx'
import { markInvisible } from '../text/invisible.tsx'
import { useGuard } from './decision-guard.ts'

interface ConfirmDialogProps {
  /** The effect of the call, and the reason it is strict. */
  title: string
  reason: string
  /** Digest of the preview: a new one disables the buttons for a moment again. */
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
    <Dialog title="Strict call. Approve it?" onClose={onClose} onSubmit={submit}>
      <div class="inside">
        <p>
          <strong>{markInvisible(title)}</strong>
        </p>
        <p class="muted">{markInvisible(reason)}</p>
        <div class="row end">
          <button class="button" type="button" onClick={onClose}>
            Back
          </button>
          <SubmitButton kind="danger" aria-disabled={!guard.isReady} onClick={submit}>
            Yes, approve
          </SubmitButton>
        </div>
      </div>
    </Dialog>
  )
}
