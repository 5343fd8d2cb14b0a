// Finds a text in the lines of an output.
import type { OutputLine } from './output-tail.ts'

/** A match in a line: the range of its characters. */
export interface OutputMatch {
  line: number
  start: number
  end: number
}

/** More matches are not counted. */
export const MAX_MATCHES = 1_000

/** Returns the last matches, in order. Upper and lower case are the same. */
export function findMatches(lines: readonly OutputLine[], query: string): OutputMatch[] {
  if (query === '') return []
  const pattern = new RegExp(query.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), 'giu')
  const found: OutputMatch[] = []
  for (let line = lines.length - 1; line >= 0 && found.length < MAX_MATCHES; line--) {
    const text = lines[line]!.map(run => run.text).join('')
    const matches = [...text.matchAll(pattern)].map(({ 0: { length }, index }) => ({
      line,
      start: index,
      end: index + length
    }))
    found.push(...matches.reverse())
  }
  return found.slice(0, MAX_MATCHES).reverse()
}
