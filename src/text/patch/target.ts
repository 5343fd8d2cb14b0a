// The lines of a file to patch, and searches in them with several levels of tolerance.

import { hasConfusables, normalizeConfusables as plainText } from '../confusables.ts'
import { mapIndents } from '../edit/indent.ts'
import { occurrences } from '../edit/occurrences.ts'
import { withoutCr } from '../line-table.ts'

/** Match of a hunk: exact, or with the named tolerance. `line_number`: there were no lines to find. */
export type HunkMatch = 'exact' | 'line_endings' | 'whitespace' | 'indentation' | 'look_alikes' | 'line_number'

/** One level of comparison, from strict to lenient. */
export interface MatchLevel {
  match: HunkMatch
  /** Lines are equal if their keys are. */
  key(line: string): string
}

export const EXACT: MatchLevel = { match: 'exact', key: line => line }
export const INDENTATION: MatchLevel = { match: 'indentation', key: line => line.trim() }
export const MATCH_LEVELS: readonly MatchLevel[] = [
  EXACT,
  { match: 'line_endings', key: withoutCr },
  { match: 'whitespace', key: line => line.trimEnd() },
  INDENTATION,
  { match: 'look_alikes', key: line => (hasConfusables(line) ? plainText(line).text : line).trimEnd() }
]

/** Consecutive lines to find. */
export interface WantedLines {
  lines: readonly string[]
  /** Set if the last one ends without a newline; undefined if the patch does not indicate it. */
  open: boolean | undefined
}

/** Precedes the first line of a file and is not part of it. */
const BYTE_ORDER_MARK = '\ufeff'
/** Maximum number of matches counted. */
export const MAX_PLACES = 1000

export const hasBom = (line: string) => line.startsWith(BYTE_ORDER_MARK)
export const addBom = (text: string) => BYTE_ORDER_MARK + text
export const stripBom = (line: string) => (hasBom(line) ? line.slice(1) : line)

export class PatchTarget {
  /** Without newlines and byte order mark. */
  readonly lines: readonly string[]
  /** The last line ends without a newline. */
  readonly endsWithoutNewline: boolean
  /** The file begins with a byte order mark. */
  readonly hasBom: boolean
  readonly #indexes = new Map<MatchLevel, Index>()

  constructor(text: string) {
    this.hasBom = hasBom(text)
    const lines = stripBom(text).split('\n')
    // A byte order mark with nothing after it is a line, as in git.
    this.endsWithoutNewline = lines.at(-1) !== '' || (this.hasBom && text.length === 1)
    if (!this.endsWithoutNewline) lines.pop()
    this.lines = lines
  }

  /** Checks if the lines match at a location, given as the number of its first line. */
  matchesAt(level: MatchLevel, wanted: WantedLines, at: number): boolean {
    const { lines } = wanted
    if (at < 0 || at + lines.length > this.lines.length) return false
    const same = (line: string, i: number) =>
      level.key(this.lines[at + i]!) === level.key(at + i === 0 ? stripBom(line) : line)
    return lines.every(same) && this.#matchesContext(level, wanted, at)
  }

  /** Returns every match, in order. White space alone has no meaningful location. */
  findPlaces(level: MatchLevel, wanted: WantedLines): number[] {
    const keys = wanted.lines.map((line, i) => level.key(i === 0 ? stripBom(line) : line))
    if (keys.length === 0 || (level !== EXACT && keys.every(key => key.trim() === ''))) return []
    const index = this.#lineIndex(level)
    const ids = keys.map(key => index.idOf.get(key) ?? -1)
    if (ids.includes(-1)) return []
    const below = level.key(wanted.lines[0]!) === keys[0]
    const places: number[] = []
    for (const at of ids.length === 1 ? linesWithId(index, ids[0]!) : occurrences(index.ids, ids)) {
      if ((at === 0 || below) && this.#matchesContext(level, wanted, at)) places.push(at)
      if (places.length === MAX_PLACES) break
    }
    return places
  }

  /** Checks lines with equal keys for the properties that keys do not include. */
  #matchesContext(level: MatchLevel, { lines, open }: WantedLines, at: number) {
    const last = at + lines.length === this.lines.length
    if (level === EXACT && open !== undefined && lines.length > 0 && open !== (last && this.endsWithoutNewline))
      return false
    return level !== INDENTATION || this.#isIndentedConsistently(lines, at)
  }

  #isIndentedConsistently(lines: readonly string[], at: number) {
    return mapIndents(lines.map(withoutCr), this.lines.slice(at, at + lines.length)) !== undefined
  }

  #lineIndex(level: MatchLevel): Index {
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

/** Lines as ids, equal ones with equal ids. */
interface Index {
  ids: Int32Array
  idOf: ReadonlyMap<string, number>
  /** By id: the first line that has it. */
  first: readonly number[]
  /** By line: the next one with the same id, or -1. */
  next: Int32Array
}

function* linesWithId({ first, next }: Index, id: number): Generator<number> {
  for (let at = first[id]!; at >= 0; at = next[at]!) yield at
}
