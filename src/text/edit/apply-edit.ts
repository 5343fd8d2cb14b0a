// Replaces quoted text that may differ from the file: tries an exact match first, then tolerates differences in line endings,
// trailing white space, indentation, escapes and confusable characters, and finally small differences of any kind.

import { hasConfusables, normalizeConfusables } from '../confusables.ts'
import { type Eol, toDisplayText } from '../encoding.ts'
import { indexLines, type LineTable, lineNumberAt } from '../line-table.ts'
import { restoreBytes, type UncertainBytes } from '../replaced-bytes.ts'
import { ESCAPE_TRANSFORMS } from './escape-transforms.ts'
import { findMostSimilar } from './find-most-similar.ts'
import {
  findExact,
  findLeftOutLines,
  findWithAnyEol,
  findWithAnyIndent,
  findWithAnyLineEnds,
  lazyReplacement,
  linesToFind,
  type QuoteFinder,
  replaceLines
} from './find-quoted-text.ts'
import { findWithForgottenLines } from './forgotten-lines.ts'
import type { LineWindow } from './line-window.ts'
import type { Quote, Replacement } from './quote.ts'
import { indentByTabs } from './tab-indent.ts'

/** Kinds of matches, from the strictest to the most lenient. */
export const MATCH_KINDS = [
  'exact',
  'line_endings',
  'whitespace',
  'indentation',
  'escapes',
  'look_alikes',
  'fuzzy'
] as const
export type MatchKind = (typeof MATCH_KINDS)[number]

export interface Edit extends Quote {
  /** Replaces a unique match, or every match. */
  places: 'one' | 'all'
}

export interface EditApplied extends EditFound {
  text: string
}

/** An edit that is located in the text as it is shown. */
export interface LocatedEdit extends EditFound {
  places: Replacement[]
}

interface EditFound {
  outcome: 'edited'
  match: MatchKind
  similarity: number
  replacements: number
  /** The indentation of the new text may be wrong. */
  uncertain?: true
  /** The replaced lines, if found by similarity. */
  window?: LineWindow
}

/** A match or near match; lines count from 1. */
export interface EditCandidate {
  start_line: number
  end_line: number
  similarity: number
  text: string
  /** The cell of a notebook, counted from 1, that the lines are counted in. */
  cell?: number
}

export interface EditNotApplied {
  outcome: 'not_found' | 'ambiguous'
  /** The kind of the matches. */
  match: MatchKind
  candidates: EditCandidate[]
  /** Number of matches, listed or not. */
  places: number
  /** The nearest lines were not replaced, since the new text begins or ends with the line beside them. */
  repeats?: true
}

/** Below the threshold, text is not considered a misquotation; two matches within the margin are equally good. */
export const FUZZY_LIMITS = { threshold: 0.7, margin: 0.02 }
export const MAX_CANDIDATES = 5
/** Maximum number of matches counted if one is expected. */
const MAX_PLACES_COUNTED = 1_000

/**
 * Applies one edit. Bytes that are not in the encoding are quoted as they are shown, by U+FFFD, and stay where the new text has it,
 * too.
 */
export function applyEdit(text: string, eol: Eol, edit: Edit): EditApplied | EditNotApplied | UncertainBytes {
  const found = locateEdit(text, eol, edit)
  return found.outcome === 'edited' ? applyLocated(text, found) : found
}

/** Finds what an edit replaces. */
const locateEdit = (text: string, eol: Eol, edit: Edit): LocatedEdit | EditNotApplied =>
  locateQuoted(text, eol, edit) ?? locateSimilar(text, eol, edit)

/** Finds the quoted text by every comparison but similarity; undefined if it is not there. */
export function locateQuoted(text: string, eol: Eol, edit: Edit): LocatedEdit | EditNotApplied | undefined {
  const shown = toDisplayText(text)
  const tabs = indentByTabs(shown, edit)
  const found = findQuoted(shown, eol, { ...edit, ...(tabs && { new: tabs.new }) })
  if (!found || !tabs) return found
  const adapted = EXACT_KINDS.has(found.match) ? { ...found, match: 'indentation' as const } : found
  return tabs.isUncertain && adapted.outcome === 'edited' ? { ...adapted, uncertain: true } : adapted
}

/** Finds the most similar text, for a quote that is not there. */
export function locateSimilar(text: string, eol: Eol, edit: Edit): LocatedEdit | EditNotApplied {
  const shown = toDisplayText(text)
  const tabs = indentByTabs(shown, edit)
  return editMostSimilar(shown, eol, { ...edit, ...(tabs && { new: tabs.new }) })
}

/** Applies an edit to the text that it was located in. */
export function applyLocated(text: string, { places, ...rest }: LocatedEdit): EditApplied | UncertainBytes {
  const restored = text.isWellFormed() ? places : restorePlaces(text, places)
  return 'outcome' in restored ? restored : { ...rest, text: applyReplacements(text, restored) }
}

function restorePlaces(text: string, places: readonly Replacement[]): Replacement[] | UncertainBytes {
  const restored: Replacement[] = []
  for (const place of places) {
    const { start, end } = place
    const now = restoreBytes(text.slice(start, end), place.text)
    if (typeof now !== 'string') return now
    restored.push({ start, end, text: now })
  }
  return restored
}

/** Kinds that say less than that the new text was indented. */
const EXACT_KINDS: ReadonlySet<MatchKind> = new Set(['exact', 'line_endings', 'whitespace'])

function findQuoted(text: string, eol: Eol, edit: Edit): LocatedEdit | EditNotApplied | undefined {
  const most = edit.places === 'all' ? Number.POSITIVE_INFINITY : MAX_PLACES_COUNTED
  for (const [match, find] of COMPARISONS) {
    const found = find(text, eol, edit, most)
    if (found.length === 0) continue
    const windows = cutsLines(text, edit.old, found) ? findLeftOutLines(text, edit.old) : []
    if (windows.length > 0 && /^\r?\n/.test(edit.old)) continue
    if (windows.length > 0 && edit.places === 'one') return toAmbiguous(text, match, found, windows)
    if (found.length === 1 || edit.places === 'all') {
      const chosen = withoutOverlaps(found)
      return {
        outcome: 'edited',
        places: chosen,
        match: chosen.find(place => place.match)?.match ?? match,
        similarity: 1,
        replacements: chosen.length,
        ...(chosen.some(({ isUncertain }) => isUncertain) && { uncertain: true })
      }
    }
    return toAmbiguous(text, match, found, [])
  }
  return undefined
}

function toAmbiguous(
  text: string,
  match: MatchKind,
  found: readonly Replacement[],
  windows: readonly LineWindow[]
): EditNotApplied {
  const all = [
    ...found.slice(0, MAX_CANDIDATES).map(place => candidateAt(text, place)),
    ...windows.slice(0, MAX_CANDIDATES).map(window => windowCandidate(indexLines(text), window))
  ]
  return {
    outcome: 'ambiguous',
    match,
    candidates: all.slice(0, MAX_CANDIDATES),
    places: found.length + windows.length
  }
}

/**
 * Checks if a quote of several lines begins or ends within lines of the file. If these lines stand there with others between them, too,
 * either may be meant; with an empty line first, only the latter.
 */
const cutsLines = (text: string, old: string, found: readonly Replacement[]) =>
  old.includes('\n') &&
  found.some(({ start, end }) => {
    const before = text.slice(text.lastIndexOf('\n', start - 1) + 1, start)
    if (start > 0 && (/^\r?\n/.test(old) ? before !== '' : before.trim() !== '')) return true
    const next = text.indexOf('\n', end)
    return !old.endsWith('\n') && text.slice(end, next < 0 ? text.length : next).trim() !== ''
  })

const BY_LAYOUT: readonly [MatchKind, QuoteFinder][] = [
  ['exact', findExact],
  ['line_endings', findWithAnyEol],
  ['whitespace', findWithAnyLineEnds],
  ['indentation', findWithAnyIndent]
]

const COMPARISONS: readonly [MatchKind, QuoteFinder][] = [
  ...BY_LAYOUT,
  ['escapes', findWithOtherEscapes],
  ['look_alikes', findConfusables]
]

function findByLayout(text: string, eol: Eol, quote: Quote, most: number): Replacement[] {
  for (const [, find] of BY_LAYOUT) {
    const found = find(text, eol, quote, most)
    if (found.length > 0) return found
  }
  return []
}

function findWithOtherEscapes(text: string, eol: Eol, quote: Quote, most: number): Replacement[] {
  for (const respell of ESCAPE_TRANSFORMS) {
    const [old, now] = [respell(quote.old), respell(quote.new)]
    if (old === quote.old || old === now || old.trim() === '' || !now.isWellFormed()) continue
    const found = findByLayout(text, eol, { old, new: now }, most)
    if (found.length > 0) return found
  }
  return []
}

function findConfusables(text: string, eol: Eol, quote: Quote, most: number): Replacement[] {
  if (!hasConfusables(quote.old) && !hasConfusables(text)) return []
  const old = normalizeConfusables(quote.old).text
  if (old.trim() === '') return []
  const here = normalizeConfusables(text)
  return findByLayout(here.text, eol, { old, new: quote.new }, most).flatMap(place => {
    const original = here.toOriginal(place.start, place.end)
    const facts = place.isUncertain ? { isUncertain: place.isUncertain } : {}
    return original ? [lazyReplacement(original.start, original.end, () => place.text, facts)] : []
  })
}

function editMostSimilar(text: string, eol: Eol, edit: Edit): LocatedEdit | EditNotApplied {
  const wanted = linesToFind(edit.old)
  if (!wanted) return { outcome: 'not_found', match: 'fuzzy', candidates: [], places: 0 }
  const lines = indexLines(text)
  const { good, nearest } = findWindows(lines, wanted)
  const [only] = good
  // Every similarity match needs review: it is never one of many.
  const chosen = good.length === 1 && edit.places === 'one' ? only : undefined
  const repeats = chosen !== undefined && repeatsNeighbour(lines, chosen, edit.new)
  if (chosen && !repeats) {
    const { first, last } = chosen
    const place = replaceLines(lines, first, last - first + 1, eol, edit.old, () => edit.new)
    const similarity = roundDown(chosen.similarity)
    return {
      outcome: 'edited',
      places: [place],
      match: 'fuzzy',
      similarity,
      replacements: 1,
      window: chosen
    }
  }
  const outcome = good.length > 1 && edit.places === 'one' ? 'ambiguous' : 'not_found'
  const candidates = [...good, ...nearest].map(window => windowCandidate(lines, window))
  return { outcome, match: 'fuzzy', candidates, places: good.length, ...(repeats && { repeats }) }
}

/**
 * Checks if the new text begins or ends with a line that stands there already, just outside of the window: then the window is not
 * what was quoted.
 */
function repeatsNeighbour({ trimmed }: LineTable, { first, last }: LineWindow, now: string): boolean {
  const lines = now
    .replace(/\r?\n$/, '')
    .split('\n')
    .map(line => line.trimEnd())
  const repeats = (line: string, inside: string | undefined, outside: string | undefined) =>
    line !== '' && line === outside && line !== inside
  return (
    repeats(lines[0]!, trimmed[first], trimmed[first - 1]) || repeats(lines.at(-1)!, trimmed[last], trimmed[last + 1])
  )
}

/** Finds the windows that a misquotation may mean: those with all quoted lines, or else the most similar ones. */
function findWindows(lines: LineTable, wanted: LineTable) {
  const whole = findWithForgottenLines(
    lines.trimmed.map(line => line.trimStart()),
    wanted.trimmed.map(line => line.trimStart())
  )
  return whole.length > 0 ? { good: whole, nearest: [] } : findMostSimilar(lines.trimmed, wanted.trimmed, FUZZY_LIMITS)
}

function withoutOverlaps(found: readonly Replacement[]) {
  const chosen: Replacement[] = []
  for (const place of found) if (place.start >= (chosen.at(-1)?.end ?? 0)) chosen.push(place)
  return chosen
}

function applyReplacements(text: string, places: readonly Replacement[]) {
  const parts: string[] = []
  let at = 0
  for (const place of places) {
    parts.push(text.slice(at, place.start), place.text)
    at = place.end
  }
  return parts.join('') + text.slice(at)
}

const windowCandidate = ({ text, starts }: LineTable, { first, last, similarity }: LineWindow): EditCandidate => ({
  start_line: first + 1,
  end_line: last + 1,
  similarity: roundDown(similarity),
  text: text.slice(starts[first]!, starts[last + 1]!)
})

/** Describes a match. */
export function candidateAt(text: string, { start, end }: Replacement): EditCandidate {
  const lastChar = Math.max(start, text[end - 1] === '\n' ? end - 1 : end)
  const [start_line, end_line] = [lineNumberAt(text, start), lineNumberAt(text, lastChar)]
  return { start_line, end_line, similarity: 1, text: text.slice(start, end) }
}

const roundDown = (similarity: number) => Math.floor(similarity * 1000) / 1000
