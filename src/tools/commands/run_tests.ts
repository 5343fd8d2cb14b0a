import { stripVTControlCharacters } from 'node:util'
import { type Static, Type } from 'typebox'
import { currentLevel } from '../../protocol/isolation-levels.ts'
import { formatQuarantineNotes, quarantineFields, toQuarantineReport } from '../../protocol/quarantine-report.ts'
import { escapeLine } from '../../text/escape-invisible.ts'
import { quoteArgv } from '../../text/shell-quote.ts'
import { emptyReport } from '../../text/test-reports/report.ts'
import type { RunContext } from '../../tool/contexts.ts'
import type { Progress } from '../../tool/result.ts'
import { defineTool } from '../../tool/tool.ts'
import { commandParams, IsolationOutput } from './lib/command-line.ts'
import { Network, networkNotes, sandboxHints } from './lib/command-result.ts'
import { NON_INTERACTIVE_ENV } from './lib/non-interactive-env.ts'
import { type CollectedOutput, collect } from './lib/run-and-collect.ts'
import { planTestRun, type TestRun } from './lib/test-detection.ts'
import { disagreement, readReport, readReports, truncateFailures } from './lib/test-results.ts'
import { RUNNERS, type RunnerName, type TestRunner } from './lib/test-runners.ts'

const DEFAULT_TIMEOUT_MS = 600_000
const MAX_TIMEOUT_MS = 3_600_000
// Time for ending the runner, cleaning up its processes, and reading its report.
const CLEAN_UP_MS = 40_000
const ENVIRONMENT = { ...NON_INTERACTIVE_ENV, FORCE_COLOR: '0' }

const LESS_ISOLATION = '`isolation` with a lower level'
const SANDBOX_HINTS = { network: LESS_ISOLATION, writing: LESS_ISOLATION, view: LESS_ISOLATION }

const NAMES = Object.keys(RUNNERS) as RunnerName[]

const Input = Type.Object(
  {
    path: Type.Optional(Type.String({ description: 'File or folder to test. Default: the project.' })),
    filter: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1_000,
        description: "Test name filter, in the runner's syntax."
      })
    ),
    runner: Type.Optional(Type.Enum(NAMES, { description: 'Test runner. Default: detected from project files.' })),
    timeout_ms: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_TIMEOUT_MS,
        description: `Time limit. Default: ${DEFAULT_TIMEOUT_MS}.`
      })
    ),
    isolation: commandParams.isolation
  },
  { additionalProperties: false }
)
type Input = Static<typeof Input>

const Failure = Type.Object({
  name: Type.String({ description: 'Name of the test, with those of its suites.' }),
  file: Type.Optional(Type.String({ description: 'File of the failure, relative to the workspace root.' })),
  line: Type.Optional(Type.Integer({ description: 'Line of the failure.' })),
  message: Type.String({ description: 'Failure message of the test runner; a long message is shortened.' }),
  expected: Type.Optional(Type.String({ description: 'Value that the test expected.' })),
  actual: Type.Optional(Type.String({ description: 'Value that the test found.' }))
})

const Output = Type.Object({
  runner: Type.Enum(NAMES, { description: 'Test runner that was used.' }),
  command: Type.String({ description: 'Command line as a list.' }),
  cwd: Type.String({ description: 'Working directory.' }),
  passed: Type.Integer({ description: 'Number of tests that passed.' }),
  failed: Type.Integer({ description: 'Number of tests that failed.' }),
  skipped: Type.Integer({ description: 'Number of tests that were skipped or are expected to fail.' }),
  total: Type.Integer({ description: 'Total number of tests.' }),
  duration_ms: Type.Integer({ description: 'Time from the start of the command to the end of its output.' }),
  failures: Type.Array(Failure, {
    description: 'Failed tests, as far as the report of the test runner describes them.'
  }),
  exit_code: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Exit code; null if a signal ended the command.'
  }),
  signal: Type.Union([Type.String(), Type.Null()], { description: 'Signal that ended the command.' }),
  timed_out: Type.Boolean({ description: 'True if the command exceeded the time limit.' }),
  parsed: Type.Boolean({
    description: 'True if the report of the test runner could be parsed. If false, only the exit code is known.'
  }),
  isolation: IsolationOutput,
  truncated: Type.Boolean({ description: 'True if some failures are omitted or shortened.' }),
  note: Type.Optional(
    Type.String({ description: 'Contradictions between the exit code and the report of the test runner.' })
  ),
  ...quarantineFields,
  network: Type.Optional(Network),
  output: Type.Optional(
    Type.String({ description: 'Output of the command without its middle; returned only if the report is incomplete.' })
  )
})
type Output = Static<typeof Output>

export default defineTool({
  name: 'run_tests',
  category: 'commands',
  description:
    "Runs a project's tests with its test runner and reports the failures. The call succeeds even if tests fail: check `failed` and `exit_code`.",
  input: Input,
  output: Output,
  timeout_ms: ({ timeout_ms = DEFAULT_TIMEOUT_MS }) => timeout_ms + CLEAN_UP_MS,
  effect: 'execute',
  traits: { capturesOutput: true },
  request: ({ path = '.', isolation }) => ({
    paths: [{ path, access: 'list' }],
    command: { ...(isolation && { isolation: { level: currentLevel(isolation) } }) }
  }),
  async plan(input, ctx) {
    const state = await planTestRun(input, ctx)
    const { runner, program } = state
    return {
      state,
      command: { program },
      preview: () => ({
        title: `Run tests with ${runner}`,
        text: `${quoteArgv(program.argv)}\ncwd: ${escapeLine(program.cwd)}`
      })
    }
  },
  run: execute,
  present(output) {
    const { runner, passed, failed, skipped, parsed, truncated, note, exit_code } = output
    const counts = parsed ? `${failed} failed, ${passed} passed, ${skipped} skipped` : ending(output)
    const lines = [
      `${runner}: ${counts}`,
      ...output.failures.map(({ name, file, line, message }) => {
        const place = file === undefined ? '' : ` (${line === undefined ? file : `${file}:${line}`})`
        return `\n${name}${place}\n${message}`
      }),
      ...(note === undefined ? [] : [`[${note}]`]),
      ...(output.output === undefined ? [] : [output.output.trimEnd(), `[${ending(output)}]`]),
      ...[
        ...sandboxHints({ ...output, output: output.output ?? '' }, SANDBOX_HINTS),
        ...formatQuarantineNotes(output),
        ...networkNotes(output.network)
      ].map(one => `[${one}]`)
    ]
    return {
      title: `${runner}: ${counts}`,
      content: lines.join('\n'),
      metadata: { passed, failed, skipped, exit_code },
      ...(truncated && { truncated })
    }
  }
})

async function* execute(
  input: Input,
  ctx: RunContext,
  { runner, program: { argv, cwd } }: TestRun
): AsyncGenerator<Progress, Output, void> {
  const known: TestRunner = RUNNERS[runner]
  const { timeout_ms = DEFAULT_TIMEOUT_MS } = input
  const since = Date.now()
  const ended = yield* collect(ctx, { argv, cwd, env: ENVIRONMENT, timeout_ms }, progressCounter(known))
  const { duration_ms, exit_code, signal, timed_out, isolation, network } = ended
  const report = await loadReport(known, ended, { cwd, since }, ctx)
  const { passed, failed, skipped } = report ?? emptyReport()
  const { failures, cut } = truncateFailures(report ?? emptyReport(), cwd, ctx)
  const note = disagreement(exit_code, report)
  return {
    runner,
    command: quoteArgv(argv),
    cwd,
    passed,
    failed,
    skipped,
    total: passed + failed + skipped,
    duration_ms,
    failures,
    exit_code,
    signal,
    timed_out,
    parsed: report !== undefined,
    isolation,
    truncated: cut || failures.length < failed || !ended.isComplete,
    ...(note !== undefined && { note }),
    ...toQuarantineReport(ended),
    ...(network && { network }),
    ...((!report || note !== undefined || failures.length < failed) && {
      output: stripVTControlCharacters(ended.output)
    })
  }
}

function loadReport(
  { format, reports }: TestRunner,
  { fullStdout }: CollectedOutput,
  { cwd, since }: { cwd: string; since: number },
  ctx: RunContext
) {
  return reports === undefined ? readReport(ctx, format, fullStdout) : readReports(ctx, { cwd, name: reports, since })
}

/** Counts tests from the output, line by line. */
function progressCounter({ progressPatterns }: TestRunner): (text: string) => string | undefined {
  let [open, passed, failed] = ['', 0, 0]
  return text => {
    if (!progressPatterns) return undefined
    const lines = open + text
    const cut = lines.lastIndexOf('\n') + 1
    const whole = lines.slice(0, cut)
    open = lines.slice(cut).slice(-MAX_LINE)
    const [good, bad] = [progressPatterns.passed, progressPatterns.failed].map(
      pattern => whole.match(pattern)?.length ?? 0
    ) as [number, number]
    if (good + bad === 0) return undefined
    passed += good
    failed += bad
    return `${passed} passed, ${failed} failed`
  }
}

const MAX_LINE = 10_000

function ending({ exit_code, signal, timed_out, duration_ms }: Output) {
  if (timed_out) return `Time limit exceeded after ${duration_ms} ms`
  return signal === null ? `Exit code ${exit_code}` : `Ended by ${signal}`
}
