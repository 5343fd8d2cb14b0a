// Replacing one piece of text by another where the piece may be quoted not quite as it stands: exactly at first, then
// forgiving line endings, white space at line ends, indentation, and at last small differences of any kind.
import type { Breathe } from './approximate.ts'
import { type Eol, withEol } from './encoding.ts'
import { mostSimilar } from './fuzzy.ts'
import { indentsBetween, reindent } from './indent.ts'
import { endOfLine, type Lines, lineAt, lineNumberAt, linesOf } from './lines.ts'

export type MatchKind = 'exact' | 'line_endings' | 'whitespace' | 'indentation' | 'fuzzy'

export interface Edit {
  old: string
  new: string
  /** One place, which must be the only one, or every place. */
  places: 'one' | 'all'
}

export interface Edited {
  outcome: 'edited'
  text: string
  match: MatchKind
  similarity: number
  replacements: number
}

/** A place that was or could have been meant; lines count from 1. */
export interface Candidate {
  start_line: number
  end_line: number
  similarity: number
  text: string
}

export interface NotEdited {
  outcome: 'not_found' | 'ambiguous'
  /** Which comparison found the places. */
  match: MatchKind
  candidates: Candidate[]
  /** How many places there are, candidates told or not. */
  places: number
  /** False where the search was ended before all was compared. */
  complete: boolean
}

/** Below this, text is not taken for a misquotation. */
export const FUZZY_THRESHOLD = 0.7
/** Two fuzzy places this close are equally good. */
const FUZZY_MARGIN = 0.02
/** More places than this are not counted. */
const PLACES_COUNTED = 1000
const CANDIDATES_TOLD = 5

interface Replacement {
  start: number
  end: number
  text: string
}

type Finder = (text: string, eol: Eol, edit: Edit) => Replacement[]

export async function applyEdit(text: string, eol: Eol, edit: Edit, breathe: Breathe): Promise<Edited | NotEdited> {
  for (const [match, find] of FINDERS) {
    const found = find(text, eol, edit)
    if (found.length === 0) continue
    if (found.length === 1 || edit.places === 'all') {
      const chosen = apart(found)
      return { outcome: 'edited', text: replaced(text, chosen), match, similarity: 1, replacements: chosen.length }
    }
    const candidates = found.slice(0, CANDIDATES_TOLD).map(place => candidateAt(text, place))
    return { outcome: 'ambiguous', match, candidates, places: found.length, complete: true }
  }
  return editMostSimilar(text, eol, edit, breathe)
}

const FINDERS: [MatchKind, Finder][] = [
  ['exact', findExact],
  ['line_endings', findWithAnyEol],
  ['whitespace', findWithAnyLineEnds],
  ['indentation', findWithAnyIndent]
]

function findExact(text: string, eol: Eol, edit: Edit): Replacement[] {
  const replacement = withEol(edit.new, eol)
  const end = edit.old.length
  return positions(text, edit.old).map(start => ({ start, end: start + end, text: replacement }))
}

/** Overlapping ones too: either could be the one that was meant. */
function positions(text: string, wanted: string) {
  const found: number[] = []
  for (let at = text.indexOf(wanted); at >= 0 && found.length < PLACES_COUNTED; at = text.indexOf(wanted, at + 1)) {
    found.push(at)
  }
  return found
}

function findWithAnyEol(text: string, eol: Eol, edit: Edit): Replacement[] {
  if (!edit.old.includes('\n')) return []
  const flat = text.replaceAll('\r\n', '\n')
  const found = positions(flat, edit.old.replaceAll('\r\n', '\n'))
  if (found.length === 0) return []
  const inText = positionsBefore(text)
  const length = edit.old.replaceAll('\r\n', '\n').length
  return found.map(at => {
    const [start, end] = [inText(at), inText(at + length)]
    return { start, end, text: fitted(edit.new, eol, text.slice(start, end)) }
  })
}

/** Turns a position in a text without the CRs of its CRLFs into one in the text itself. */
function positionsBefore(text: string) {
  const dropped: number[] = []
  for (let at = text.indexOf('\r\n'); at >= 0; at = text.indexOf('\r\n', at + 2)) dropped.push(at - dropped.length)
  return (position: number) => {
    let [low, high] = [0, dropped.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (dropped[middle]! < position) low = middle + 1
      else high = middle
    }
    return position + low
  }
}

function findWithAnyLineEnds(text: string, eol: Eol, edit: Edit): Replacement[] {
  const wanted = wantedLines(edit.old)
  if (!wanted) return []
  const lines = linesOf(text)
  const starts = windowsThat(lines.trimmed, wanted.trimmed, (line, other) => line === other)
  return starts.map(first => replaceLines(lines, first, wanted.trimmed.length, eol, edit, edit.new))
}

function findWithAnyIndent(text: string, eol: Eol, edit: Edit): Replacement[] {
  const wanted = wantedLines(edit.old)
  if (!wanted) return []
  const lines = linesOf(text)
  const bare = wanted.trimmed.map(line => line.trimStart())
  const bareLines = lines.trimmed.map(line => line.trimStart())
  const count = bare.length
  return windowsThat(bareLines, bare, (line, other) => line === other).flatMap(first => {
    const here = Array.from({ length: count }, (_, i) => lineAt(lines, first + i))
    const indents = indentsBetween(wanted.trimmed, here)
    if (!indents) return []
    const replacement = reindent(edit.new.split('\n'), indents).join('\n')
    return [replaceLines(lines, first, count, eol, edit, replacement)]
  })
}

/** Undefined where nothing but white space is wanted: that stands nowhere in particular. */
function wantedLines(old: string): Lines | undefined {
  return old.trim() === '' ? undefined : linesOf(old)
}

function windowsThat(lines: readonly string[], wanted: readonly string[], agree: (a: string, b: string) => boolean) {
  const found: number[] = []
  for (let first = 0; first + wanted.length <= lines.length && found.length < PLACES_COUNTED; first++) {
    if (wanted.every((line, i) => agree(lines[first + i]!, line))) found.push(first)
  }
  return found
}

async function editMostSimilar(text: string, eol: Eol, edit: Edit, breathe: Breathe): Promise<Edited | NotEdited> {
  const wanted = wantedLines(edit.old)
  if (!wanted) return { outcome: 'not_found', match: 'fuzzy', candidates: [], places: 0, complete: true }
  const lines = linesOf(text)
  const limits = { threshold: FUZZY_THRESHOLD, margin: FUZZY_MARGIN }
  const { windows, complete } = await mostSimilar(lines.trimmed, wanted.trimmed, limits, breathe)
  const good = windows.filter(({ similarity }) => similarity >= FUZZY_THRESHOLD)
  const best = good[0]
  const equal = good.filter(({ similarity }) => similarity >= best!.similarity - FUZZY_MARGIN)
  // Every place that is only similar must be looked at by somebody: it is never one of many.
  if (best && equal.length === 1 && complete && edit.places === 'one') {
    const place = replaceLines(lines, best.first, best.last - best.first + 1, eol, edit, edit.new)
    const similarity = rounded(best.similarity)
    return { outcome: 'edited', text: replaced(text, [place]), match: 'fuzzy', similarity, replacements: 1 }
  }
  const outcome = equal.length > 1 && edit.places === 'one' ? 'ambiguous' : 'not_found'
  const candidates = windows.map(({ first, last, similarity }) => ({
    start_line: first + 1,
    end_line: last + 1,
    similarity: rounded(similarity),
    text: text.slice(lines.starts[first]!, lines.starts[last + 1]!)
  }))
  return { outcome, match: 'fuzzy', candidates, places: equal.length, complete }
}

/** Whole lines replaced; the ending of the last one goes with them only if the wanted text has one too. */
function replaceLines(lines: Lines, first: number, count: number, eol: Eol, { old }: Edit, text: string): Replacement {
  const start = lines.starts[first]!
  const next = lines.starts[first + count]!
  const content = endOfLine(lines.text, next)
  if (!old.endsWith('\n')) return { start, end: content, text: fitted(text, eol, lines.text.slice(start, next)) }
  // The last line of a file may lack the ending that the wanted text has: it stays without.
  const literal = content === next ? text.replace(/\r?\n$/, '') : text
  return { start, end: next, text: fitted(literal, eol, lines.text.slice(start, next)) }
}

/** New text in the line endings of where it goes. */
function fitted(text: string, eol: Eol, around: string) {
  const flat = text.replaceAll('\r\n', '\n')
  return eol === 'crlf' || (eol === 'mixed' && around.includes('\r\n')) ? withEol(flat, 'crlf') : flat
}

function apart(found: readonly Replacement[]) {
  const chosen: Replacement[] = []
  for (const place of found) if (place.start >= (chosen.at(-1)?.end ?? 0)) chosen.push(place)
  return chosen
}

function replaced(text: string, places: readonly Replacement[]) {
  const parts: string[] = []
  let at = 0
  for (const place of places) {
    parts.push(text.slice(at, place.start), place.text)
    at = place.end
  }
  return parts.join('') + text.slice(at)
}

function candidateAt(text: string, { start, end }: Replacement): Candidate {
  const lastChar = Math.max(start, text[end - 1] === '\n' ? end - 1 : end)
  const [start_line, end_line] = [lineNumberAt(text, start), lineNumberAt(text, lastChar)]
  return { start_line, end_line, similarity: 1, text: text.slice(start, end) }
}

const rounded = (similarity: number) => Math.floor(similarity * 1000) / 1000
