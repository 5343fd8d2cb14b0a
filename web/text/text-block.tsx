// Verbatim text that can be copied; and values as JSON.
import { CopyButton } from './copy-button.tsx'
import { markInvisible } from './invisible.tsx'

/** Long text, in a box that scrolls. */
export const TextBlock = ({ text, label }: { text: string; label: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it by its focus
  <section class="code long" tabIndex={0} aria-label={label}>
    <pre>{markInvisible(text)}</pre>
  </section>
)

export function JsonView({ value, label }: { value: unknown; label: string }) {
  const text = JSON.stringify(value, null, 2)
  return (
    <div class="raw">
      <CopyButton text={text} label={label} />
      <TextBlock text={text} label={label} />
    </div>
  )
}
