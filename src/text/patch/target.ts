// The lines of a file that a patch is to change, and where in them given lines stand, more or less exactly.

import { hasLookAlikes, plain as plainText } from '../confusables.ts'
import { indentsBetween } from '../edit/indent.ts'
import { occurrences } from '../edit/occurrences.ts'
import { withoutCr } from '../line-table.ts'

/** How the lines of a hunk were found: exactly, or forgiving what is named. `line_number`: there were none to find. */
export type Match = 'exact' | 'line_endings' | 'whitespace' | 'indentation' | 'look_alikes' | 'line_number'

/** One way of comparing, from strict to lenient. */
export interface Level {
  match: Match
  /** Lines are the same where their keys are. */
  key(line: string): string
}

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
export const PLACES_COUNTED = 1000

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
  fits(level: Level, wanted: Wanted, at: number): boolean {
    const { lines } = wanted
    if (at < 0 || at + lines.length > this.lines.length) return false
    const same = (line: string, i: number) =>
      level.key(this.lines[at + i]!) === level.key(at + i === 0 ? unmarked(line) : line)
    return lines.every(same) && this.#suits(level, wanted, at)
  }

  /** Every place where the lines stand, in order. White space alone stands nowhere in particular. */
  places(level: Level, wanted: Wanted): number[] {
    const keys = wanted.lines.map((line, i) => level.key(i === 0 ? unmarked(line) : line))
    if (keys.length === 0 || (level !== EXACT && keys.every(key => key.trim() === ''))) return []
    const index = this.#index(level)
    const ids = keys.map(key => index.idOf.get(key) ?? -1)
    if (ids.includes(-1)) return []
    const below = level.key(wanted.lines[0]!) === keys[0]
    const places: number[] = []
    for (const at of ids.length === 1 ? linesLike(index, ids[0]!) : occurrences(index.ids, ids)) {
      if ((at === 0 || below) && this.#suits(level, wanted, at)) places.push(at)
      if (places.length === PLACES_COUNTED) break
    }
    return places
  }

  /** Of lines with the same keys: whether what the keys do not tell fits too. */
  #suits(level: Level, { lines, open }: Wanted, at: number) {
    const last = at + lines.length === this.lines.length
    if (level === EXACT && open !== undefined && lines.length > 0 && open !== (last && this.open)) return false
    return level !== INDENTATION || this.#isIndentedAlike(lines, at)
  }

  #isIndentedAlike(lines: readonly string[], at: number) {
    return indentsBetween(lines.map(withoutCr), this.lines.slice(at, at + lines.length)) !== undefined
  }

  #index(level: Level): Index {
    const known = this.#indexes.get(level)
    if (known) return known
    const idOf = new Map<string, number>()
    const ids = new Int32Array(this.lines.length)
    const next = new Int32Array(this.lines.length)
    const first: number[] = []
    for (let i = this.lines.length - 1; i >= 0; i--) {
      const key = level.key(this.lines[i]!)
      const id = idOf.get(key) ?? idOf.size
      idOf.set(key, id)
      ids[i] = id
      next[i] = first[id] ?? -1
      first[id] = i
    }
    const index = { ids, idOf, first, next }
    this.#indexes.set(level, index)
    return index
  }
}

/** The lines as numbers, the same ones the same. */
interface Index {
  ids: Int32Array
  idOf: ReadonlyMap<string, number>
  /** By number: the first line that has it. */
  first: readonly number[]
  /** By line: the next one that has the same number, or -1. */
  next: Int32Array
}

function* linesLike({ first, next }: Index, id: number): Generator<number> {
  for (let at = first[id]!; at >= 0; at = next[at]!) yield at
}
