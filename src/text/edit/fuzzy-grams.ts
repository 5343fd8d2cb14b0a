// How much a window has in common with what is looked for, counted in runs of three characters. One edit breaks three
// of them at most, so the count tells quickly how far apart the two must be at least (E. Ukkonen, 1992).
import { type EncodedLines, NEWLINE } from './encoded-lines.ts'

const LENGTH = 3
/** Two different grams may fall on one number: a window then seems to have more in common than it has, never less. */
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

  /** For the window of so many lines, or as many as there are, that ends with each line: the grams in common. */
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

  /** The least distance of what has so many grams in common. */
  minDistance(shared: number): number {
    return Math.ceil((this.#total - shared) / LENGTH)
  }

  #each(line: number, take: (number: number) => void) {
    const { text, starts } = this.#symbols
    const end = starts[line + 1]! - 1
    for (let at = starts[line]!; at < end; at++) take(gram(text, at))
  }
}

/** The number of a character with its neighbours. What is before the text is taken for a newline, which begins every line. */
const gram = (text: Uint16Array, at: number) =>
  (Math.imul(Math.imul(at === 0 ? NEWLINE : text[at - 1]!, 31) + text[at]!, 1_009) + text[at + 1]!) & (NUMBERS - 1)
