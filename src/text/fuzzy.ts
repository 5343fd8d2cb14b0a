// The stretches of whole lines most like a given text.
import { distance } from 'fastest-levenshtein'
import { type Breathe, bestDistancesByLine, Pace } from './approximate.ts'

export interface Window {
  /** Line numbers from 0, both included. */
  first: number
  last: number
  /** 1 less the edit distance over the longer one's length. */
  similarity: number
}

/** How many windows are told at most, and how many line ends are looked at to find them when none is good. */
const TOLD = 3
const LOOKED_AT = 12
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
  const pace = new Pace(breathe)
  const distances = await bestDistancesByLine(lines, pattern, pace)
  if (!distances) return { windows: [], complete: false }
  const ends = [...distances.keys()].sort((a, b) => distances[a]! - distances[b]! || a - b)
  const found: Window[] = []
  let best = 0
  for (const [i, last] of ends.entries()) {
    // No window that ends here can be more similar than this, however long it is.
    const reachable = pattern.length / (pattern.length + distances[last]!)
    if (i >= LOOKED_AT && reachable < Math.max(best, threshold) - margin) break
    let window: Window = { first: last, last, similarity: 0 }
    for (const text of windowsEndingAt(lines, last, wanted.length)) {
      const floor = Math.max(window.similarity, i >= LOOKED_AT ? best - margin : 0)
      if (reachableBy(text.length, pattern.length, distances[last]!) <= floor) continue
      const similarity = 1 - distance(text.join(), pattern) / Math.max(text.length, pattern.length)
      if (similarity > window.similarity) window = { first: text.first, last, similarity }
      const work = (text.length * pattern.length) / 32
      if (pace.spend(work) && !(await pace.breathe())) return { windows: apart([...found, window]), complete: false }
    }
    found.push(window)
    best = Math.max(best, window.similarity)
  }
  return { windows: apart(found), complete: true }
}

/** How similar a window can be at most, given its length and the least distance of anything that ends where it does. */
function reachableBy(length: number, wanted: number, least: number) {
  const longer = Math.max(length, wanted)
  return longer === 0 ? 0 : 1 - Math.max(least, Math.abs(length - wanted)) / longer
}

interface Stretch {
  first: number
  length: number
  join(): string
}

/** The windows that end with a line, of the wanted height at first, then up to a fifth higher or lower. */
function* windowsEndingAt(lines: readonly string[], last: number, height: number): Generator<Stretch> {
  const play = Math.max(1, Math.floor(height / 5))
  for (let off = 0; off <= play; off++) {
    for (const count of off === 0 ? [height] : [height - off, height + off]) {
      if (count < 1 || count > last + 1) continue
      const part = lines.slice(last - count + 1, last + 1)
      const length = part.reduce((sum, line) => sum + line.length, part.length - 1)
      yield { first: last - count + 1, length, join: () => part.join('\n') }
    }
  }
}

function apart(windows: Window[]) {
  const chosen: Window[] = []
  for (const window of windows.sort((a, b) => b.similarity - a.similarity || a.first - b.first)) {
    if (chosen.length === TOLD || window.similarity < WORTH_TELLING) break
    if (chosen.every(other => other.last < window.first || window.last < other.first)) chosen.push(window)
  }
  return chosen
}
