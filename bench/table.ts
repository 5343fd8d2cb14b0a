// Formats measurements as a table.
import type { JudgedMeasurement, Target, Unit } from './measurement.ts'

const HEADINGS = ['work', 'ours', 'floor', 'ratio', 'must be', '']
const COLUMN_GAP = '  '
/** Maximum number of lines below the table for one measurement. */
const MAX_DETAILS = 40

export function formatMeasurements(findings: readonly JudgedMeasurement[], quick: boolean): string {
  const rows = [HEADINGS, ...findings.map(finding => toCells(finding, quick))]
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map(row => row[column]!.length)))
  const line = (row: readonly string[]) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join(COLUMN_GAP)
  const [head, ...body] = rows.map(line)
  return [head, '-'.repeat(head!.length), ...body, ...findings.flatMap(formatDetails)].join('\n')
}

function formatDetails({ work, details = [] }: JudgedMeasurement): string[] {
  if (details.length === 0) return []
  const left = details.length - MAX_DETAILS
  const shown = [...details.slice(0, MAX_DETAILS), ...(left > 0 ? [`and ${left} more, in the JSON file`] : [])]
  return ['', work, ...shown.map(detail => `  ${detail}`)]
}

function toCells({ work, unit, ours, floor, ratio, target, limit, met }: JudgedMeasurement, quick: boolean): string[] {
  return [
    work,
    formatFigure(ours, unit),
    formatFigure(floor, unit),
    ratio === undefined ? '' : `${ratio.toFixed(2)} ×`,
    target && limit !== undefined
      ? `${formatTarget(target)}${target.times ? ` = ${formatFigure(limit, unit)}` : ''}`
      : '',
    met === undefined || quick ? '' : met ? 'met' : 'MISSED'
  ]
}

function formatTarget({ bound, times, plus }: Target) {
  const parts = [...(times === undefined ? [] : [`${times} × floor`]), ...(plus === undefined ? [] : [`${plus}`])]
  return `${bound === 'at most' ? '≤' : '≥'} ${parts.join(' + ')}`
}

/** Three significant digits; whole numbers if there are more. */
function formatFigure(value: number | undefined, unit: Unit) {
  if (value === undefined) return ''
  if (unit === '') return String(value)
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3
  return `${value.toFixed(digits)} ${unit}`
}
