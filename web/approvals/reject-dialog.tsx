// The rejection dialog; its reason is sent to the requester.
import { useState } from 'preact/hooks'
import { Dialog } from '../shell/dialog.tsx'
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

export function RejectDialog({ call, message = '', onClose }: RejectDialogProps) {
  const [reason, setReason] = useState('')
  const [instead, setInstead] = useState(message)
  const comments = commentsOn(call.tool_call_id)
  const submit = () => {
    onClose()
    void rejectAndGoOn(call, { ...(reason && { reason }), ...(instead && { user_message: instead }) })
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
          Reason
          <textarea class="input" value={reason} onInput={({ currentTarget }) => setReason(currentTarget.value)} />
        </label>
        <label class="field">
          Message to the agent
          <textarea class="input" value={instead} onInput={({ currentTarget }) => setInstead(currentTarget.value)} />
          <span class="hint">Both texts are sent to the agent. You can leave them empty.</span>
        </label>
        <div class="row end">
          <button class="button" type="button" onClick={onClose}>
            Back
          </button>
          <button class="button danger" type="button" onClick={submit}>
            {comments.length === 0 ? 'Reject with this reason' : 'Reject with the comments'}
          </button>
        </div>
      </div>
    </Dialog>
  )
}
