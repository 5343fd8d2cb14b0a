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
    const keys = wanted.lines.map((line, i) => level.key(i === 0 ? unmarked(line) : line))
    if (keys.length === 0 || (level !== EXACT && keys.every(key => key.trim() === ''))) return []
    const { ids, idOf } = this.#index(level)
    const places: number[] = []
    for (const at of occurrences(
      ids,
      keys.map(key => idOf.get(key) ?? -1)
    )) {
      if (this.fits(level, wanted, at)) places.push(at)
      if (places.length === PLACES_COUNTED) break
    }
    return places
  }

  #isIndentedAlike(lines: readonly string[], at: number) {
    return indentsBetween(lines.map(withoutCr), this.lines.slice(at, at + lines.length)) !== undefined
  }

  #index(level: Level): Index {
    const known = this.#indexes.get(level)
    if (known) return known
    const idOf = new Map<string, number>()
    const ids = Int32Array.from(this.lines, line => {
      const key = level.key(line)
      const id = idOf.get(key) ?? idOf.size
      idOf.set(key, id)
      return id
    })
    const index = { ids, idOf }
    this.#indexes.set(level, index)
    return index
  }
}

/** The lines as numbers, the same ones the same. */
interface Index {
  ids: Int32Array
  idOf: ReadonlyMap<string, number>
}

/** Where one sequence occurs in another, overlapping too: the method of Knuth, Morris and Pratt (1977), which never looks
 * back, however often parts of it repeat. */
function* occurrences(ids: Int32Array, wanted: readonly number[]): Generator<number> {
  if (wanted.includes(-1)) return
  const borders = bordersOf(wanted)
  let matched = 0
  for (let i = 0; i < ids.length; i++) {
    while (matched > 0 && wanted[matched] !== ids[i]) matched = borders[matched - 1]!
    if (wanted[matched] === ids[i]) matched++
    if (matched < wanted.length) continue
    yield i - matched + 1
    matched = borders[matched - 1]!
  }
}

/** For each beginning, the length of the longest shorter one that it ends with. */
function bordersOf(wanted: readonly number[]): number[] {
  const borders = [0]
  let length = 0
  for (let i = 1; i < wanted.length; i++) {
    while (length > 0 && wanted[i] !== wanted[length]) length = borders[length - 1]!
    if (wanted[i] === wanted[length]) length++
    borders.push(length)
  }
  return borders
}
