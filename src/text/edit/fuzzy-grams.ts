// Counts the trigrams that a window shares with the search text. One edit changes at most three of them, so the count yields a
// lower bound of the distance (E. Ukkonen, 1992).
import { type EncodedLines, NEWLINE } from './encoded-lines.ts'

const LENGTH = 3
/** Different trigrams may have the same hash: a window then seems to share more than it does, never less. */
const NUMBERS = 1 << 16

export class Grams {
  readonly #symbols: EncodedLines
  readonly #wanted = new Int32Array(NUMBERS)
  readonly #total: number

  constructor(symbols: EncodedLines) {
    this.#symbols = symbols
    const { pattern } = symbols
    const closed = new Uint16Array(pattern.length + 2).fill(NEWLINE)
    closed.set(pattern, 1)
    this.#total = 0
    for (let at = 1; at + 1 < closed.length; at++) {
      if (closed[at] === NEWLINE) continue
      this.#wanted[gram(closed, at)]!++
      this.#total++
    }
  }

  /** Returns the number of shared trigrams for the window of so many lines, or of all lines, that ends with each line. */
  sharedByLine(height: number): Int32Array {
    const { starts } = this.#symbols
    const wanted = this.#wanted
    const here = new Int32Array(NUMBERS)
    const shared = new Int32Array(starts.length - 1)
    let sum = 0
    for (let line = 0; line < shared.length; line++) {
      this.#each(line, number => {
        if (here[number]!++ < wanted[number]!) sum++
      })
      if (line >= height)
        this.#each(line - height, number => {
          if (--here[number]! < wanted[number]!) sum--
        })
      shared[line] = sum
    }
    return shared
  }

  /** Returns the least distance with so many shared trigrams. */
  minDistance(shared: number): number {
    return Math.ceil((this.#total - shared) / LENGTH)
  }

  #each(line: number, take: (number: number) => void) {
    const { text, starts } = this.#symbols
    const end = starts[line + 1]! - 1
    for (let at = starts[line]!; at < end; at++) take(gram(text, at))
  }
}

/** Returns the hash of a character with its neighbors. The text is preceded by a virtual newline, as every line. */
const gram = (text: Uint16Array, at: number) =>
  (Math.imul(Math.imul(at === 0 ? NEWLINE : text[at - 1]!, 31) + text[at]!, 1_009) + text[at + 1]!) & (NUMBERS - 1)
