// The rejection dialog; its message is sent to the agent.
import { useState } from 'preact/hooks'
import { Dialog, SubmitButton } from '../shell/dialog.tsx'
import type { WaitingCall } from '../store/approvals.ts'
import { markInvisible } from '../text/invisible.tsx'
import { rejectAndGoOn } from './queue.ts'
import { commentsOn } from './review-comments.ts'

interface RejectDialogProps {
  call: WaitingCall
  /** The message to the agent, which can be changed. */
  message?: string | undefined
  onClose: () => void
}

export function RejectDialog({ call, message: prepared = '', onClose }: RejectDialogProps) {
  const [message, setMessage] = useState(prepared)
  const comments = commentsOn(call.tool_call_id)
  const submit = () => {
    onClose()
    void rejectAndGoOn(call, message ? { user_message: message } : {})
  }
  return (
    <Dialog title={<>Reject: {markInvisible(call.approval.preview.title)}</>} onClose={onClose} onSubmit={submit}>
      <div class="inside">
        {comments.length > 0 && (
          <ul class="rejection-comments">
            {comments.map((comment, index) => (
              <li key={index}>
                <code>
                  {markInvisible(comment.path)}:{comment.line}
                </code>{' '}
                {markInvisible(comment.text)}
              </li>
            ))}
          </ul>
        )}
        <label class="field">
          Message to the agent
          <textarea
            class="input"
            autofocus
            value={message}
            onInput={({ currentTarget }) => setMessage(currentTarget.value)}
          />
          <span class="hint">You can leave it empty.</span>
        </label>
        <div class="row end">
          <button class="button" type="button" onClick={onClose}>
            Back
          </button>
          <SubmitButton kind="danger" onClick={submit}>
            {comments.length > 0
              ? 'Reject with the comments'
              : message
                ? 'Reject with this message'
                : 'Reject without a message'}
          </SubmitButton>
        </div>
      </div>
    </Dialog>
  )
}
