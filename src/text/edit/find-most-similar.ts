// Finds the windows of whole lines most similar to a given text: the same result as comparing all windows, with few comparisons.
// A window's similarity is bounded twice, by counting n-grams and by one pass over the remaining lines; only windows that can
// still matter are then compared, the most promising first.
import { EditDistanceColumns } from './edit-distance.ts'
import { type EncodedLines, encodeLines, windowLength } from './encoded-lines.ts'
import { Grams } from './fuzzy-grams.ts'
import { heightsFor, type LineWindow, nonOverlapping, windowSimilarity } from './line-window.ts'

export interface Limits {
  /** Minimum similarity of a match. */
  threshold: number
  /** Windows within this margin of the best are equally good. */
  margin: number
}

interface SimilarWindows {
  /** The best window over the threshold and equally good ones, without overlaps, best first. If there are very many, a subset. */
  good: LineWindow[]
  /** Without a match, some windows with much in common, best first. */
  nearest: LineWindow[]
}

const MAX_RESULTS = 3
/** Minimum similarity of a reported window. */
const MIN_SIMILARITY = 0.2
/** Among so many disjoint windows, at least one is disjoint from any given window, which can overlap three. */
const AMBIGUOUS_COUNT = 4
/** Number of initial comparisons: as many as this amount of work allows, within these bounds. */
const INITIAL_COMPARISONS = { steps: 4_000_000, least: 3, most: 12 }

export function findMostSimilar(lines: readonly string[], wanted: readonly string[], limits: Limits): SimilarWindows {
  return new Search(lines, wanted, limits).run()
}

class Search {
  readonly #symbols: EncodedLines
  readonly #height: number
  readonly #heights: { least: number; most: number }
  readonly #limits: Limits
  readonly #grams: Grams
  readonly #backwards: EditDistanceColumns
  /** The best similarity so far. */
  #best = 0
  #found: LineWindow[] = []

  constructor(lines: readonly string[], wanted: readonly string[], limits: Limits) {
    this.#symbols = encodeLines(lines, wanted)
    this.#height = wanted.length
    this.#heights = heightsFor(wanted.length)
    this.#limits = limits
    this.#grams = new Grams(this.#symbols)
    this.#backwards = new EditDistanceColumns(this.#symbols.pattern.toReversed(), this.#symbols.count, 1)
  }

  run(): SimilarWindows {
    const nearest = this.#sample()
    const reaches = this.#upperBounds()
    const ends = [...reaches.keys()].sort((a, b) => reaches.get(b)! - reaches.get(a)! || a - b)
    const good = this.#bestOf(ends, reaches)
    return good.length > 0 ? { good, nearest: [] } : { good, nearest }
  }

  /** Minimum similarity that matters: the best minus the margin. */
  get #cut() {
    return Math.max(this.#limits.threshold, this.#best - this.#limits.margin)
  }

  /** Compares windows with much in common: the best similarity is at least theirs. */
  #sample(): LineWindow[] {
    const { pattern } = this.#symbols
    const work = (pattern.length * this.#heights.most * pattern.length) / this.#height / 32
    const looks = Math.min(
      INITIAL_COMPARISONS.most,
      Math.max(INITIAL_COMPARISONS.least, Math.floor(INITIAL_COMPARISONS.steps / work))
    )
    const shared = this.#grams.sharedByLine(this.#height)
    const peaks = findPeaks(shared, this.#heights.most, MAX_RESULTS)
    const around = [0, 1, -1, 2]
      .flatMap(off => peaks.map(end => end + off))
      .filter(end => end >= 0 && end < shared.length)
    const seen = around.slice(0, looks).flatMap(end => {
      const windows = this.#windowsEndingWith(end, this.#best < this.#limits.threshold ? MIN_SIMILARITY : this.#cut)
      this.#best = Math.max(this.#best, ...windows.map(({ similarity }) => similarity))
      return windows
    })
    return nonOverlapping(seen, MAX_RESULTS)
  }

  /** Returns an upper bound of the similarity of relevant windows, by last line. */
  #upperBounds(): Map<number, number> {
    const { starts } = this.#symbols
    const cut = this.#cut
    const shared = this.#grams.sharedByLine(this.#heights.most)
    const left: number[] = []
    for (let end = this.#heights.least - 1; end < starts.length - 1; end++)
      if (this.#grams.minDistance(shared[end]!) <= this.#maxDistance(end, cut)) left.push(end)
    const reaches = new Map<number, number>()
    for (const [end, distance] of this.#leastDistances(left, cut)) {
      const reach = this.#upperBound(end, distance)
      if (distance <= this.#maxDistance(end, cut) && reach >= cut) reaches.set(end, reach)
    }
    return reaches
  }

  /**
   * Returns the least distance between the search text and any text that ends with each of the lines, up to the relevant bound.
   */
  #leastDistances(ends: readonly number[], cut: number): Map<number, number> {
    const { text, starts, pattern, count } = this.#symbols
    const columns = new EditDistanceColumns(pattern, count, 0)
    const distances = new Map<number, number>()
    for (const region of this.#regions(ends)) {
      columns.reset(region.ends.reduce((most, end) => Math.max(most, this.#maxDistance(end, cut)), 0))
      let at = starts[region.first]!
      for (const end of region.ends) {
        for (const stop = starts[end + 1]! - 1; at < stop; at++) columns.advance(text[at]!)
        distances.set(end, columns.distance)
      }
    }
    return distances
  }

  /** Returns the lines that windows with these ends can cover, as few ranges. */
  #regions(ends: readonly number[]) {
    const regions: { first: number; ends: number[] }[] = []
    for (const end of ends) {
      const region = regions.at(-1)
      const first = Math.max(0, end - this.#heights.most + 1)
      if (region && first <= region.ends.at(-1)! + 1) region.ends.push(end)
      else regions.push({ first, ends: [end] })
    }
    return regions
  }

  #bestOf(ends: readonly number[], reaches: ReadonlyMap<number, number>): LineWindow[] {
    const compared = new Set<number>()
    const compare = (wanted: (end: number) => boolean) => {
      for (const end of ends) {
        const reach = reaches.get(end)!
        if (reach < this.#cut) return
        if (compared.has(end) || !wanted(end)) continue
        compared.add(end)
        const windows = this.#windowsEndingWith(end, this.#cut)
        this.#best = Math.max(this.#best, ...windows.map(({ similarity }) => similarity))
        this.#found.push(...windows)
        if (windows.length > 0 && this.#isSurelyAmbiguous(reach)) return
      }
    }
    compare(end => reaches.get(end)! >= this.#best)
    const best = nonOverlapping(this.#goodWindows(), 1)[0]
    if (!best) return []
    compare(end => end < best.first || end - this.#heights.least >= best.last)
    return nonOverlapping(this.#goodWindows(), MAX_RESULTS)
  }

  #goodWindows() {
    return this.#found.filter(({ similarity }) => similarity >= this.#cut)
  }

  /** Checks if the result is ambiguous whichever window is the best. None of the remaining ones exceeds `reach`. */
  #isSurelyAmbiguous(reach: number) {
    const needed = Math.max(this.#cut, reach - this.#limits.margin)
    const equal = this.#found.filter(({ similarity }) => similarity >= needed)
    return equal.length >= AMBIGUOUS_COUNT && nonOverlapping(equal, AMBIGUOUS_COUNT).length === AMBIGUOUS_COUNT
  }

  /**
   * Returns the maximum relevant distance of a window with this end. For longer windows the distance may be greater, but so is
   * their difference in length.
   */
  #maxDistance(end: number, cut: number): number {
    const wanted = this.#symbols.pattern.length
    const longest = Math.min(this.#maxLength(end), wanted / cut)
    return Math.floor((1 - cut) * Math.max(wanted, longest) + ROUNDING)
  }

  /**
   * Returns an upper bound of the similarity of windows with this end, of any length, given the least distance of any text that
   * ends there.
   */
  #upperBound(end: number, distance: number): number {
    const wanted = this.#symbols.pattern.length
    return windowSimilarity(distance, Math.min(this.#maxLength(end), wanted + distance), wanted)
  }

  #maxLength(end: number) {
    return windowLength(this.#symbols, Math.max(0, end - this.#heights.most + 1), end)
  }

  /** Returns all windows with this end that reach the cut. */
  #windowsEndingWith(end: number, cut: number): LineWindow[] {
    const { text, starts, pattern } = this.#symbols
    const columns = this.#backwards
    const windows: LineWindow[] = []
    const allowed = this.#maxDistance(end, cut)
    columns.reset(allowed)
    const top = Math.max(0, end - this.#heights.most + 1)
    let at = starts[end + 1]! - 2
    for (let first = end; first >= top && !columns.isOutOfBound; first--) {
      for (const start = starts[first]!; at >= start; at--) columns.advance(text[at]!)
      const { distance } = columns
      if (distance <= allowed && end - first + 1 >= this.#heights.least) {
        const similarity = windowSimilarity(distance, windowLength(this.#symbols, first, end), pattern.length)
        if (similarity >= cut) windows.push({ first, last: end, similarity })
      }
      // The newline between this line and the previous one.
      if (first > top) columns.advance(text[at--]!)
    }
    return windows
  }
}

/** Similarities are fractions: bounds must tolerate rounding errors. */
const ROUNDING = 1e-6

/** Returns the lines with the highest numbers that are at least this far apart, highest first. */
function findPeaks(numbers: Int32Array, distance: number, most: number): number[] {
  const peaks: number[] = []
  while (peaks.length < most) {
    let best = -1
    for (let i = 0; i < numbers.length; i++) {
      if (numbers[i]! <= (numbers[best] ?? 0)) continue
      if (peaks.every(peak => Math.abs(peak - i) >= distance)) best = i
    }
    if (best < 0) break
    peaks.push(best)
  }
  return peaks
}
