// Finds quotes that leave out lines of the file: the first and the last quoted line stand there, and all between them in order.
import { heightsFor, type LineWindow } from './line-window.ts'

/** Maximum number of lines to compare: in a file that repeats the first quoted line so often, similarity decides. */
const MAX_COMPARISONS = 2_000_000

/**
 * Returns the windows that hold all quoted lines in order, and begin and end with the first and the last of them. They have more
 * lines than the quote, at most as many as a similar window may have. Lines are compared without the white space around them.
 */
export function findWithForgottenLines(lines: readonly string[], wanted: readonly string[]): LineWindow[] {
  const mostForgotten = heightsFor(wanted.length).most - wanted.length
  const windows: LineWindow[] = []
  let comparisons = 0
  for (let first = lines.indexOf(wanted[0]!); first >= 0; first = lines.indexOf(wanted[0]!, first + 1)) {
    const { last, compared } = findLast(lines, wanted, first, mostForgotten)
    comparisons += compared
    if (comparisons > MAX_COMPARISONS) return []
    if (last === undefined) continue
    // A window that begins earlier and ends at the same line is the wider one.
    if (windows.at(-1)?.last === last) windows.pop()
    windows.push({ first, last, similarity: lengthOf(wanted) / lengthOf(lines.slice(first, last + 1)) })
  }
  return windows.filter(({ first, last }) => last - first + 1 > wanted.length)
}

/** Finds the line at which the last quoted line stands, if all others stand before it. */
function findLast(
  lines: readonly string[],
  wanted: readonly string[],
  first: number,
  mostForgotten: number
): { last?: number; compared: number } {
  let found = 0
  let at = first
  for (; at < lines.length && at - first - found <= mostForgotten; at++) {
    if (lines[at] === wanted[found]) found++
    if (found === wanted.length) return { last: at, compared: at - first + 1 }
  }
  return { compared: at - first + 1 }
}

const lengthOf = (lines: readonly string[]) => lines.reduce((sum, line) => sum + line.length + 1, 0)
