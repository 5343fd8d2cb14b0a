// A set of numbers that were given as ranges.
import { parseRanges } from './chain-records.ts'

export class NumberRanges {
  #ranges: [number, number][] = []
  #isSorted = true

  /** Adds ranges as `formatRanges` returns them. */
  add(text: string) {
    for (const range of parseRanges(text)) this.#ranges.push(range)
    this.#isSorted = false
  }

  has(number: number): boolean {
    if (!this.#isSorted) this.#ranges.sort(([one], [other]) => one - other)
    this.#isSorted = true
    let [low, high] = [0, this.#ranges.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#ranges[middle]![1] < number) low = middle + 1
      else high = middle
    }
    return low < this.#ranges.length && this.#ranges[low]![0] <= number
  }
}
