// A confirmation before an irreversible action: describes it, and runs it once.
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { toErrorMessage } from '../session/session.ts'
import { Dialog, SubmitButton } from './dialog.tsx'
import { ErrorNotice } from './error-notice.tsx'
import { announce } from './live-region.tsx'

interface ConfirmActionProps {
  title: string
  /** Labels of the two buttons. */
  cancelLabel: string
  confirmLabel: string
  /** Announced on completion. */
  doneMessage: string
  onConfirm: () => Promise<unknown>
  onClose: () => void
  children: ComponentChildren
}

export function ConfirmAction({
  title,
  cancelLabel,
  confirmLabel,
  doneMessage,
  onConfirm,
  onClose,
  children
}: ConfirmActionProps) {
  const fault = useSignal<string | undefined>(undefined)
  const submit = async () => {
    try {
      await onConfirm()
      announce(doneMessage)
      onClose()
    } catch (error) {
      fault.value = toErrorMessage(error)
    }
  }
  return (
    <Dialog title={title} onClose={onClose} onSubmit={() => void submit()}>
      <div class="inside">
        {children}
        <ErrorNotice text={fault.value} />
        <div class="row end">
          <button type="button" class="button" onClick={onClose}>
            {cancelLabel}
          </button>
          <SubmitButton kind="danger" onClick={() => void submit()}>
            {confirmLabel}
          </SubmitButton>
        </div>
      </div>
    </Dialog>
  )
}
