// Copies a text, whole.
import { useSignal } from '@preact/signals'
import { say } from '../shell/live-region.tsx'

/** How long the button says that it is done. */
const DONE_MS = 1_500

interface CopyProps {
  text: string
  /** What is copied, for whoever hears the page. */
  what: string
  children?: string
}

export function Copy({ text, what, children = 'Copy' }: CopyProps) {
  const done = useSignal(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    done.value = true
    say(`${what} copied`)
    setTimeout(() => {
      done.value = false
    }, DONE_MS)
  }
  return (
    <button
      type="button"
      class="button quiet small copy"
      aria-label={`${children}: ${what}`}
      onClick={() => void copy()}
    >
      {done.value ? 'Copied' : children}
    </button>
  )
}
