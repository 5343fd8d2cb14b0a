// Anchors of three versions of a text: lines that occur exactly once in each, in the same order. The parts between them can be
// compared separately, so that long texts do not take quadratic time.

/** Lines as ids: equal lines have equal ids. */
export type LineIds = readonly number[]
export type Three<T> = readonly [T, T, T]

/** Splits the versions into corresponding parts, in order. Each line is in exactly one part. */
export function splitAtAnchors(versions: Three<LineIds>): Three<LineIds>[] {
  const parts: Three<LineIds>[] = []
  let from: Three<number> = [0, 0, 0]
  const cut = (to: Three<number>) => {
    if (to.some((end, i) => end > from[i]!)) parts.push(each(i => versions[i].slice(from[i], to[i])))
    from = to
  }
  for (const at of findAnchors(versions)) {
    cut(at)
    cut(each(i => at[i] + 1))
  }
  cut(each(i => versions[i].length))
  return parts
}

const each = <T>(make: (i: 0 | 1 | 2) => T): Three<T> => [make(0), make(1), make(2)]

/** Returns the positions of the anchors in the three versions. */
function findAnchors(versions: Three<LineIds>): Three<number>[] {
  const [a, o, b] = each(i => uniqueLinePositions(versions[i]))
  const found = [...o].flatMap(([line, at]): Three<number>[] => {
    const [inA, inB] = [a.get(line), b.get(line)]
    return inA === undefined || inB === undefined ? [] : [[inA, at, inB]]
  })
  return longestIncreasing(
    longestIncreasing(found, ([inA]) => inA),
    ([, , inB]) => inB
  )
}

/** Returns the unique lines, with their positions. */
function uniqueLinePositions(lines: LineIds): Map<number, number> {
  const places = new Map<number, number>()
  const doubled = new Set<number>()
  for (const [at, line] of lines.entries()) {
    if (places.has(line)) doubled.add(line)
    places.set(line, at)
  }
  for (const line of doubled) places.delete(line)
  return places
}

/** Returns the longest subsequence that increases by a measure. */
function longestIncreasing<T>(items: readonly T[], by: (item: T) => number): T[] {
  /** By length: the item that ends the chain of that length with the least measure. */
  const ends: number[] = []
  const before: number[] = []
  for (const [i, item] of items.entries()) {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (by(items[ends[middle]!]!) < by(item)) low = middle + 1
      else high = middle
    }
    before[i] = low > 0 ? ends[low - 1]! : -1
    ends[low] = i
  }
  const chain: T[] = []
  for (let i = ends.at(-1) ?? -1; i >= 0; i = before[i]!) chain.push(items[i]!)
  return chain.reverse()
}
