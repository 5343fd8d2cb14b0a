// What a run of tests comes to, whichever runner told it.

export interface TestFailure {
  name: string
  /** As the runner names it: absolute, or relative to some folder of its own. */
  file?: string
  line?: number
  message: string
  expected?: string
  actual?: string
}

export interface TestReport {
  passed: number
  failed: number
  /** Skipped, pending, ignored, and those that are known to fail. */
  skipped: number
  /** Of the failed ones those that are described. */
  failures: TestFailure[]
}

/** Undefined where the text holds no such report. Never throws. */
export type ReportParser = (text: string) => TestReport | undefined

export const emptyReport = (): TestReport => ({ passed: 0, failed: 0, skipped: 0, failures: [] })

/** Adds one that failed. What has no value is left out. */
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

/** Longer lines are no words of a runner: they are cut, so that no pattern takes long on them. */
const LINE_LENGTH = 2_000

export const splitReportLines = (text: string): string[] => text.split(/\r?\n/).map(line => line.slice(0, LINE_LENGTH))

/** The lines from one on, up to the first that ends them; at most so many as describe one failure. */
export function linesUntil(lines: readonly string[], from: number, ends: (line: string) => boolean): string[] {
  const following = lines.slice(from, from + DESCRIPTION_LINES)
  const end = following.findIndex(ends)
  return end < 0 ? following : following.slice(0, end)
}

const DESCRIPTION_LINES = 1_000
