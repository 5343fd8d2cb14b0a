// Text as it is, to be read and copied; and values as JSON.
import { Copy } from './copy-button.tsx'
import { marked } from './invisible.tsx'

/** Long text, in a box that scrolls. */
export const Block = ({ text, label }: { text: string; label: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it by its focus
  <section class="code long" tabIndex={0} aria-label={label}>
    <pre>{marked(text)}</pre>
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
