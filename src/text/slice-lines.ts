// Slices of lines from a text in memory.

interface Slice {
  content: string
  lines: number
  /** The requested range exceeds the budget. */
  cut: boolean
}

/** Size of one answer in characters; every line costs `toll` in addition to its length. */
interface Budget {
  size: number
  toll: number
}

/** Returns so many lines from an offset on, whole ones within the budget; a longer single one is truncated. */
export function sliceLines(text: string, start: number, limit: number, { size, toll }: Budget): Slice {
  let [end, lines] = [start, 0]
  while (lines < limit && end < text.length) {
    const next = endOfLine(text, end)
    if (next - start + (lines + 1) * toll > size) {
      if (lines > 0) return { content: text.slice(start, end), lines, cut: true }
      return { content: dropLoneSurrogate(text.slice(start, start + size - toll)), lines: 1, cut: true }
    }
    end = next
    lines++
  }
  return { content: text.slice(start, end), lines, cut: false }
}

/** Counts lines. Text after the last line ending is a line too, unless it is empty. */
export function countLines(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at = endOfLine(text, at)) count++
  return count
}

/** Returns the start of a line, counted from 1; the text's end if it has fewer. */
export function startOfLine(text: string, line: number): number {
  let at = 0
  for (let i = 1; i < line && at < text.length; i++) at = endOfLine(text, at)
  return at
}

function endOfLine(text: string, from: number) {
  const newline = text.indexOf('\n', from)
  return newline < 0 ? text.length : newline + 1
}

const dropLoneSurrogate = (text: string) => (/[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text)
