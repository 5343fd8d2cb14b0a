// Finding where a text stands in another approximately, by edit distance.

/** Awaited every few milliseconds of work; false ends the search with what is known by then. */
export type Breathe = () => Promise<boolean>

/** How many block steps are some milliseconds. */
const STEPS_BETWEEN_BREATHS = 100_000

/** Counts work, so that it stops for breath often enough and not too often. */
export class Pace {
  readonly #breathe: Breathe
  #steps = 0

  constructor(breathe: Breathe) {
    this.#breathe = breathe
  }

  /** Counts work done; true when a breath is due. */
  spend(steps: number): boolean {
    this.#steps += steps
    return this.#steps >= STEPS_BETWEEN_BREATHS
  }

  breathe(): Promise<boolean> {
    this.#steps = 0
    return this.#breathe()
  }
}

/**
 * For the end of each line, the least edit distance between `pattern` and any stretch of text that ends there: what a
 * window of lines ending there can reach at best. Myers' bit-vector method in blocks of 32 rows (G. Myers, 1999; H.
 * Hyyrö, 2003), with a free start: its cost is text length times pattern length / 32, whatever the number of windows.
 */
export async function bestDistancesByLine(
  lines: readonly string[],
  pattern: string,
  pace: Pace
): Promise<Int32Array | undefined> {
  const column = new Column(pattern)
  const distances = new Int32Array(lines.length)
  for (const [i, line] of lines.entries()) {
    for (let at = 0; at < line.length; at++) {
      column.advance(line.charCodeAt(at))
      if (pace.spend(column.blocks) && !(await pace.breathe())) return undefined
    }
    distances[i] = column.distance
    column.advance(NEWLINE)
  }
  return distances
}

const NEWLINE = 10

/** One column of the distance matrix, as vertical differences: bit set in `plus` is +1, in `minus` is -1. */
class Column {
  readonly blocks: number
  distance: number
  readonly #plus: Int32Array
  readonly #minus: Int32Array
  readonly #rowsOf = new Map<number, Int32Array>()
  readonly #none: Int32Array
  readonly #lastRow: number

  constructor(pattern: string) {
    this.blocks = Math.ceil(pattern.length / 32)
    this.distance = pattern.length
    this.#plus = new Int32Array(this.blocks).fill(-1)
    this.#minus = new Int32Array(this.blocks)
    this.#none = new Int32Array(this.blocks)
    this.#lastRow = 1 << ((pattern.length - 1) & 31)
    for (let i = 0; i < pattern.length; i++) {
      const code = pattern.charCodeAt(i)
      const rows = this.#rowsOf.get(code) ?? new Int32Array(this.blocks)
      rows[i >> 5]! |= 1 << (i & 31)
      this.#rowsOf.set(code, rows)
    }
  }

  advance(code: number) {
    const rows = this.#rowsOf.get(code) ?? this.#none
    const last = this.blocks - 1
    // The difference along the top row is 0: a match may begin anywhere.
    let carry = 0
    for (let block = 0; block <= last; block++) {
      const plus = this.#plus[block]!
      const minus = this.#minus[block]!
      let equal = rows[block]!
      const vertical = equal | minus
      if (carry < 0) equal |= 1
      const horizontal = (((equal & plus) + plus) ^ plus) | equal
      let up = minus | ~(horizontal | plus)
      let down = plus & horizontal
      const row = block === last ? this.#lastRow : 1 << 31
      const next = (up & row) !== 0 ? 1 : (down & row) !== 0 ? -1 : 0
      up <<= 1
      down <<= 1
      if (carry < 0) down |= 1
      else if (carry > 0) up |= 1
      this.#plus[block] = down | ~(vertical | up)
      this.#minus[block] = up & vertical
      carry = next
    }
    this.distance += carry
  }
}
