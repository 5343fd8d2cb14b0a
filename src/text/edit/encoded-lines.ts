// Lines encoded as numbers: one for each character of the search text, and 0 for all others.

export interface EncodedLines {
  /** All lines, each followed by a newline. */
  text: Uint16Array
  /** Start of line i; one more entry ends the last line. */
  starts: Int32Array
  /** The search text, without a trailing newline. */
  pattern: Uint16Array
  /** Number of different symbols. */
  count: number
}

export const NEWLINE = 1

export function encodeLines(lines: readonly string[], wanted: readonly string[]): EncodedLines {
  const known = new Uint16Array(1 << 16)
  let count = NEWLINE
  known['\n'.charCodeAt(0)] = count++
  for (const line of wanted)
    for (let i = 0; i < line.length; i++) if (known[line.charCodeAt(i)] === 0) known[line.charCodeAt(i)] = count++
  const { text, starts } = encodeText(lines, known)
  return { text, starts, pattern: encodeText(wanted, known).text.slice(0, -1), count }
}

/** Returns the length of the window that begins and ends with these lines. */
export const windowLength = ({ starts }: EncodedLines, first: number, last: number): number =>
  starts[last + 1]! - starts[first]! - 1

function encodeText(lines: readonly string[], known: Uint16Array) {
  const text = new Uint16Array(lines.reduce((sum, line) => sum + line.length + 1, 0))
  const starts = new Int32Array(lines.length + 1)
  let at = 0
  for (const [i, line] of lines.entries()) {
    starts[i] = at
    for (let char = 0; char < line.length; char++) text[at++] = known[line.charCodeAt(char)]!
    text[at++] = NEWLINE
  }
  starts[lines.length] = at
  return { text, starts }
}
