// Converts positions in one text: from 1-based lines that end at a line feed, with columns of whole characters, to LSP's 0-based
// lines, which end at a carriage return too, with columns of code units.
import type { Position as ServerPosition, Range as ServerRange } from 'vscode-languageserver-protocol'
import { invalidParam } from '../../../errors.ts'
import type { Position, Span } from '../language-service.ts'

/** Position encoding negotiated with a server. */
export type PositionEncoding = 'utf-8' | 'utf-16' | 'utf-32'

export class PositionConverter {
  readonly #text: string
  readonly #encoding: PositionEncoding
  #lineStarts: readonly number[] | undefined
  #lspLineStarts: readonly number[] | undefined

  constructor(text: string, units: PositionEncoding) {
    this.#text = text
    this.#encoding = units
  }

  /** Throws INVALID_PARAMS for a position outside the text; right after the last character of a line is valid. */
  toLspPosition({ line, column }: Position): ServerPosition {
    const lines = this.#ownLines
    const start = lines[line - 1]
    if (start === undefined)
      throw invalidParam('line', `There is no line ${line}: the file has ${pluralize(lines.length, 'line')}.`)
    const end = this.#lineEnd(lines, line - 1)
    const offset = advance(this.#text, start, end, column - 1, 'utf-32')
    if (offset === undefined) {
      const length = countUnits(this.#text, start, end, 'utf-32')
      throw invalidParam('col', `Line ${line} has ${pluralize(length, 'character')}: column ${column} does not exist.`)
    }
    return this.lspPositionAt(offset)
  }

  /** A position outside the text is clamped to the nearest one before. */
  fromLspPosition({ line, character }: ServerPosition): Position {
    return this.positionAt(this.offsetAt({ line, character }))
  }

  toSpan({ start, end }: ServerRange): Span {
    return { start: this.fromLspPosition(start), end: this.fromLspPosition(end) }
  }

  /** Converts a server's position to an offset in the text. */
  offsetAt({ line, character }: ServerPosition): number {
    const lines = this.#lspLines
    const start = lines[line]
    if (start === undefined) return this.#text.length
    const end = this.#lineEnd(lines, line)
    return advance(this.#text, start, end, character, this.#encoding) ?? end
  }

  /** Checks if the text has such a line, and that so many units. */
  isValid({ line, character }: ServerPosition): boolean {
    const lines = this.#lspLines
    const start = lines[line]
    return (
      start !== undefined &&
      advance(this.#text, start, this.#lineEnd(lines, line), character, this.#encoding) !== undefined
    )
  }

  /** Converts an offset to a server's position. */
  lspPositionAt(offset: number): ServerPosition {
    const lines = this.#lspLines
    const line = lastIndexAtMost(lines, offset)
    return { line, character: countUnits(this.#text, lines[line]!, offset, this.#encoding) }
  }

  positionAt(offset: number): Position {
    const lines = this.#ownLines
    const line = lastIndexAtMost(lines, offset)
    return { line: line + 1, column: countUnits(this.#text, lines[line]!, offset, 'utf-32') + 1 }
  }

  get #ownLines(): readonly number[] {
    this.#lineStarts ??= lineStarts(this.#text, /\n/g)
    return this.#lineStarts
  }

  get #lspLines(): readonly number[] {
    this.#lspLineStarts ??= /\r(?!\n)/.test(this.#text) ? lineStarts(this.#text, /\r\n|\n|\r/g) : this.#ownLines
    return this.#lspLineStarts
  }

  /** Returns the end of a line's content. */
  #lineEnd(lines: readonly number[], index: number): number {
    const next = lines[index + 1]
    if (next === undefined) return this.#text.length
    const isPair = this.#text[next - 1] === '\n' && this.#text[next - 2] === '\r'
    return Math.max(lines[index]!, next - (isPair ? 2 : 1))
  }
}

function lineStarts(text: string, ending: RegExp): number[] {
  const starts = [0]
  for (const { index, 0: end } of text.matchAll(ending)) starts.push(index + end.length)
  return starts
}

/** Returns the offset so many units further on; undefined beyond the end. Never within a character. */
function advance(
  text: string,
  start: number,
  end: number,
  wanted: number,
  units: PositionEncoding
): number | undefined {
  let at = start
  for (let left = wanted; left > 0; ) {
    if (at >= end) return undefined
    const point = text.codePointAt(at)!
    left -= UNIT_SIZES[units](point)
    if (left < 0) break
    at += point > 0xffff ? 2 : 1
  }
  return at
}

function countUnits(text: string, start: number, end: number, units: PositionEncoding): number {
  if (units === 'utf-16') return end - start
  let sum = 0
  for (let at = start; at < end; ) {
    const point = text.codePointAt(at)!
    sum += UNIT_SIZES[units](point)
    at += point > 0xffff ? 2 : 1
  }
  return sum
}

const UNIT_SIZES: Record<PositionEncoding, (point: number) => number> = {
  'utf-8': point => (point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4),
  'utf-16': point => (point > 0xffff ? 2 : 1),
  'utf-32': () => 1
}

/** Returns the last index of a sorted list whose number is not above. */
function lastIndexAtMost(sorted: readonly number[], number: number): number {
  let [low, high] = [0, sorted.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (sorted[middle]! <= number) low = middle
    else high = middle - 1
  }
  return low
}

const pluralize = (n: number, what: string) => `${n} ${what}${n === 1 ? '' : 's'}`
