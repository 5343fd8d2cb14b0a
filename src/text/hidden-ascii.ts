// ASCII characters in the bytes of a text that the text does not have. Programs that expect ASCII or UTF-8 in a file, such as shells,
// read them: in GB18030, Big5 and Shift JIS the second byte of a character may be `|` or `\`, and in UTF-16 both may be letters.
import { addedLines } from './diff/unified-diff.ts'
import { type Encoding, encode } from './encoding.ts'

/** A text that is to be written in an encoding, or was read in it. */
interface EncodedText {
  text: string
  encoding: Encoding
}

const MAX_LISTED = 5

/**
 * Returns the hidden characters in what a change brings, at most five of them, quoted; undefined if there are none. That is
 * the lines which its diff shows as added, or the whole text if its encoding changes.
 */
export function findHiddenAscii(before: EncodedText | undefined, after: EncodedText): string | undefined {
  if (after.encoding.startsWith('utf-8')) return undefined
  const text = before?.encoding === after.encoding ? addedLines(before.text, after.text).join('\n') : after.text
  const bytes = encode(text, after.encoding)
  if (!bytes) return undefined
  const shown = readAscii([...text].map(char => char.codePointAt(0)!))
  const written = readAscii(bytes)
  if (written === shown) return undefined
  const left = countCharacters(shown)
  const hidden = [...written].filter(char => {
    const count = left.get(char) ?? 0
    left.set(char, count - 1)
    return count <= 0
  })
  const listed = [...new Set(hidden.length > 0 ? hidden : written)].slice(0, MAX_LISTED)
  return listed.map(char => JSON.stringify(char)).join(', ')
}

/** Returns the reason for which a change needs strict approval: programs may read other characters in it than its diff shows. */
export function hiddenAsciiReason(before: EncodedText | undefined, after: EncodedText | undefined): string | undefined {
  const hidden = after && findHiddenAscii(before, after)
  return hidden && after && describeHiddenAscii(after.encoding, hidden)
}

/** Returns a sentence on characters as `findHiddenAscii` returns them. */
export const describeHiddenAscii = (encoding: Encoding, hidden: string): string =>
  `In ${encoding} the new text has bytes that programs may read as ${hidden}; the diff does not show them.`

/** Returns the ASCII characters among codes without NUL, which shells ignore and UTF-16 puts beside each letter. */
function readAscii(codes: Iterable<number>): string {
  let ascii = ''
  for (const code of codes) if (code > 0 && code < 0x80) ascii += String.fromCharCode(code)
  return ascii
}

function countCharacters(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1)
  return counts
}
