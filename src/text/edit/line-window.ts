// Which stretches of a text are compared when a text that is only similar is looked for, and which of them is better.

/** A stretch of whole lines. */
export interface LineWindow {
  /** Line numbers from 0, both included. */
  first: number
  last: number
  /** 1 less the edit distance over the longer one's length. */
  similarity: number
}

/** How many lines a window has, at least and at most: up to a fifth less or more than what is looked for, and one in any case. */
export function heightsFor(wanted: number): { least: number; most: number } {
  const play = Math.max(1, Math.floor(wanted / 5))
  return { least: Math.max(1, wanted - play), most: wanted + play }
}

export function windowSimilarity(distance: number, length: number, wanted: number): number {
  const longer = Math.max(length, wanted)
  return longer === 0 ? 0 : 1 - distance / longer
}

/** The more similar one first; of equals the one that begins, then ends, further up. */
export const bestFirst = (a: LineWindow, b: LineWindow): number =>
  b.similarity - a.similarity || a.first - b.first || a.last - b.last

/** The best, the best of those that do not overlap it, and so on. */
export function nonOverlapping(windows: readonly LineWindow[], most: number): LineWindow[] {
  const chosen: LineWindow[] = []
  for (const window of windows.toSorted(bestFirst)) {
    if (chosen.length === most) break
    if (chosen.every(other => other.last < window.first || window.last < other.first)) chosen.push(window)
  }
  return chosen
}
