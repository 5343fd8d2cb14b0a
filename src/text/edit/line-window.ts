// Windows of lines compared in a similarity search, and their order.

/** A range of whole lines. */
export interface LineWindow {
  /** Line numbers from 0, inclusive. */
  first: number
  last: number
  /** 1 minus the edit distance divided by the greater length. */
  similarity: number
}

/**
 * Returns the minimum and maximum number of lines of a window: up to a fifth less or more than the search text, and at least one
 * in either direction.
 */
export function heightsFor(wanted: number): { least: number; most: number } {
  const play = Math.max(1, Math.floor(wanted / 5))
  return { least: Math.max(1, wanted - play), most: wanted + play }
}

export function windowSimilarity(distance: number, length: number, wanted: number): number {
  const longer = Math.max(length, wanted)
  return longer === 0 ? 0 : 1 - distance / longer
}

/** Orders by similarity; equal ones by first, then by last line. */
export const bestFirst = (a: LineWindow, b: LineWindow): number =>
  b.similarity - a.similarity || a.first - b.first || a.last - b.last

/** Returns the best window, the best of those that do not overlap it, and so on. */
export function nonOverlapping(windows: readonly LineWindow[], most: number): LineWindow[] {
  const chosen: LineWindow[] = []
  for (const window of windows.toSorted(bestFirst)) {
    if (chosen.length === most) break
    if (chosen.every(other => other.last < window.first || window.last < other.first)) chosen.push(window)
  }
  return chosen
}
