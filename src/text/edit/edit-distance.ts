// Edit distances between a pattern and substrings of a text, one matrix column at a time.
//
// Myers' bit-vector algorithm in blocks of 32 rows (G. Myers, 1999; H. Hyyrö, 2003): a column is stored as the differences from
// row to row. Only blocks that can contain a distance up to a bound are computed (E. Ukkonen, 1985), so that a low bound makes it
// several times as fast.

/** Increment of the empty pattern's distance per character of text: with 0 a match may begin anywhere. */
type Edge = 0 | 1

/** Characters are symbols: 0 is one that is not in the pattern. */
export class EditDistanceColumns {
  readonly #edge: Edge
  readonly #blocks: number
  /** By symbol and block: the rows in which the pattern has it. */
  readonly #rowsBySymbol: Int32Array
  /** Bit set: this row's distance is one more, or one less, than that of the row above. */
  readonly #plus: Int32Array
  readonly #minus: Int32Array
  /** The rows of the last block that are below the pattern. */
  readonly #belowPatternMask: number
  #bound = 0
  #column = 0
  /** The computed blocks, and the distance in the lowest row of the last of them. */
  #first = 0
  #last = 0
  #lowestDistance = 0

  constructor(pattern: Uint16Array, symbols: number, edge: Edge) {
    this.#edge = edge
    this.#blocks = Math.ceil(pattern.length / 32)
    this.#rowsBySymbol = new Int32Array(symbols * this.#blocks)
    for (const [row, symbol] of pattern.entries())
      this.#rowsBySymbol[symbol * this.#blocks + (row >> 5)]! |= 1 << (row & 31)
    this.#plus = new Int32Array(this.#blocks)
    this.#minus = new Int32Array(this.#blocks)
    this.#belowPatternMask = (pattern.length & 31) === 0 ? 0 : -1 << (pattern.length & 31)
  }

  /** Resets to the state before the first character. Distances over the bound are not distinguished. */
  reset(bound: number): void {
    this.#bound = bound
    this.#column = 0
    this.#first = 0
    this.#last = Math.min(this.#blocks - 1, bound >> 5)
    this.#plus.fill(-1, 0, this.#last + 1)
    this.#minus.fill(0, 0, this.#last + 1)
    this.#lowestDistance = (this.#last + 1) * 32
  }

  advance(symbol: number): void {
    const [plus, minus, rowsOf] = [this.#plus, this.#minus, this.#rowsBySymbol]
    const rows = symbol * this.#blocks
    const before = this.#lowestDistance
    // Above the first block everything is over the bound: the maximum increment has no effect.
    let up = this.#first === 0 ? this.#edge : 1
    let down = 0
    const grows = this.#last < this.#blocks - 1 && before <= this.#bound
    if (grows) {
      plus[++this.#last] = -1
      minus[this.#last] = 0
      this.#lowestDistance += 32
    }
    const last = this.#last
    for (let block = this.#first; block <= last; block++) {
      const p = plus[block]!
      const m = minus[block]!
      const rowsHere = rowsOf[rows + block]!
      const vertical = rowsHere | m
      const equal = rowsHere | down
      const horizontal = (((equal & p) + p) ^ p) | equal
      const ups = m | ~(horizontal | p)
      const downs = p & horizontal
      const above = (ups << 1) | up
      plus[block] = (downs << 1) | down | ~(vertical | above)
      minus[block] = above & vertical
      up = ups >>> 31
      down = downs >>> 31
    }
    this.#lowestDistance += up - down
    if (!grows) this.#shrink()
    this.#column++
    // The distance in row i and column j is at least their difference.
    if (this.#edge === 1) this.#first = Math.max(this.#first, (this.#column - this.#bound - 1) >> 5)
  }

  /** Distance of the whole pattern; over the bound, one more than that. */
  get distance(): number {
    const over = this.#bound + 1
    if (this.#last < this.#blocks - 1 || this.#first > this.#last) return over
    const beyond =
      bits(this.#plus[this.#last]! & this.#belowPatternMask) - bits(this.#minus[this.#last]! & this.#belowPatternMask)
    return Math.min(over, this.#lowestDistance - beyond)
  }

  /** No later distance can be within the bound. */
  get isOutOfBound(): boolean {
    return this.#first > this.#last
  }

  /** Removes trailing blocks that are over the bound in every row. */
  #shrink() {
    while (this.#last >= this.#first && this.#lowestDistance >= this.#bound + 32) {
      this.#lowestDistance -= bits(this.#plus[this.#last]!) - bits(this.#minus[this.#last]!)
      this.#last--
    }
  }
}

/** Counts the set bits. */
function bits(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
