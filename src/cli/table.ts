// Tables for terminals of any width.
import { stripVTControlCharacters } from 'node:util'

const GAP = '  '
/** Minimum width of a truncated column, as long as another can be truncated. */
const MIN_COLUMN_WIDTH = 8
/** Values that are useless when truncated: ids, hashes and URLs. */
const UNBREAKABLE = /^(?:[a-z]+_[0-9A-Z]{26}|[0-9a-f]{16}|[0-9a-f]{64}|https?:\S+)$/

/**
 * Formats rows in columns, the last of which is not padded. If they exceed `maxWidth`, the widest columns are truncated with an
 * ellipsis; a truncated cell loses its style.
 */
export async function formatTable(rows: readonly (readonly string[])[], maxWidth: number): Promise<string> {
  const widthOf = await findMeasure(rows)
  const widths = fittedWidths(rows, maxWidth, widthOf)
  return rows
    .map(row =>
      row
        .map((cell, column) => pad(truncate(cell, widths[column]!, widthOf), widths[column]!, widthOf))
        .join(GAP)
        .trimEnd()
    )
    .join('\n')
}

/** Returns how many columns of the terminal a text takes. */
type MeasureText = (text: string) => number

const PRINTABLE_ASCII = /^[ -~]*$/

/** Returns what measures these rows: the number of characters if all are ASCII, as what measures others takes 40 ms to load. */
async function findMeasure(rows: readonly (readonly string[])[]): Promise<MeasureText> {
  const isAscii = rows.flat().every(cell => PRINTABLE_ASCII.test(stripVTControlCharacters(cell)))
  return isAscii ? text => stripVTControlCharacters(text).length : (await import('string-width')).default
}

function fittedWidths(rows: readonly (readonly string[])[], maxWidth: number, widthOf: MeasureText): number[] {
  const columns = (rows[0] ?? []).map((_, column) => rows.map(row => row[column] ?? ''))
  const widths = columns.map(cells => Math.max(...cells.map(cell => widthOf(cell))))
  const minimums = columns.map((cells, column) =>
    Math.max(
      Math.min(widths[column]!, MIN_COLUMN_WIDTH),
      ...cells.map(cell => (UNBREAKABLE.test(stripVTControlCharacters(cell)) ? widthOf(cell) : 0))
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

function truncate(cell: string, width: number, widthOf: MeasureText): string {
  if (widthOf(cell) <= width) return cell
  const plain = stripVTControlCharacters(cell)
  const lines = FURTHER_LINES.exec(plain)?.[0] ?? ''
  const end = lines.length + MIN_COLUMN_WIDTH <= width ? lines : ''
  let [cut, used] = ['', 0]
  for (const { segment } of new Intl.Segmenter().segment(plain)) {
    used += widthOf(segment)
    if (used > width - end.length - 1) break
    cut += segment
  }
  return `${cut}…${end}`
}

const pad = (cell: string, width: number, widthOf: MeasureText) => cell + ' '.repeat(Math.max(0, width - widthOf(cell)))
