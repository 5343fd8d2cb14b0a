// Finds the numbers of JSON texts that parsing would change.
import { visit } from 'jsonc-parser'
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

/** Finds the numbers of a valid JSON text that change when it is parsed and written again. */
export function findInexactNumbers(text: string): InexactNumber[] {
  const found: InexactNumber[] = []
  if (!MAYBE_INEXACT.test(text)) return found
  visit(text, {
    onLiteralValue(value, offset, length, _line, _character, path) {
      if (typeof value !== 'number') return
      const source = text.slice(offset, offset + length)
      if (!isExactNumber(source)) found.push({ path: path(), source, offset })
    }
  })
  return found
}

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
