// The lines of a file that a patch is to change, and where in them given lines stand, more or less exactly.
import { indentsBetween } from './indent.ts'
import { hasLookAlikes, plain as plainText } from './look-alikes.ts'

/** How the lines of a hunk were found: exactly, or forgiving what is named. `line_number`: there were none to find. */
export type Match = 'exact' | 'line_endings' | 'whitespace' | 'indentation' | 'look_alikes' | 'line_number'

/** One way of comparing, from strict to lenient. */
export interface Level {
  match: Match
  /** Lines are the same where their keys are. */
  key(line: string): string
}

const withoutCr = (line: string) => (line.endsWith('\r') ? line.slice(0, -1) : line)

export const EXACT: Level = { match: 'exact', key: line => line }
export const INDENTATION: Level = { match: 'indentation', key: line => line.trim() }
export const LEVELS: readonly Level[] = [
  EXACT,
  { match: 'line_endings', key: withoutCr },
  { match: 'whitespace', key: line => line.trimEnd() },
  INDENTATION,
  { match: 'look_alikes', key: line => (hasLookAlikes(line) ? plainText(line).text : line).trimEnd() }
]

/** Lines that must stand together. */
export interface Wanted {
  lines: readonly string[]
  /** Whether the last one ends without a newline; undefined where the patch does not tell. */
  open: boolean | undefined
}

/** It stands before the first line of a file and is no part of it. */
const BYTE_ORDER_MARK = '\ufeff'
/** More places than this are not counted. */
const PLACES_COUNTED = 1000

export const isMarked = (line: string) => line.startsWith(BYTE_ORDER_MARK)
export const marked = (text: string) => BYTE_ORDER_MARK + text
export const unmarked = (line: string) => (isMarked(line) ? line.slice(1) : line)

export class Ground {
  /** Without newlines and byte order mark. */
  readonly lines: readonly string[]
  /** The last line ends without a newline. */
  readonly open: boolean
  /** The file begins with a byte order mark. */
  readonly marked: boolean
  readonly #indexes = new Map<Level, Index>()

  constructor(text: string) {
    this.marked = isMarked(text)
    const lines = unmarked(text).split('\n')
    // A mark with nothing after it is a line, as git sees it.
    this.open = lines.at(-1) !== '' || (this.marked && text.length === 1)
    if (!this.open) lines.pop()
    this.lines = lines
  }

  /** Whether the lines stand at a place, given as the number of its first line. */
  fits(level: Level, { lines, open }: Wanted, at: number): boolean {
    if (at < 0 || at + lines.length > this.lines.length) return false
    const last = at + lines.length === this.lines.length
    if (level === EXACT && open !== undefined && lines.length > 0 && open !== (last && this.open)) return false
    const same = (line: string, i: number) =>
      level.key(this.lines[at + i]!) === level.key(at + i === 0 ? unmarked(line) : line)
    return lines.every(same) && (level !== INDENTATION || this.#isIndentedAlike(lines, at))
  }

  /** Every place where the lines stand, in order. White space alone stands nowhere in particular. */
  places(level: Level, wanted: Wanted): number[] {
    const index = this.#index(level)
    const keys = wanted.lines.map((line, i) => level.key(i === 0 ? unmarked(line) : line))
    if (level !== EXACT && keys.every(key => key.trim() === '')) return []
    let rarest: { i: number; at: readonly number[] } | undefined
    for (const [i, key] of keys.entries()) {
      const at = index.get(key) ?? []
      if (!rarest || at.length < rarest.at.length) rarest = { i, at }
    }
    const { i, at } = rarest ?? { i: 0, at: [] }
    const places: number[] = []
    for (const place of at) {
      if (places.length === PLACES_COUNTED) break
      if (this.fits(level, wanted, place - i)) places.push(place - i)
    }
    return places
  }

  #isIndentedAlike(lines: readonly string[], at: number) {
    return indentsBetween(lines.map(withoutCr), this.lines.slice(at, at + lines.length)) !== undefined
  }

  #index(level: Level): Index {
    const known = this.#indexes.get(level)
    if (known) return known
    const index: Index = new Map()
    for (const [i, line] of this.lines.entries()) {
      const key = level.key(line)
      const at = index.get(key)
      if (at) at.push(i)
      else index.set(key, [i])
    }
    this.#indexes.set(level, index)
    return index
  }
}

/** Where each line stands, by its key. */
type Index = Map<string, number[]>
