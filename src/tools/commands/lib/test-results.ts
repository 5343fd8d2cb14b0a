// Formats the result of a test run: bounded, with file paths relative to the workspace.
import { isAbsolute, join, normalize } from 'node:path/posix'
import { fileURLToPath } from 'node:url'
import { relativeToRoot } from '../../../text/root-path.ts'
import { emptyReport, type TestFailure, type TestReport } from '../../../text/test-reports/report.ts'
import type { ReportFormat } from '../../../text/test-reports/report-parsers.ts'
import type { CallIdentity, ReadContext } from '../../../tool/contexts.ts'
import { inFolder, readProjectFile } from './project-files.ts'

const MAX_FAILURES = 50
const MAX_MESSAGE = 2_000
const MAX_VALUE = 500
const PARSE_TIMEOUT_MS = 30_000
const MAX_FILES = 1_000
/** Allowed clock skew of file timestamps in milliseconds. */
const CLOCK_SKEW_MS = 50

/** Parses the output, off the main thread if it is long; returns undefined without a report. */
export const readReport = ({ host, signal }: ReadContext, format: ReportFormat, text: string) =>
  host.compute.run('testReport', { format, text }, { signal, deadlineMs: PARSE_TIMEOUT_MS })

/** Reads the XML files written since the start, in a folder of this name and in those of the modules below `cwd`. */
export async function readReports(
  ctx: ReadContext,
  { cwd, name, since }: { cwd: string; name: string; since: number }
): Promise<TestReport | undefined> {
  const { files } = ctx.host
  const modules = files.entries(cwd).filter(({ type, closed }) => type === 'directory' && !closed)
  const folders = [cwd, ...modules.map(({ path }) => path)].map(folder => inFolder(folder, name))
  const fresh = folders
    .filter(folder => files.peek(folder).kind === 'directory')
    .flatMap(folder => files.entries(folder, file => file.endsWith('.xml')))
    .filter(({ type, modified }) => type === 'file' && Date.parse(modified) >= since - CLOCK_SKEW_MS)
  if (fresh.length === 0) return undefined
  const all = emptyReport()
  for (const { path } of fresh.slice(0, MAX_FILES)) {
    const report = await readReport(ctx, 'junit', (await readProjectFile(ctx, path)) ?? '')
    if (!report) continue
    for (const kind of ['passed', 'failed', 'skipped'] as const) all[kind] += report[kind]
    all.failures.push(...report.failures)
  }
  return all
}

/** Limits the number of failures and the size of each. */
export function truncateFailures(report: TestReport, cwd: string, { call: { workspace } }: ReadContext) {
  let cut = report.failures.length > MAX_FAILURES
  const short = (text: string, most: number) => {
    if (text.length <= most) return text
    cut = true
    return `${text.slice(0, most).toWellFormed()} …`
  }
  const failures = report.failures.slice(0, MAX_FAILURES).map(({ file, expected, actual, ...failure }) => ({
    ...failure,
    name: short(failure.name, MAX_VALUE),
    ...toWorkspacePath(file, cwd, workspace),
    message: short(failure.message, MAX_MESSAGE),
    ...(expected !== undefined && { expected: short(expected, MAX_VALUE) }),
    ...(actual !== undefined && { actual: short(actual, MAX_VALUE) })
  }))
  return { failures, cut }
}

/** Converts to a path relative to the workspace's root, if it is inside. */
function toWorkspacePath(
  file: string | undefined,
  cwd: string,
  workspace: CallIdentity['workspace']
): Pick<TestFailure, 'file'> {
  if (file === undefined) return {}
  const path = file.startsWith('file:///') ? pathFromUrl(file) : file
  if (!isAbsolute(path)) return { file: normalize(join(cwd, path)) }
  return { file: relativeToRoot(workspace, path) ?? path }
}

function pathFromUrl(url: string) {
  try {
    return fileURLToPath(url)
  } catch {
    return url
  }
}

/** Describes a contradiction between exit code and report. */
export function disagreement(exit_code: number | null, report: TestReport | undefined): string | undefined {
  if (!report || exit_code === null) return undefined
  if (exit_code === 0 && report.failed > 0) return 'The report lists failures, but the exit code is 0.'
  if (exit_code !== 0 && report.failed === 0) return `The report lists no failures, but the exit code is ${exit_code}.`
  return undefined
}
