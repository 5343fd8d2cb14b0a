// Reference implementation of the similarity search: compares every window.
import { distance } from 'fastest-levenshtein'
import type { Limits } from '../../../src/text/edit/find-most-similar.ts'
import { bestFirst, heightsFor, type LineWindow, windowSimilarity } from '../../../src/text/edit/line-window.ts'

/** Returns the relevant windows, best first: the best of those over the threshold, and all ties. */
export function findGoodWindows(lines: readonly string[], wanted: readonly string[], limits: Limits): LineWindow[] {
  const pattern = wanted.join('\n')
  const { least, most } = heightsFor(wanted.length)
  const windows: LineWindow[] = []
  for (let first = 0; first < lines.length; first++)
    for (let last = first + least - 1; last < Math.min(lines.length, first + most); last++) {
      const text = lines.slice(first, last + 1).join('\n')
      windows.push({ first, last, similarity: windowSimilarity(distance(text, pattern), text.length, pattern.length) })
    }
  const best = Math.max(0, ...windows.map(({ similarity }) => similarity))
  const cut = Math.max(limits.threshold, best - limits.margin)
  return windows.filter(({ similarity }) => similarity >= cut).sort(bestFirst)
}
