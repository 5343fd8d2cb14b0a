// Common model of test reports.

export interface TestFailure {
  name: string
  /** As named by the runner: absolute, or relative to some folder of the runner. */
  file?: string
  line?: number
  message: string
  expected?: string
  actual?: string
}

export interface TestReport {
  passed: number
  failed: number
  /** Skipped, pending, ignored, and expected failures. */
  skipped: number
  /** Described failures. */
  failures: TestFailure[]
}

/** Returns undefined if the text has no such report. Never throws. */
export type ReportParser = (text: string) => TestReport | undefined

export const emptyReport = (): TestReport => ({ passed: 0, failed: 0, skipped: 0, failures: [] })

/** Adds a failure. Undefined fields are omitted. */
export function addFailure(
  report: TestReport,
  {
    name,
    message,
    ...more
  }: Pick<TestFailure, 'name' | 'message'> & { [K in keyof TestFailure]?: TestFailure[K] | undefined }
) {
  report.failed++
  const known = Object.fromEntries(Object.entries(more).filter(([, value]) => value !== undefined))
  report.failures.push({ name, ...known, message: message.trim() })
}

/** Longer lines are not from a runner: they are truncated, so that no pattern takes long on them. */
const LINE_LENGTH = 2_000

export const splitReportLines = (text: string): string[] => text.split(/\r?\n/).map(line => line.slice(0, LINE_LENGTH))

/** Returns the lines from one on, up to the first that ends them; limited to the size of one failure. */
export function linesUntil(lines: readonly string[], from: number, ends: (line: string) => boolean): string[] {
  const following = lines.slice(from, from + DESCRIPTION_LINES)
  const end = following.findIndex(ends)
  return end < 0 ? following : following.slice(0, end)
}

const DESCRIPTION_LINES = 1_000
