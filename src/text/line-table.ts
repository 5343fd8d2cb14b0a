// A text's lines, with where each begins and ends.

export interface LineTable {
  /** Without line endings and without white space at the end. */
  trimmed: string[]
  /** Where line i begins; one more entry, the text's length, closes the last line. */
  starts: number[]
  text: string
}

/** What follows the last line ending is a line too, unless it is empty. */
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

/** Line i with its indentation, without its ending. */
export function lineAt({ text, starts }: LineTable, i: number): string {
  return text.slice(starts[i]!, endOfLine(text, starts[i + 1]!))
}

/** Where a line's content ends, given where the next line begins. */
export function endOfLine(text: string, next: number): number {
  if (text[next - 1] !== '\n') return next
  return text[next - 2] === '\r' ? next - 2 : next - 1
}

/** A line that was ended at its LF, without what else may have ended it. */
export const withoutCr = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line)

/** The number, from 1, of the line that holds a position. */
export function lineNumberAt(text: string, position: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < position; at = text.indexOf('\n', at + 1)) line++
  return line
}
