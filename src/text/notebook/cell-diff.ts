// Diffs of notebooks for people: of the sources of cells, each like a file that is named after its cell.
import { type Diff, unifiedDiff } from '../diff/unified-diff.ts'
import { type CellText, findMember, type NotebookText, parseNotebook } from './notebook-text.ts'

/** A source before and after a change; empty if there is no such cell. */
interface CellChange {
  /** As `nameCell` returns it. */
  name: string
  before: string
  after: string
}

/** Returns the diff of some cells. Lines are counted in their cell. */
export function cellDiff(path: string, changes: readonly CellChange[]): Diff {
  const diffs = changes.map(({ name, before, after }) =>
    unifiedDiff(`${path}, ${name}`, toLines(before), toLines(after))
  )
  const sum = (count: (diff: Diff) => number) => diffs.reduce((all, diff) => all + count(diff), 0)
  return {
    diff: diffs.map(({ diff }) => diff).join(''),
    added: sum(diff => diff.added),
    removed: sum(diff => diff.removed)
  }
}

/** Names a cell, counted from 1. */
export const nameCell = (index: number, type: string): string => `cell ${index} (${type})`

/** Returns the diff of two versions of a notebook; undefined if more than sources of cells differs, or a text is no notebook. */
export function notebookDiff(path: string, before: string, after: string): Diff | undefined {
  const [old, now] = [parseNotebook(before), parseNotebook(after)]
  if (old.outcome !== 'notebook' || now.outcome !== 'notebook' || old.cells.length !== now.cells.length)
    return undefined
  const changes = old.cells.flatMap((cell, i) => {
    const other = now.cells[i]!
    return writtenSource(old, cell) === writtenSource(now, other) ? [] : [{ i, cell, other }]
  })
  if (
    withoutSources(
      old,
      changes.map(({ cell }) => cell)
    ) !==
    withoutSources(
      now,
      changes.map(({ other }) => other)
    )
  )
    return undefined
  // The same source, written in another way, would be no difference.
  if (
    changes.some(
      ({ cell, other }) => cell.source === undefined || other.source === undefined || cell.source === other.source
    )
  )
    return undefined
  return cellDiff(
    path,
    changes.map(({ i, cell, other }) => ({
      name: nameCell(i + 1, cell.type),
      before: cell.source!,
      after: other.source!
    }))
  )
}

/** Every line of a source ends like one of a file, also the last one. */
const toLines = (source: string) => (source === '' ? '' : `${source}\n`)

function writtenSource({ text }: NotebookText, cell: CellText): string | undefined {
  const value = findMember(cell, 'source')?.value
  return value && text.slice(value.start, value.end)
}

/** Returns the text without the sources of these cells. */
function withoutSources({ text }: NotebookText, cells: readonly CellText[]): string {
  let rest = ''
  let at = 0
  for (const cell of cells) {
    const value = findMember(cell, 'source')?.value ?? { start: cell.start, end: cell.start }
    rest += `${text.slice(at, value.start)}\0`
    at = value.end
  }
  return rest + text.slice(at)
}
