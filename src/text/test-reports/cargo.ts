// Parses the output of `cargo test`: one line per test, then the output of failed ones, for each test binary.
import { addFailure, emptyReport, linesUntil, splitReportLines, type TestFailure, type TestReport } from './report.ts'

const TEST = /^test (.+?)(?: - should panic(?: with .*)?)? \.\.\. (ok|FAILED|ignored)\b/
const SECTION = /^---- (.+) stdout ----$/
/** Rust before 1.73 quotes the message, which may have several lines, and puts the location after it. */
const PANIC = /(?:panicked|as expected) at (?:'(?<quoted>[\s\S]*)', )?(?<file>[^:\n]+):(?<line>\d{1,9}):\d+/

export function cargoReport(text: string): TestReport | undefined {
  if (!/^test result: /m.test(text)) return undefined
  const report = emptyReport()
  const open = new Map<string, TestFailure>()
  const lines = splitReportLines(text)
  for (const [at, line] of lines.entries()) {
    const [, name, outcome] = TEST.exec(line) ?? []
    if (outcome === 'ok') report.passed++
    else if (outcome === 'ignored') report.skipped++
    else if (outcome === 'FAILED') {
      addFailure(report, { name: name!, message: '' })
      open.set(name!, report.failures.at(-1)!)
    }
    const failure = open.get(SECTION.exec(line)?.[1] ?? '')
    if (failure)
      describe(
        failure,
        linesUntil(lines, at + 1, next => SECTION.test(next) || next === 'failures:')
      )
  }
  return report
}

function describe(failure: TestFailure, section: readonly string[]) {
  const trace = section.findIndex(line => line.startsWith('stack backtrace:') || line.startsWith('note: run with'))
  failure.message = (trace < 0 ? section : section.slice(0, trace)).join('\n').trim()
  const { file, line, quoted } = PANIC.exec(failure.message)?.groups ?? {}
  if (file !== undefined) Object.assign(failure, { file, line: Number(line) })
  const [actual, expected] = ['left', 'right'].map(side =>
    quoted === undefined
      ? new RegExp(`^ *${side}: (.*)$`, 'm').exec(failure.message)?.[1]
      : new RegExp(`^ *${side}: \`(.*)\`,?$`, 'm').exec(quoted)?.[1]
  )
  if (actual !== undefined) failure.actual = actual
  if (expected !== undefined) failure.expected = expected
}
