// Tables for terminals of any width.
import { stripVTControlCharacters } from 'node:util'
import stringWidth from 'string-width'

const GAP = '  '
/** Minimum width of a truncated column, as long as another can be truncated. */
const MIN_COLUMN_WIDTH = 8
/** Values that are useless when truncated: ids, hashes and URLs. */
const UNBREAKABLE = /^(?:[a-z]+_[0-9A-Z]{26}|[0-9a-f]{64}|https?:\S+)$/

/**
 * Formats rows in columns, the last of which is not padded. If they exceed `maxWidth`, the widest columns are truncated with an
 * ellipsis; a truncated cell loses its style.
 */
export function formatTable(rows: readonly (readonly string[])[], maxWidth: number): string {
  const widths = fittedWidths(rows, maxWidth)
  return rows
    .map(row =>
      row
        .map((cell, column) => pad(truncate(cell, widths[column]!), widths[column]!))
        .join(GAP)
        .trimEnd()
    )
    .join('\n')
}

function fittedWidths(rows: readonly (readonly string[])[], maxWidth: number): number[] {
  const columns = (rows[0] ?? []).map((_, column) => rows.map(row => row[column] ?? ''))
  const widths = columns.map(cells => Math.max(...cells.map(cell => stringWidth(cell))))
  const minimums = columns.map((cells, column) =>
    Math.max(
      Math.min(widths[column]!, MIN_COLUMN_WIDTH),
      ...cells.map(cell => (UNBREAKABLE.test(stripVTControlCharacters(cell)) ? stringWidth(cell) : 0))
    )
  )
  const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0)
  for (let excess = sum(widths) + GAP.length * (widths.length - 1) - maxWidth; excess > 0; excess--) {
    const cuttable = widths.map((width, column) => (width > minimums[column]! ? width : 0))
    const widest = cuttable.indexOf(Math.max(...cuttable))
    if (cuttable[widest] === 0) break
    widths[widest]! -= 1
  }
  return widths
}

/** Number of further lines at the end of a title, which is kept if it leaves room for the start of the title. */
const FURTHER_LINES = / \(\+\d+ lines?\)$/

function truncate(cell: string, width: number): string {
  if (stringWidth(cell) <= width) return cell
  const plain = stripVTControlCharacters(cell)
  const lines = FURTHER_LINES.exec(plain)?.[0] ?? ''
  const end = lines.length + MIN_COLUMN_WIDTH <= width ? lines : ''
  let [cut, used] = ['', 0]
  for (const { segment } of new Intl.Segmenter().segment(plain)) {
    used += stringWidth(segment)
    if (used > width - end.length - 1) break
    cut += segment
  }
  return `${cut}…${end}`
}

const pad = (cell: string, width: number) => cell + ' '.repeat(Math.max(0, width - stringWidth(cell)))
