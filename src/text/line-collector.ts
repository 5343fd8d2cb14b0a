// The bytes of some lines out of a file that is never held whole, and the number of all its lines.

import type { Budget } from './slice-lines.ts'

const NEWLINE = 10

export class LineCollector {
  /** Bytes of the wanted lines. */
  readonly parts: Buffer[] = []
  /** Wanted lines begun. */
  lines = 0
  total = 0
  /** More was wanted than may be kept. */
  cut = false
  #kept = 0
  #atStart = true
  readonly #first: number
  readonly #last: number
  readonly #budget: Budget

  /** Lines `first` to `last`, counted from 1, as far as the budget of bytes goes; only the very first may be cut inside. */
  constructor(first: number, last: number, budget: Budget) {
    this.#first = first
    this.#last = last
    this.#budget = budget
  }

  /** Nothing that is still to come is wanted. */
  get satisfied() {
    return this.cut || this.total > this.#last || (this.total === this.#last && this.#atStart)
  }

  add(chunk: Buffer) {
    for (let at = 0; at < chunk.length; ) {
      const newline = chunk.indexOf(NEWLINE, at)
      const end = newline < 0 ? chunk.length : newline + 1
      this.#addPiece(chunk.subarray(at, end))
      this.#atStart = newline >= 0
      at = end
    }
  }

  #addPiece(piece: Buffer) {
    if (this.#atStart) this.total++
    if (this.cut || this.total < this.#first || this.total > this.#last) return
    if (this.#atStart) this.lines++
    const room = Math.max(0, this.#budget.size - this.#budget.toll * this.lines - this.#kept)
    if (piece.length <= room) {
      this.parts.push(piece)
      this.#kept += piece.length
      return
    }
    this.cut = true
    if (this.lines === 1) this.parts.push(piece.subarray(0, room))
    else this.#dropLast()
  }

  /** A line that does not fit whole is left for the next read. */
  #dropLast() {
    while (this.parts.length > 0 && this.parts.at(-1)!.at(-1) !== NEWLINE) this.parts.pop()
    this.lines--
  }
}
