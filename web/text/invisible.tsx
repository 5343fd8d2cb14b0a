// Characters that no eye sees, or that reorder what it does see: text of an agent may use them to read as something else.
// They are shown by their number, each where it stands.
import type { ComponentChildren } from 'preact'

// Those that the command line escapes (src/cli/ui/terminal.ts), and blanks of other kinds; an emoji may say how it is drawn.
const INVISIBLE_CHAR = /((?![\n\t]|(?<=\p{Extended_Pictographic})\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}])/u

/** The text with each of them marked. */
export function markInvisible(text: string): ComponentChildren {
  if (!INVISIBLE_CHAR.test(text)) return text
  return text.split(INVISIBLE_CHAR).map((piece, index) =>
    index % 2 === 0 ? (
      piece
    ) : (
      <mark key={index} class="hidden-char">
        {piece === '\r' ? '\\r' : formatCodePoint(piece)}
      </mark>
    )
  )
}

/** Whether any text in a value has some. Ends of lines as Windows writes them are none. */
export function hasInvisible(value: unknown): boolean {
  if (typeof value === 'string') return INVISIBLE_CHAR.test(value.replaceAll('\r\n', '\n'))
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.entries(value).some(([name, each]) => hasInvisible(name) || hasInvisible(each))
  )
}

const formatCodePoint = (char: string) => `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`
