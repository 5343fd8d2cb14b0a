// Prints the results of a test run.
import { NEEDS, PARTS, type Part } from '../../test/support/needs.ts'
import type { FileResult, ProcessResult } from './worker.ts'

/** Number of lines printed of each failure. */
const MAX_DETAIL_LINES = 60
const SLOWEST = 8

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`

/** Prints a line for a file that has ended: its duration, processor time, name and assertions; then the details of failures. */
export function printFile({ file, passed, failures, ms, processorMs }: FileResult) {
  const failed = failures.length > 0 ? `, ${failures.length} failed` : ''
  console.log(
    `${failed ? 'not ok' : 'ok    '} ${seconds(ms).padStart(7)} ${seconds(processorMs).padStart(7)}  ${file}  (${passed} passed${failed})`
  )
  for (const { name, details } of failures) console.log(`  ${name}${detailsText(details)}`)
}

/** Prints the names of failed tests, skipped tests, slow files and totals; returns whether the run was green. */
export function printSummary(results: readonly ProcessResult[], faults: readonly string[], ms: number): boolean {
  const files = results.flatMap(result => result.files)
  const failures = files.flatMap(file => file.failures)
  for (const { stderr, files } of results)
    if (stderr !== '') console.log(`\nstderr of ${files.map(({ file }) => file).join(' ')}:\n${stderr.trimEnd()}`)
  const failed = [...failures.map(({ name }) => name), ...faults]
  if (failed.length > 0) console.log()
  for (const name of failed) console.log(`FAILED  ${name}`)

  printSkips(results.flatMap(result => result.skips))

  const slowest = files.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST)
  console.log(`\nSlowest files: ${slowest.map(({ file, ms }) => `${file} ${seconds(ms)}`).join(', ')}`)

  const passed = files.reduce((sum, file) => sum + file.passed, 0)
  const skipped = results.reduce((sum, { skips }) => sum + skips.length, 0)
  const processor = files.reduce((sum, file) => sum + file.processorMs, 0)
  console.log(
    `\n${files.length} files in ${seconds(ms)}, ${seconds(processor)} of processor time, ${skipped} tests skipped`
  )
  console.log(`${passed} passed, ${failed.length} failed`)
  return failed.length === 0 && passed > 0
}

/** Prints which parts are missing, how many tests need each, and how to install it. */
function printSkips(skips: readonly string[]) {
  const byPart = new Map<Part, number>()
  const others = new Map<string, number>()
  for (const reason of skips) {
    if (!reason.startsWith(NEEDS)) others.set(reason, (others.get(reason) ?? 0) + 1)
    else
      for (const part of reason.slice(NEEDS.length).split(', ') as Part[]) byPart.set(part, (byPart.get(part) ?? 0) + 1)
  }
  if (byPart.size > 0) {
    console.log('\nSkipped for lack of   tests   to install it')
    for (const [part, tests] of [...byPart].sort((a, b) => b[1] - a[1]))
      console.log(`  ${part.padEnd(20)}${String(tests).padStart(5)}   ${PARTS[part].install}`)
  }
  for (const [reason, tests] of others) console.log(`\nSkipped (${tests}): ${reason || 'no reason given'}`)
}

function detailsText(details: unknown): string {
  if (details === undefined) return ''
  const text = typeof details === 'string' ? details : withoutCycles(details)
  const lines = text.replaceAll('\\n', '\n').split('\n')
  const shown = lines.slice(0, MAX_DETAIL_LINES).map(line => `    ${line}`)
  if (lines.length > shown.length) shown.push(`    … ${lines.length - shown.length} more lines`)
  return `\n${shown.join('\n')}`
}

/** Serializes with each object once: the error of a timed-out test refers to itself. */
function withoutCycles(details: unknown): string {
  const seen = new Set<unknown>()
  const once = (_name: string, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value
    if (seen.has(value)) return '…'
    seen.add(value)
    return value
  }
  return JSON.stringify(details, once, 2)
}
