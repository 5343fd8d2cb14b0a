// Positions in one text as people count them and as a server does: lines from 1, which end at a line feed, and columns of
// whole characters, against lines from 0, which end at a carriage return too, and columns of units.
import type { Position as ServerPosition, Range as ServerRange } from 'vscode-languageserver-protocol'
import { invalidParam } from '../../../errors.ts'
import type { Position, Span } from '../language-service.ts'

/** By what a server counts columns. */
export type Units = 'utf-8' | 'utf-16' | 'utf-32'

export class Positions {
  readonly #text: string
  readonly #units: Units
  #lines: readonly number[] | undefined
  #serverLines: readonly number[] | undefined

  constructor(text: string, units: Units) {
    this.#text = text
    this.#units = units
  }

  /** Throws INVALID_PARAMS where there is no such place; right after the last character of a line is one. */
  toServer({ line, column }: Position): ServerPosition {
    const lines = this.#ourLines
    const start = lines[line - 1]
    if (start === undefined)
      throw invalidParam('line', `There is no line ${line}: the file has ${count(lines.length, 'line')}.`)
    const end = this.#endOf(lines, line - 1)
    const offset = skip(this.#text, start, end, column - 1, 'utf-32')
    if (offset === undefined) {
      const length = unitsBetween(this.#text, start, end, 'utf-32')
      throw invalidParam('col', `Line ${line} has ${count(length, 'character')}: there is no column ${column} in it.`)
    }
    return this.positionAt(offset)
  }

  /** Where the server means a place that is not there, the nearest one before. */
  fromServer({ line, character }: ServerPosition): Position {
    return this.ours(this.offsetOf({ line, character }))
  }

  spanOf({ start, end }: ServerRange): Span {
    return { start: this.fromServer(start), end: this.fromServer(end) }
  }

  /** Where in the text the server means. */
  offsetOf({ line, character }: ServerPosition): number {
    const lines = this.#theirLines
    const start = lines[line]
    if (start === undefined) return this.#text.length
    const end = this.#endOf(lines, line)
    return skip(this.#text, start, end, character, this.#units) ?? end
  }

  /** Whether the text has such a line, and that so many units. */
  has({ line, character }: ServerPosition): boolean {
    const lines = this.#theirLines
    const start = lines[line]
    return (
      start !== undefined && skip(this.#text, start, this.#endOf(lines, line), character, this.#units) !== undefined
    )
  }

  /** A place in the text as the server counts. */
  positionAt(offset: number): ServerPosition {
    const lines = this.#theirLines
    const line = lastNotAbove(lines, offset)
    return { line, character: unitsBetween(this.#text, lines[line]!, offset, this.#units) }
  }

  ours(offset: number): Position {
    const lines = this.#ourLines
    const line = lastNotAbove(lines, offset)
    return { line: line + 1, column: unitsBetween(this.#text, lines[line]!, offset, 'utf-32') + 1 }
  }

  get #ourLines(): readonly number[] {
    this.#lines ??= startsAfter(this.#text, /\n/g)
    return this.#lines
  }

  get #theirLines(): readonly number[] {
    this.#serverLines ??= /\r(?!\n)/.test(this.#text) ? startsAfter(this.#text, /\r\n|\n|\r/g) : this.#ourLines
    return this.#serverLines
  }

  /** Where a line's content ends. */
  #endOf(lines: readonly number[], index: number): number {
    const next = lines[index + 1]
    if (next === undefined) return this.#text.length
    const isPair = this.#text[next - 1] === '\n' && this.#text[next - 2] === '\r'
    return Math.max(lines[index]!, next - (isPair ? 2 : 1))
  }
}

function startsAfter(text: string, ending: RegExp): number[] {
  const starts = [0]
  for (const { index, 0: end } of text.matchAll(ending)) starts.push(index + end.length)
  return starts
}

/** The offset so many units further on; undefined where the end comes before. Never within a character. */
function skip(text: string, start: number, end: number, wanted: number, units: Units): number | undefined {
  let at = start
  for (let left = wanted; left > 0; ) {
    if (at >= end) return undefined
    const point = text.codePointAt(at)!
    left -= SIZES[units](point)
    if (left < 0) break
    at += point > 0xffff ? 2 : 1
  }
  return at
}

function unitsBetween(text: string, start: number, end: number, units: Units): number {
  if (units === 'utf-16') return end - start
  let sum = 0
  for (let at = start; at < end; ) {
    const point = text.codePointAt(at)!
    sum += SIZES[units](point)
    at += point > 0xffff ? 2 : 1
  }
  return sum
}

const SIZES: Record<Units, (point: number) => number> = {
  'utf-8': point => (point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4),
  'utf-16': point => (point > 0xffff ? 2 : 1),
  'utf-32': () => 1
}

/** The last place of a sorted list whose number is not above. */
function lastNotAbove(sorted: readonly number[], number: number): number {
  let [low, high] = [0, sorted.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (sorted[middle]! <= number) low = middle
    else high = middle - 1
  }
  return low
}

const count = (n: number, what: string) => `${n} ${what}${n === 1 ? '' : 's'}`
