// Marks invisible and bidirectional control characters: an agent's text may use them to mislead the reader. They are shown by
// their code point, in place.
import type { ComponentChildren } from 'preact'

// The characters that the command line escapes (src/cli/ui/terminal.ts), and unusual blanks; a variation selector after an emoji
// is allowed.
const INVISIBLE_CHAR = /((?![\n\t]|(?<=\p{Extended_Pictographic})\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}])/u

/** Returns the text with each such character marked. */
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

/** Returns whether any text in a value contains such characters. CR LF line endings do not count. */
export function hasInvisible(value: unknown): boolean {
  if (typeof value === 'string') return INVISIBLE_CHAR.test(value.replaceAll('\r\n', '\n'))
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.entries(value).some(([name, each]) => hasInvisible(name) || hasInvisible(each))
  )
}

const formatCodePoint = (char: string) => `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`
