// The dialog that rejects the calls of a group; its message is sent to the agent.
import { useState } from 'preact/hooks'
import { Dialog, SubmitButton } from '../shell/dialog.tsx'

interface GroupRejectDialogProps {
  /** The calls in words. */
  what: string
  onReject: (message: string) => void
  onClose: () => void
}

export function GroupRejectDialog({ what, onReject, onClose }: GroupRejectDialogProps) {
  const [message, setMessage] = useState('')
  const submit = () => {
    onClose()
    onReject(message)
  }
  return (
    <Dialog title={`Reject ${what}`} onClose={onClose} onSubmit={submit}>
      <div class="inside">
        <label class="field">
          Message to the agent
          <textarea
            class="input"
            autofocus
            value={message}
            onInput={({ currentTarget }) => setMessage(currentTarget.value)}
          />
          <span class="hint">The answer to each call contains it. You can leave it empty.</span>
        </label>
        <div class="row end">
          <button class="button" type="button" onClick={onClose}>
            Back
          </button>
          <SubmitButton kind="danger" onClick={submit}>
            Reject {what}
          </SubmitButton>
        </div>
      </div>
    </Dialog>
  )
}
