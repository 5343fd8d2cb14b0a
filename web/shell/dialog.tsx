// A modal dialog: the native element, which traps the focus and closes on Esc.
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

interface DialogProps {
  title: ComponentChildren
  onClose: () => void
  /** Ctrl+Enter, or ⌘+Enter. */
  onSubmit?: () => void
  children: ComponentChildren
}

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
