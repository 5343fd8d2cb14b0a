// A modal dialog: the native element, which traps the focus and closes on Esc.
import type { ComponentChildren, ComponentProps } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

interface DialogProps {
  title: ComponentChildren
  onClose: () => void
  /** Ctrl+Enter, or ⌘+Enter. */
  onSubmit?: () => void
  children: ComponentChildren
}

interface SubmitButtonProps extends ComponentProps<'button'> {
  kind?: 'primary' | 'danger'
}

/** The button that Ctrl+Enter presses. It shows that key, also if single keys are off. */
export const SubmitButton = ({ kind, type = 'button', children, ...rest }: SubmitButtonProps) => (
  <button {...rest} class={kind ? `button ${kind}` : 'button'} type={type} aria-keyshortcuts="Control+Enter">
    {children}
    <span class="key" aria-hidden="true">
      {SUBMIT_KEY}
    </span>
  </button>
)

const SUBMIT_KEY = /Mac|iP(?:hone|ad)/.test(navigator.userAgent) ? '⌘ Enter' : 'Ctrl+Enter'

export function Dialog({ title, onClose, onSubmit, children }: DialogProps) {
  const self = useRef<HTMLDialogElement>(null)
  const heading = useId()
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null
    self.current?.showModal()
    return () => before?.focus()
  }, [])
  return (
    <dialog
      ref={self}
      class="dialog"
      aria-labelledby={heading}
      onClose={onClose}
      onKeyDown={event => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || !onSubmit) return
        event.preventDefault()
        onSubmit()
      }}
    >
      <h2 id={heading} class="dialog-title">
        {title}
      </h2>
      {children}
    </dialog>
  )
}
