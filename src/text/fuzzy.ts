// The stretches of whole lines most like a given text.
import { distance } from 'fastest-levenshtein'
import { type Breathe, bestDistancesByLine } from './approximate.ts'

export interface Window {
  /** Line numbers from 0, both included. */
  first: number
  last: number
  /** 1 less the edit distance over the longer one's length. */
  similarity: number
}

/** How many windows are told at most, and how many line ends are looked at to find them when none is good. */
const TOLD = 3
const LOOKED_AT = 24
/** Less similar than this is not worth telling. */
const WORTH_TELLING = 0.2

/**
 * The best windows that do not overlap, best first. Where the best reaches `threshold`, every window within `margin`
 * of it was compared, so that a second one as good is never missed; `complete` is false where the search was ended before that.
 */
export async function mostSimilar(
  lines: readonly string[],
  wanted: readonly string[],
  { threshold, margin }: { threshold: number; margin: number },
  breathe: Breathe
): Promise<{ windows: Window[]; complete: boolean }> {
  const pattern = wanted.join('\n')
  const distances = await bestDistancesByLine(lines, pattern, breathe)
  if (!distances) return { windows: [], complete: false }
  const ends = [...distances.keys()].sort((a, b) => distances[a]! - distances[b]! || a - b)
  const found: Window[] = []
  let best = 0
  for (const [i, last] of ends.entries()) {
    // No window that ends here can be more similar than this, however long it is.
    const reachable = pattern.length / (pattern.length + distances[last]!)
    if (i >= LOOKED_AT && reachable < Math.max(best, threshold) - margin) break
    const window = bestEndingAt(lines, last, pattern, wanted.length)
    found.push(window)
    best = Math.max(best, window.similarity)
    if (!(await breathe())) return { windows: apart(found), complete: false }
  }
  return { windows: apart(found), complete: true }
}

/** The best of the windows that end with a line, a fifth longer or shorter than what is wanted at most. */
function bestEndingAt(lines: readonly string[], last: number, pattern: string, height: number): Window {
  const play = Math.max(1, Math.floor(height / 5))
  let best: Window = { first: last, last, similarity: 0 }
  for (let count = Math.max(1, height - play); count <= Math.min(height + play, last + 1); count++) {
    const text = lines.slice(last - count + 1, last + 1).join('\n')
    const longer = Math.max(text.length, pattern.length)
    if (longer === 0 || 1 - Math.abs(text.length - pattern.length) / longer <= best.similarity) continue
    const similarity = 1 - distance(text, pattern) / longer
    if (similarity > best.similarity) best = { first: last - count + 1, last, similarity }
  }
  return best
}

function apart(windows: Window[]) {
  const chosen: Window[] = []
  for (const window of windows.sort((a, b) => b.similarity - a.similarity || a.first - b.first)) {
    if (chosen.length === TOLD || window.similarity < WORTH_TELLING) break
    if (chosen.every(other => other.last < window.first || window.last < other.first)) chosen.push(window)
  }
  return chosen
}
