// Parses the output of ctest with `--output-on-failure`. Its XML reports a test with a missing program as skipped, although it is
// a failure.
import { addFailure, emptyReport, linesUntil, splitReportLines, type TestReport } from './report.ts'

const TEST = /^ *\d+\/\d+ Test +#\d+: (?<name>.+?) \.{2,} *(?:\*\*\*)?(?<outcome>.+?) +[\d.]+ sec/
const END = /^(?: *Start +\d+: |\d+% tests passed|The following tests )/

export function ctestReport(text: string): TestReport | undefined {
  if (!/^\d+% tests passed, /m.test(text)) return undefined
  const report = emptyReport()
  const lines = splitReportLines(text)
  for (const [at, line] of lines.entries()) {
    const { name, outcome } = TEST.exec(line)?.groups ?? {}
    if (name === undefined || outcome === undefined) continue
    if (outcome === 'Passed') report.passed++
    else if (/Disabled|Skipped/.test(outcome)) report.skipped++
    else {
      const output = linesUntil(lines, at + 1, next => END.test(next) || TEST.test(next))
      addFailure(report, { name, message: [outcome, ...output].join('\n') })
    }
  }
  return report
}
