// Edits of a notebook that quote the source of a cell, as reads show it, or the JSON of the file.
import {
  applyEdit,
  applyLocated,
  candidateAt,
  type Edit,
  type EditApplied,
  type EditNotApplied,
  FUZZY_LIMITS,
  type LocatedEdit,
  locateQuoted,
  locateSimilar,
  MATCH_KINDS,
  MAX_CANDIDATES
} from '../edit/apply-edit.ts'
import { detectEol, type Eol } from '../encoding.ts'
import { splice } from '../json-spans.ts'
import type { UncertainBytes } from '../replaced-bytes.ts'
import { findMember, type NotebookText, parseNotebook } from './notebook-text.ts'
import { replaceSource } from './source-value.ts'

type EditResult = EditApplied | EditNotApplied | UncertainBytes

/**
 * Applies an edit to a notebook: to the sources of cells, or to the text of the file where that has the quote more exactly. A text
 * that is no notebook is edited like any other.
 */
export function applyNotebookEdit(text: string, eol: Eol, edit: Edit): EditResult {
  const notebook = text.isWellFormed() ? parseNotebook(text) : undefined
  if (notebook?.outcome !== 'notebook') return applyEdit(text, eol, edit)
  const sources = notebook.cells.flatMap(({ source }, i) => (source === undefined ? [] : [{ cell: i + 1, source }]))
  // As in a text file, what is quoted exactly is searched first.
  const exact = locateQuotedInCells(
    sources.filter(({ source }) => source.includes(edit.old)),
    edit
  )
  if (exact.length > 0) return choose(notebook, edit, exact)
  const inText = applyEdit(text, eol, edit)
  if (inText.outcome === 'uncertain_bytes' || rank(inText) === 0) return inText
  const quoted = selectStrictest(locateQuotedInCells(sources, edit))
  const similar = quoted.length > 0 ? [] : locateSimilarInCells(sources, edit)
  const found = quoted.length > 0 ? quoted : selectStrictest(similar.filter(isFound))
  const inCells = found.length > 0 ? choose(notebook, edit, found) : toNotFound(similar)
  if (inCells.outcome === 'uncertain_bytes' || rank(inCells) <= rank(inText)) return inCells
  return inCells.outcome === 'not_found' || leavesNotebook(inText) ? inText : inCells
}

/** Orders results by how much they forgive; exact ones are 0. */
function rank(result: EditApplied | EditNotApplied): number {
  if (result.outcome === 'not_found') return NOT_FOUND
  const kind = MATCH_KINDS.indexOf(result.match)
  return result.match === 'fuzzy' ? kind + 1 - similarityOf(result) : kind
}

const NOT_FOUND = MATCH_KINDS.length

const leavesNotebook = (result: EditApplied | EditNotApplied) =>
  result.outcome !== 'edited' || parseNotebook(result.text).outcome === 'notebook'

/** A cell, counted from 1, and its source. */
interface CellSource {
  cell: number
  source: string
}

interface CellResult extends CellSource {
  located: LocatedEdit | EditNotApplied
}

const locateQuotedInCells = (sources: readonly CellSource[], edit: Edit): CellResult[] =>
  sources.flatMap(({ cell, source }) => {
    const located = locateQuoted(source, detectEol(source), edit)
    return located ? [{ cell, source, located }] : []
  })

/** Searches all cells at once for those with similar text, and then these. */
function locateSimilarInCells(sources: readonly CellSource[], edit: Edit): CellResult[] {
  // No similar text has a line so long that is not in the quote.
  const border = `\n${BORDER.repeat(Math.min(edit.old.length, MAX_BORDER))}\n`
  const all = locateSimilar(sources.map(({ source }) => source).join(border), 'lf', edit)
  const windows =
    all.outcome === 'edited' ? [all.window!.first] : all.candidates.map(({ start_line }) => start_line - 1)
  const near = new Set(windows.map(line => cellAtLine(sources, line)))
  return [...near].map(({ cell, source }) => ({
    cell,
    source,
    located: locateSimilar(source, detectEol(source), edit)
  }))
}

/** A character that no source has in such numbers. */
const BORDER = '\ufffe'
const MAX_BORDER = 10_000

/** Returns the cell that has a line of the joined sources, counted from 0. */
function cellAtLine(sources: readonly CellSource[], line: number): CellSource {
  let next = 0
  return sources.find(({ source }) => {
    next += source.split('\n').length + 1
    return line < next
  })!
}

const isFound = ({ located }: CellResult) => located.outcome !== 'not_found'

/** Returns the results that forgive least; of similar texts those that are as good as the best one. */
function selectStrictest(found: readonly CellResult[]): CellResult[] {
  const kind = MATCH_KINDS.find(kind => found.some(({ located }) => located.match === kind))
  const strictest = found.filter(({ located }) => located.match === kind)
  const best = Math.max(...strictest.map(({ located }) => similarityOf(located)))
  return strictest.filter(({ located }) => similarityOf(located) >= best - FUZZY_LIMITS.margin)
}

const similarityOf = (result: { outcome: 'edited'; similarity: number } | EditNotApplied) =>
  result.outcome === 'edited' ? result.similarity : (result.candidates[0]?.similarity ?? 0)

function choose(notebook: NotebookText, edit: Edit, found: readonly CellResult[]): EditResult {
  const places = found.reduce((sum, { located }) => sum + (located.outcome === 'edited' ? 1 : located.places), 0)
  if (places > 1 && edit.places === 'one') {
    const candidates = found.flatMap(({ cell, source, located }) => {
      const candidates =
        located.outcome === 'edited' ? located.places.map(place => candidateAt(source, place)) : located.candidates
      return candidates.map(candidate => ({ ...candidate, cell }))
    })
    return {
      outcome: 'ambiguous',
      match: found[0]!.located.match,
      candidates: candidates.slice(0, MAX_CANDIDATES),
      places
    }
  }
  const edited = found.flatMap(({ cell, source, located }) =>
    located.outcome === 'edited' ? [{ cell, source, located }] : []
  )
  const changed: CellSource[] = []
  for (const { cell, source, located } of edited) {
    const result = applyLocated(source, located)
    if (result.outcome !== 'edited') return result
    changed.push({ cell, source: result.text })
  }
  const [first] = edited
  const { places: _, ...facts } = edited.find(({ located }) => located.match !== 'exact')?.located ?? first!.located
  return {
    ...facts,
    replacements: edited.reduce((sum, { located }) => sum + located.replacements, 0),
    ...(edited.some(({ located }) => located.uncertain) && { uncertain: true }),
    text: writeSources(notebook, changed)
  }
}

/** Replaces sources of cells; every other character of the file stays. */
function writeSources({ text, cells, style }: NotebookText, changed: readonly CellSource[]): string {
  return splice(
    text,
    changed.map(({ cell, source }) => {
      const { start, end } = findMember(cells[cell - 1]!, 'source')!.value
      return { start, end, now: replaceSource(text.slice(start, end), source, style) }
    })
  )
}

/** Returns the nearest places of all cells. */
function toNotFound(results: readonly CellResult[]): EditNotApplied {
  const failed = results.flatMap(({ cell, located }) => (located.outcome === 'not_found' ? [{ cell, located }] : []))
  const candidates = failed
    .flatMap(({ cell, located }) => located.candidates.map(candidate => ({ ...candidate, cell })))
    .sort((a, b) => b.similarity - a.similarity)
    .slice(0, MAX_NEAREST)
  return {
    outcome: 'not_found',
    match: 'fuzzy',
    candidates,
    places: 0,
    ...(failed.some(({ located }) => located.repeats) && { repeats: true })
  }
}

const MAX_NEAREST = 3
