// Finds the numbers of JSON texts that parsing would change.
import { isExactNumber } from './exact-number.ts'

/** A number that would be another one after parsing. */
export interface InexactNumber {
  /** The names and indexes that lead to it. */
  path: readonly (string | number)[]
  /** As it is written. */
  source: string
  offset: number
}

/** Matches in every text with such a number: 15 digits and less always survive. */
const MAYBE_INEXACT = /[\d.]{16}|\d[eE][+-]?\d{3}/

/** Finds the numbers of a valid JSON text that change when it is parsed and written again, in the order of the text. */
export function findInexactNumbers(text: string): InexactNumber[] {
  return MAYBE_INEXACT.test(text) ? new NumberFinder(text).find() : []
}

/** Shorter numbers without an exponent are exact. */
const MIN_INEXACT_LENGTH = 16

/** Reads the text once, in time proportional to its size and however deep it is. A path is only built for a number that is found. */
class NumberFinder {
  readonly #text: string
  /** The index in each open array, and the bounds of the latest key of each open object. */
  readonly #places: (number | readonly [start: number, end: number])[] = []
  #isKey = false

  constructor(text: string) {
    this.#text = text
  }

  find(): InexactNumber[] {
    const found: InexactNumber[] = []
    const text = this.#text
    for (let at = 0; at < text.length; at++) {
      const character = text[at]!
      if (character === '"') at = this.#readString(at)
      else if (character === '-' || (character >= '0' && character <= '9')) {
        const offset = at
        while (NUMBER_CHARACTERS.has(text[at + 1]!)) at++
        const source = text.slice(offset, at + 1)
        if (mayBeInexact(source) && !isExactNumber(source)) found.push({ path: this.#path(), source, offset })
      } else this.#readPunctuation(character)
    }
    return found
  }

  /** Returns the offset of the closing quotation mark. */
  #readString(start: number): number {
    let end = start
    do end = this.#text.indexOf('"', end + 1)
    while (this.#isEscaped(end))
    if (this.#isKey) this.#places[this.#places.length - 1] = [start, end + 1]
    return end
  }

  #isEscaped(at: number): boolean {
    let backslashes = 0
    while (this.#text[at - 1 - backslashes] === '\\') backslashes++
    return backslashes % 2 === 1
  }

  #readPunctuation(character: string) {
    const place = this.#places.at(-1)
    if (character === '{' || character === '[') this.#places.push(character === '[' ? 0 : NO_KEY)
    else if (character === '}' || character === ']') this.#places.pop()
    else if (character === ',' && typeof place === 'number') this.#places[this.#places.length - 1] = place + 1
    if (character === '{' || (character === ',' && typeof place === 'object')) this.#isKey = true
    else if (character === ':' || character === '[' || character === '}') this.#isKey = false
  }

  #path(): (string | number)[] {
    return this.#places.map(place => (typeof place === 'number' ? place : JSON.parse(this.#text.slice(...place))))
  }
}

const NO_KEY = [0, 0] as const
const NUMBER_CHARACTERS: ReadonlySet<string> = new Set('0123456789+-.eE')

const mayBeInexact = (source: string) => source.length >= MIN_INEXACT_LENGTH || /[eE]/.test(source)

/** Parses a JSON text. The numbers that parsing would change become texts with their digits. */
export const parseWithExactNumbers = (text: string): unknown =>
  JSON.parse(quoteNumbers(text, findInexactNumbers(text), source => JSON.stringify(source)))

/** Replaces numbers of a JSON text, which are given in the order of the text. */
export function quoteNumbers(
  text: string,
  numbers: readonly InexactNumber[],
  quote: (source: string) => string
): string {
  let quoted = ''
  let end = 0
  for (const { offset, source } of numbers) {
    quoted += text.slice(end, offset) + quote(source)
    end = offset + source.length
  }
  return quoted + text.slice(end)
}
