// Findings as a table for people.
import type { Judged, Target, Unit } from './measurement.ts'

const HEAD = ['work', 'ours', 'floor', 'ratio', 'must be', '']
const PAD = '  '

export function table(findings: readonly Judged[], quick: boolean): string {
  const rows = [HEAD, ...findings.map(finding => cells(finding, quick))]
  const widths = HEAD.map((_, column) => Math.max(...rows.map(row => row[column]!.length)))
  const line = (row: readonly string[]) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join(PAD)
  const [head, ...body] = rows.map(line)
  return [head, '-'.repeat(head!.length), ...body].join('\n')
}

function cells({ work, unit, ours, floor, ratio, target, limit, met }: Judged, quick: boolean): string[] {
  return [
    work,
    figure(ours, unit),
    figure(floor, unit),
    ratio === undefined ? '' : `${ratio.toFixed(2)} ×`,
    target && limit !== undefined ? `${words(target)}${target.times ? ` = ${figure(limit, unit)}` : ''}` : '',
    met === undefined || quick ? '' : met ? 'met' : 'MISSED'
  ]
}

function words({ bound, times, plus }: Target) {
  const parts = [...(times === undefined ? [] : [`${times} × floor`]), ...(plus === undefined ? [] : [`${plus}`])]
  return `${bound === 'at most' ? '≤' : '≥'} ${parts.join(' + ')}`
}

/** Three digits that count; whole numbers where there are more. */
function figure(value: number | undefined, unit: Unit) {
  if (value === undefined) return ''
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3
  return `${value.toFixed(digits)} ${unit}`
}
