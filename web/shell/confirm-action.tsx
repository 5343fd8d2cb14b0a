// A question before something that cannot be taken back: says what, and does it once.
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { toErrorMessage } from '../session/session.ts'
import { Dialog } from './dialog.tsx'
import { ErrorNotice } from './error-notice.tsx'
import { announce } from './live-region.tsx'

interface ConfirmActionProps {
  title: string
  /** What the two buttons say. */
  cancelLabel: string
  confirmLabel: string
  /** What is said once it is done. */
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
          <button type="button" class="button danger" onClick={() => void submit()}>
            {confirmLabel}
          </button>
        </div>
      </div>
    </Dialog>
  )
}
