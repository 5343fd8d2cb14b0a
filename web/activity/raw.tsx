// Text as it is, to be read and copied; and values as JSON.
import { useSignal } from '@preact/signals'
import { say } from '../shell/say.tsx'

/** Long text, in a box that scrolls. */
export const Block = ({ text, label }: { text: string; label: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it by its focus
  <section class="code long" tabIndex={0} aria-label={label}>
    <pre>{text}</pre>
  </section>
)

export function Raw({ value, label }: { value: unknown; label: string }) {
  const text = JSON.stringify(value, null, 2)
  return (
    <div class="raw">
      <Copy text={text} what={label} />
      <Block text={text} label={label} />
    </div>
  )
}

interface CopyProps {
  text: string
  what: string
  children?: string
}

export function Copy({ text, what, children = 'Copy' }: CopyProps) {
  const done = useSignal(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    done.value = true
    say(`${what} copied`)
  }
  return (
    <button type="button" class="button quiet copy" aria-label={`${children}: ${what}`} onClick={() => void copy()}>
      {done.value ? 'Copied' : children}
    </button>
  )
}
