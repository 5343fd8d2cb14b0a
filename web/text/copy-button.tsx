// A button that copies a text.
import { useSignal } from '@preact/signals'
import { announce } from '../shell/live-region.tsx'

/** Duration of the button's confirmation. */
const COPIED_MS = 1_500

interface CopyButtonProps {
  text: string
  /** Describes the text, for screen readers. */
  label: string
  children?: string
}

export function CopyButton({ text, label, children = 'Copy' }: CopyButtonProps) {
  const done = useSignal(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    done.value = true
    announce(`${label} copied`)
    setTimeout(() => {
      done.value = false
    }, COPIED_MS)
  }
  return (
    <button
      type="button"
      class="button quiet small copy"
      aria-label={`${children}: ${label}`}
      onClick={() => void copy()}
    >
      {done.value ? 'Copied' : children}
    </button>
  )
}
