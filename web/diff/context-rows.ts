// Unchanged lines around the hunks of a diff, which are shown on request.
import { type DiffRow, formatHunkHeader, type Gap } from './diff-rows.ts'

/** Lines shown with each request. */
export const CONTEXT_STEP = 20
/** Maximum number of lines that `all` shows at once. */
export const MAX_CONTEXT_LINES = 5_000

/** The number of lines shown at the start of a gap, after the hunk before it, and at its end, before the next hunk. */
export interface ShownLines {
  start: number
  end: number
}

export type ExpandDirection = 'down' | 'up' | 'all'

/** The shown lines by the index of the gap. */
export type ShownContext = ReadonlyMap<number, ShownLines>

/** Lines between two hunks, before the first or after the last one. */
interface HunkGap {
  old: number
  new: number
  /** Undefined after the last hunk, as long as the file is not loaded. */
  count: number | undefined
}

/** Lists the gaps: one before each hunk, and one after the last. Returns none if the hunks' numbers contradict each other. */
export function findGaps(rows: readonly DiffRow[], lineCount: number | undefined): readonly HunkGap[] {
  const gaps: HunkGap[] = []
  let old = 1
  let fresh = 1
  for (const { hunk } of rows) {
    if (!hunk) continue
    const count = hunk.oldStart - old
    if (count < 0 || hunk.newStart - fresh !== count) return []
    gaps.push({ old, new: fresh, count })
    old = hunk.oldStart + hunk.oldLines
    fresh = hunk.newStart + hunk.newLines
  }
  if (gaps.length === 0) return []
  const left = lineCount === undefined ? undefined : Math.max(0, lineCount - old + 1)
  return [...gaps, { old, new: fresh, count: endsWithFile(rows) ? 0 : left }]
}

/** Number of unchanged lines that a diff has after a change, unless the file ends before. */
const DIFF_CONTEXT = 3

function endsWithFile(rows: readonly DiffRow[]): boolean {
  const last = rows.findLastIndex(({ kind }) => kind !== 'same')
  return rows[last]?.kind === 'note' || rows.length - 1 - last < DIFF_CONTEXT
}

/** Returns the state after a request for more lines. */
export function expandContext(
  shown: ShownContext,
  gaps: readonly HunkGap[],
  index: number,
  direction: ExpandDirection
): ShownContext {
  const { start, end } = shown.get(index) ?? NOTHING_SHOWN
  const hidden = (gaps[index]?.count ?? 0) - start - end
  if (hidden <= 0) return shown
  const wanted = Math.min(hidden, direction === 'all' ? MAX_CONTEXT_LINES : CONTEXT_STEP)
  const isUp = direction === 'up' || (direction === 'all' && index === 0)
  return new Map(shown).set(index, isUp ? { start, end: end + wanted } : { start: start + wanted, end })
}

const NOTHING_SHOWN: ShownLines = { start: 0, end: 0 }

/** The rows of a diff with the context that is shown. */
export interface ContextRows {
  rows: readonly DiffRow[]
  /** Rows after the last hunk, which are no part of what has to be viewed. */
  after: readonly DiffRow[]
}

/** Inserts the shown lines. `toRow` returns the row of an unchanged line by its number in the old and in the new file. */
export function insertContext(
  rows: readonly DiffRow[],
  gaps: readonly HunkGap[],
  shown: ShownContext,
  toRow: (old: number, fresh: number) => DiffRow
): ContextRows {
  if (gaps.length === 0) return { rows, after: [] }
  const linesOf = (gap: HunkGap, from: number, count: number) =>
    Array.from({ length: count }, (_, i) => toRow(gap.old + from + i, gap.new + from + i))
  const inserted: DiffRow[] = []
  let index = 0
  for (const row of rows) {
    if (!row.hunk) {
      inserted.push(row)
      continue
    }
    const gap = gaps[index]!
    const { start, end } = shown.get(index) ?? NOTHING_SHOWN
    inserted.push(...linesOf(gap, 0, start))
    if (start + end === 0 || start + end < gap.count!) {
      const { oldStart, oldLines, newStart, newLines } = row.hunk
      const more = end + (shown.get(index + 1)?.start ?? 0)
      const header = {
        oldStart: oldStart - end,
        oldLines: oldLines + more,
        newStart: newStart - end,
        newLines: newLines + more
      }
      inserted.push({ ...row, text: formatHunkHeader(header), gap: toGap(gap, index, { start, end }) })
    }
    inserted.push(...linesOf(gap, gap.count! - end, end))
    index++
  }
  const last = gaps.at(-1)!
  const { start } = shown.get(index) ?? NOTHING_SHOWN
  const after = linesOf(last, 0, start)
  if (last.count === undefined || start < last.count)
    after.push({ kind: 'hunk', text: '', gap: { ...toGap(last, index, { start, end: 0 }), isLast: true } })
  return { rows: inserted, after }
}

const toGap = ({ old, count }: HunkGap, index: number, { start, end }: ShownLines): Gap => ({
  index,
  hidden: count === undefined ? undefined : count - start - end,
  after: old + start - 1,
  before: old + (count ?? 0) - end
})

/** Returns true if a file's lines are those that the diff shows as its old ones. */
export function matchesDiff(rows: readonly DiffRow[], lines: readonly string[]): boolean {
  return rows.every(
    ({ kind, old, text }) =>
      kind === 'added' || old === undefined || toComparable(lines[old - 1], old) === toComparable(text, old)
  )
}

/** Line ends and the byte order mark are lost in some encodings of a response. */
const toComparable = (line: string | undefined, number: number) =>
  (number === 1 ? line?.replace(/^\ufeff/, '') : line)?.replace(/\r$/, '')

/** Splits a text into lines; an end of line at its end begins no line. */
export function splitLines(text: string): readonly string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}
