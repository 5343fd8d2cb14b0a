// The table of attempts to escape in docs/security.md: a line per layout, level and backend, a column per group of attempts.
import { markdownTable } from '../../../../scripts/schema-tables.ts'
import type { BackendName, IsolationLevel } from '../../../../src/protocol/isolation-levels.ts'
import { ESCAPE_GROUPS, type EscapeGroup, GROUP_NAMES } from './groups.ts'

export interface MeasuredLevel {
  level: IsolationLevel
  backend?: BackendName
  /** The commands ran unasked. */
  mode?: 'auto'
  /** Titles; none if the level does not hold. */
  attempted: string[]
  escaped: string[]
}

export interface EscapeTableRow {
  layout: string
  /** The level and the backend, as `read-only, landlock`. */
  level: string
  /** Refused and attempted, as `18/18`, by group. */
  cells: Readonly<Record<EscapeGroup, string>>
}

export const TABLE_PAGE = 'docs/security.md'
const BETWEEN_MARKERS = /(?<=<!-- escapes -->\n)[\s\S]*?(?=<!-- end of escapes -->)/
const DOES_NOT_HOLD = 'does not hold'
const NOT_ATTEMPTED = '–'

/** Formats what was measured in each layout, with a line about where and when. */
export function formatEscapeTable(about: string, measured: ReadonlyMap<string, readonly MeasuredLevel[]>): string {
  const rows = [...measured].flatMap(([layout, levels]) => toRows(levels).map(cells => [layout, ...cells]))
  return `\n${about}\n\n${markdownTable(['layout', 'level', ...GROUP_NAMES], rows)}\n\n`
}

/** A level that holds with no backend has one line. */
function toRows(measured: readonly MeasuredLevel[]): string[][] {
  const holding = measured.filter(({ attempted }) => attempted.length > 0)
  const missing = [...new Set(measured.map(({ level }) => level))].filter(
    level => !holding.some(one => one.level === level)
  )
  return [
    ...holding.map(one => [
      [`\`${one.level}\``, ...(one.mode ? [`mode \`${one.mode}\``] : []), ...(one.backend ? [one.backend] : [])].join(
        ', '
      ),
      ...GROUP_NAMES.map(name => countGroup(name, one))
    ]),
    ...missing.map(level => [`\`${level}\` ${DOES_NOT_HOLD}`, ...GROUP_NAMES.map(() => NOT_ATTEMPTED)])
  ]
}

function countGroup(name: EscapeGroup, { attempted, escaped }: MeasuredLevel): string {
  const titles: readonly string[] = ESCAPE_GROUPS[name]
  const count = (list: readonly string[]) => list.filter(title => titles.includes(title)).length
  return count(attempted) === 0 ? NOT_ATTEMPTED : `${count(attempted) - count(escaped)}/${count(attempted)}`
}

/** Replaces the table in a page. */
export const replaceEscapeTable = (page: string, table: string): string => page.replace(BETWEEN_MARKERS, () => table)

/** Returns the lines of the table in a page. */
export function parseEscapeTable(page: string): EscapeTableRow[] {
  const lines = (BETWEEN_MARKERS.exec(page)?.[0] ?? '').split('\n').filter(line => line.startsWith('| '))
  const [[, , ...groups], , ...rows] = lines.map(line => line.slice(2, -2).split(' | ')) as [
    string[],
    string[],
    ...string[][]
  ]
  return rows.map(([layout, level, ...cells]) => ({
    layout: layout!,
    level: level!,
    cells: Object.fromEntries(groups.map((name, index) => [name, cells[index]!])) as EscapeTableRow['cells']
  }))
}
