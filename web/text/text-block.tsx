// Verbatim text that can be copied; and values as JSON.
import type { ComponentChildren } from 'preact'
import { CopyButton } from './copy-button.tsx'
import { markInvisible } from './invisible.tsx'

interface TextBlockProps {
  text: string
  label: string
  isFullHeight?: boolean
  /** The rendered text, if it has more than marks of invisible characters. */
  children?: ComponentChildren
}

/** Long text, in a box that scrolls unless it has its full height. */
export const TextBlock = ({ text, label, isFullHeight = false, children }: TextBlockProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: without a mouse, a box scrolls by its focus
  <section class={isFullHeight ? 'code' : 'code long'} tabIndex={0} aria-label={label}>
    <pre>{children ?? markInvisible(text)}</pre>
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
