// Finds quotes that leave out lines of the file: the first and the last quoted line stand there, and all between them in order.
import { heightsFor, type LineWindow } from './line-window.ts'

/**
 * Returns the windows that hold all quoted lines in order, and begin and end with the first and the last of them. They have more
 * lines than the quote, at most as many as a similar window may have. Lines are compared without the white space around them.
 */
export function findWithForgottenLines(lines: readonly string[], wanted: readonly string[]): LineWindow[] {
  const mostForgotten = heightsFor(wanted.length).most - wanted.length
  const windows: LineWindow[] = []
  for (let first = lines.indexOf(wanted[0]!); first >= 0; first = lines.indexOf(wanted[0]!, first + 1)) {
    const last = findLast(lines, wanted, first, mostForgotten)
    if (last === undefined) continue
    // A window that begins earlier and ends at the same line is the wider one.
    if (windows.at(-1)?.last === last) windows.pop()
    windows.push({ first, last, similarity: lengthOf(wanted) / lengthOf(lines.slice(first, last + 1)) })
  }
  return windows.filter(({ first, last }) => last - first + 1 > wanted.length)
}

/** Returns the line at which the last quoted line is found, if all others are found before it. */
function findLast(
  lines: readonly string[],
  wanted: readonly string[],
  first: number,
  mostForgotten: number
): number | undefined {
  let found = 0
  for (let at = first; at < lines.length && at - first - found <= mostForgotten; at++) {
    if (lines[at] === wanted[found]) found++
    if (found === wanted.length) return at
  }
  return undefined
}

const lengthOf = (lines: readonly string[]) => lines.reduce((sum, line) => sum + line.length + 1, 0)
