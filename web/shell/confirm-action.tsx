// A question before something that cannot be taken back: says what, and does it once.
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { whatFailed } from '../session/session.ts'
import { Dialog } from './dialog.tsx'
import { Fault } from './error-notice.tsx'
import { say } from './live-region.tsx'

interface QuestionProps {
  title: string
  /** What the two buttons say. */
  no: string
  yes: string
  /** What is said once it is done. */
  done: string
  act: () => Promise<unknown>
  onClose: () => void
  children: ComponentChildren
}

export function Question({ title, no, yes, done, act, onClose, children }: QuestionProps) {
  const fault = useSignal<string | undefined>(undefined)
  const submit = async () => {
    try {
      await act()
      say(done)
      onClose()
    } catch (error) {
      fault.value = whatFailed(error)
    }
  }
  return (
    <Dialog title={title} onClose={onClose} onSubmit={() => void submit()}>
      <div class="inside">
        {children}
        <Fault text={fault.value} />
        <div class="row end">
          <button type="button" class="button" onClick={onClose}>
            {no}
          </button>
          <button type="button" class="button danger" onClick={() => void submit()}>
            {yes}
          </button>
        </div>
      </div>
    </Dialog>
  )
}
