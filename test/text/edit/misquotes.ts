// Edits as models misquote them: the ways in which the old text of an edit differs from the file, and how often it is found anyway.
import { applyEdit } from '../../../src/text/edit/apply-edit.ts'

/** An edit of a text, and the text that it is to give. */
export interface EditCase {
  text: string
  after: string
  old: string
  new: string
}

/** Lines `first` to `last`, the latter exclusive, replaced by others. */
export interface LineChange {
  /** All lines of the text, without their ends. */
  lines: readonly string[]
  first: number
  last: number
  now: readonly string[]
}

export type Random = () => number

/** Returns a change of the same lines, indented by tabs instead of pairs of spaces. */
export function toTabs({ lines, now, ...change }: LineChange): LineChange {
  const indent = (line: string) => line.replace(/^(?: {2})+/, spaces => '\t'.repeat(spaces.length / 2))
  return { ...change, lines: lines.map(indent), now: now.map(indent) }
}

/** Returns a deterministic source of numbers from 0 to 1; mulberry32, a generator in the public domain. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const textOf = (lines: readonly string[]) => lines.map(line => `${line}\n`).join('')

const afterOf = ({ lines, first, last, now }: LineChange) =>
  textOf([...lines.slice(0, first), ...now, ...lines.slice(last)])

/** Quotes a change with this many lines of context on either side. */
export function quoteWithContext(change: LineChange, context: number): QuotedChange {
  const { lines, first, last, now } = change
  const above = lines.slice(Math.max(0, first - context), first)
  const below = lines.slice(last, last + context)
  return { change, above, old: lines.slice(first, last), now, below }
}

/** Quotes a change with the fewest lines of context that make the quote unique; undefined if there is no such number up to 8. */
export function quoteMinimally(change: LineChange): QuotedChange | undefined {
  const text = textOf(change.lines)
  for (let context = 0; context <= 8; context++) {
    const quoted = quoteWithContext(change, context)
    const old = textOf([...quoted.above, ...quoted.old, ...quoted.below])
    if (old.trim() !== '' && text.split(old).length === 2) return quoted
  }
  return undefined
}

/** A change with the quoted lines around it. */
export interface QuotedChange {
  change: LineChange
  above: readonly string[]
  old: readonly string[]
  now: readonly string[]
  below: readonly string[]
}

/** Returns the edit that a quote describes; undefined if the quote does not fit the misquotation. */
export type Misquotation = (quoted: QuotedChange, random: Random) => EditCase | undefined

function caseOf({ change, above, old, now, below }: QuotedChange): EditCase {
  return {
    text: textOf(change.lines),
    after: afterOf(change),
    old: textOf([...above, ...old, ...below]),
    new: textOf([...above, ...now, ...below])
  }
}

const mapLines = (quoted: QuotedChange, map: (line: string) => string): QuotedChange => ({
  ...quoted,
  above: quoted.above.map(map),
  old: quoted.old.map(map),
  now: quoted.now.map(map),
  below: quoted.below.map(map)
})

const indentOf = (line: string) => line.slice(0, line.length - line.trimStart().length)

/** Removes the indentation that all lines have; without one, indents them by four spaces. */
function shiftIndent(quoted: QuotedChange): EditCase | undefined {
  const filled = [...quoted.above, ...quoted.old, ...quoted.now, ...quoted.below].filter(line => line.trim() !== '')
  if (filled.length === 0) return undefined
  const common = filled.map(indentOf).reduce(commonStart)
  return caseOf(
    mapLines(quoted, line => (line.trim() === '' ? line : common === '' ? `    ${line}` : line.slice(common.length)))
  )
}

function commonStart(one: string, other: string): string {
  let length = 0
  while (length < one.length && one[length] === other[length]) length++
  return one.slice(0, length)
}

const tabsAsSpaces: Misquotation = quoted => {
  // Without an indented line the old text is quoted as it is, and nothing shows what the spaces of the new one stand for.
  const all = [...quoted.above, ...quoted.old, ...quoted.below]
  if (!all.some(line => line.startsWith('\t'))) return undefined
  return caseOf(mapLines(quoted, line => indentOf(line).replaceAll('\t', '    ') + line.trimStart()))
}

const addTrailingSpace: Misquotation = quoted => {
  const { old, ...made } = caseOf(quoted)
  return { ...made, old: old.replaceAll('\n', ' \n') }
}

/** Leaves one line of context out of the old text, other than its first and last. */
const forgetLine: Misquotation = (quoted, random) => {
  const { above, old, below } = quoted
  const lines = [...above, ...old, ...below]
  const inner = [...lines.keys()].slice(1, -1).filter(n => n < above.length || n >= above.length + old.length)
  const at = inner[Math.floor(random() * inner.length)]
  return at === undefined ? undefined : { ...caseOf(quoted), old: textOf(lines.toSpliced(at, 1)) }
}

/** Replaces one word of the context in the old text by another word of the file. */
const replaceWord: Misquotation = (quoted, random) => {
  const words = [...new Set(textOf(quoted.change.lines).match(/\w{3,}/g))]
  const { above, old, below } = quoted
  const places = [...above, ...below].flatMap((line, n) =>
    [...line.matchAll(/\w{3,}/g)].map(({ 0: word, index }) => ({ n, word, index }))
  )
  const place = places[Math.floor(random() * places.length)]
  const other = words[Math.floor(random() * words.length)]
  if (!place || other === undefined || other === place.word) return undefined
  const context = [...above, ...below]
  const line = context[place.n]!
  context[place.n] = line.slice(0, place.index) + other + line.slice(place.index + place.word.length)
  return {
    ...caseOf(quoted),
    old: textOf([...context.slice(0, above.length), ...old, ...context.slice(above.length)])
  }
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'

/** Replaces this share of the characters of the old text, other than line ends, by letters. */
const mistype =
  (share: number): Misquotation =>
  (quoted, random) => {
    const made = caseOf(quoted)
    const old = [...made.old].map(char =>
      char === '\n' || random() >= share ? char : LETTERS[Math.floor(random() * LETTERS.length)]!
    )
    return { ...made, old: old.join('') }
  }

interface MisquotationKind {
  /** Lines of context in the quote; by default as few as make it unique. */
  context?: number
  apply: Misquotation
}

export const MISQUOTATIONS = {
  exact: { apply: caseOf },
  'trailing white space': { apply: addTrailingSpace },
  indentation: { apply: shiftIndent },
  'tabs as spaces': { apply: tabsAsSpaces },
  'typos in 2 % of the characters': { context: 3, apply: mistype(0.02) },
  'typos in 6 % of the characters': { context: 3, apply: mistype(0.06) },
  'another word': { context: 3, apply: replaceWord },
  'a forgotten line': { context: 3, apply: forgetLine }
} satisfies Record<string, MisquotationKind>

export type MisquotationName = keyof typeof MISQUOTATIONS

/** Returns the misquoted edit of a change; undefined if the kind does not apply to it, or the quote stays right. */
export function misquote(name: MisquotationName, change: LineChange, random: Random): EditCase | undefined {
  const { context, apply }: MisquotationKind = MISQUOTATIONS[name]
  const quoted = context === undefined ? quoteMinimally(change) : quoteWithContext(change, context)
  return quoted && apply(quoted, random)
}

export interface MisquotationCount {
  cases: number
  /** Byte for byte as it would be with a right quote. */
  right: number
  /** Changed within six lines of the place that was meant, but other bytes. */
  other: number
  elsewhere: number
  refused: number
}

/** Applies each change, misquoted in this way, and counts what becomes of it. */
export function countOutcomes(name: MisquotationName, changes: readonly LineChange[], seed: number): MisquotationCount {
  const random = randomOf(seed)
  const count = { cases: 0, right: 0, other: 0, elsewhere: 0, refused: 0 }
  for (const change of changes) {
    const made = misquote(name, change, random)
    if (!made || made.old === made.new) continue
    count.cases++
    const result = applyEdit(made.text, 'lf', { old: made.old, new: made.new, places: 'one' })
    if (result.outcome !== 'edited') count.refused++
    else if (result.text === made.after) count.right++
    else count[isNear(change, result.text) ? 'other' : 'elsewhere']++
  }
  return count
}

const MAX_NEAR_LINES = 6

function isNear({ lines, first, last }: LineChange, result: string): boolean {
  const now = result.split('\n').slice(0, -1)
  let from = 0
  while (from < lines.length && lines[from] === now[from]) from++
  let end = 0
  while (end < Math.min(lines.length, now.length) - from && lines.at(-1 - end) === now.at(-1 - end)) end++
  return from <= last + MAX_NEAR_LINES && lines.length - end >= first - MAX_NEAR_LINES
}
