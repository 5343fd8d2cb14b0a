// Lines of a text, with the start and end of each.

export interface LineTable {
  /** Without line endings and trailing white space. */
  trimmed: string[]
  /** Start of line i; one more entry, the text's length, ends the last line. */
  starts: number[]
  text: string
}

/** Text after the last line ending is a line too, unless it is empty. */
export function indexLines(text: string): LineTable {
  const starts = [0]
  const trimmed: string[] = []
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    trimmed.push(text.slice(starts.at(-1)!, at).trimEnd())
    starts.push(at + 1)
  }
  if (starts.at(-1)! < text.length) {
    trimmed.push(text.slice(starts.at(-1)!).trimEnd())
    starts.push(text.length)
  }
  return { trimmed, starts, text }
}

/** Returns line i with its indentation, without its ending. */
export function lineAt({ text, starts }: LineTable, i: number): string {
  return text.slice(starts[i]!, endOfLine(text, starts[i + 1]!))
}

/** Returns the end of a line's content, given the start of the next line. */
export function endOfLine(text: string, next: number): number {
  if (text[next - 1] !== '\n') return next
  return text[next - 2] === '\r' ? next - 2 : next - 1
}

/** Removes the CR of a line that was split at its LF. */
export const withoutCr = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line)

/** Returns the number, from 1, of the line at a position. */
export function lineNumberAt(text: string, position: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < position; at = text.indexOf('\n', at + 1)) line++
  return line
}
