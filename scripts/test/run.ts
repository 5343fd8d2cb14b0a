// Runs the tests: npm test -- [options] [files or folders]
//   --tier quick|full|e2e|all   quick by default; with files or folders, all of them, of every tier
//   --changed             the quick tier, and what lies near the files that differ from a commit, HEAD or --since COMMIT
//   --coverage            measures how much of src is reached, and fails below the floor
//   --full                property tests take their full number of inputs
//   --jobs N              processes at a time, by default one per processor; half as many again run files that mostly wait
//   --after REPORT        leaves out files that ran before with all parts of the machine that they asked for
// TEST_COVERAGE names a folder that coverage is collected in, over several runs: see coverage.ts.
// TEST_REPORT names a file that the results are written to as JSON: see run-report.ts.
// Prints a line per file, then failures, skipped tests by what they need, the slowest files, and `N passed, N failed`.
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { execaSync } from 'execa'
import { Cgroups } from '../../src/host/sandbox/cgroups.ts'
import { findChangedTests } from './changed.ts'
import { reportCoverage } from './coverage.ts'
import { describeExpensiveFiles, type FileCost } from './expensive-files.ts'
import { describeLeftovers, takeSnapshot } from './leftovers.ts'
import { MachineSpeed } from './machine-speed.ts'
import { findTestFiles, planQueues, type TestFile, TIERS, type Tier } from './plan.ts'
import { printFile, printSummary } from './report.ts'
import { filesDone, writeReport } from './run-report.ts'
import { type ProcessResult, runProcess } from './worker.ts'

/** Time limit for processes killed by the last tests to disappear. */
const LEFTOVERS_MS = 5_000
/** A run that takes longer, times the limit factor, hangs. */
const MAX_RUN_MS = 5_400_000

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tier: { type: 'string' },
    changed: { type: 'boolean', default: false },
    since: { type: 'string', default: 'HEAD' },
    coverage: { type: 'boolean', default: false },
    full: { type: 'boolean', default: process.env.TEST_FULL === '1' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    after: { type: 'string' }
  }
})
const tier = (values.tier ?? (positionals.length > 0 || values.changed ? 'all' : 'quick')) as Tier
if (!(tier in TIERS)) throw new Error(`Unknown tier ${tier}: expected one of ${Object.keys(TIERS).join(', ')}.`)

const done = values.after === undefined ? new Set() : filesDone(values.after)
const isChanged = values.changed ? findChangedTests(values.since) : () => true
const files = findTestFiles(tier, positionals).filter(
  ({ file, tier }) => !done.has(file) && (isChanged(file) || tier === 'quick')
)
if (files.length === 0) throw new Error(`No test file matches ${positionals.join(' ')} in tier ${tier}.`)

// A single file builds dist itself when it starts the built program, which most never do. Several would build while others use
// it.
if (files.length > 1) execaSync(process.execPath, ['scripts/build.ts'], { stdio: 'inherit' })

const started = performance.now()
const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'tgt-')))
// Tests also start programs as another user.
chmodSync(folder, 0o711)
const { TEST_REPORT, TEST_COVERAGE } = process.env
const coverageDir = values.coverage ? path.join(folder, 'coverage') : TEST_COVERAGE
if (coverageDir !== undefined) mkdirSync(coverageDir, { recursive: true })
const env = testEnvironment(folder)
const before = takeSnapshot()
const speed = await MachineSpeed.measure()
const { results, notRun } = await runAll()
const ran = results.flatMap(result => result.files)
const expensive =
  tier === 'quick' && !speed.isShared ? await describeExpensiveFiles(ran, speed.startMs, measureAlone) : []
const leftovers = await untilNothingIsLeft()
const faults = [
  ...notRun.map(({ file }) => `${file} did not run: the run took too long and was ended`),
  ...expensive,
  ...leftovers.map(leftover => `left behind: ${leftover}`)
]
if (TEST_REPORT) writeReport(TEST_REPORT, ran, faults)
const isGreen = printSummary(results, faults, performance.now() - started)
const isCovered = !values.coverage || (await reportCoverage(coverageDir!))
rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
process.exitCode = isGreen && isCovered ? 0 : 1

/**
 * Runs every file. As many processes as there are jobs prefer files that compute, and half as many again files that mostly wait;
 * when its own kind is done, each helps with the other.
 */
async function runAll(): Promise<{ results: ProcessResult[]; notRun: TestFile[] }> {
  const { computing, waiting } = planQueues(files)
  const results: ProcessResult[] = []
  const over = new AbortController()
  const end = () => over.abort()
  const watchdog = setInterval(() => {
    if (performance.now() - started > MAX_RUN_MS * speed.limitFactor) end()
  }, 1_000)
  // A time limit of CI: what has run is reported all the same.
  process.once('SIGTERM', end)
  speed.follow(over.signal)
  const work = async (...queues: TestFile[][]) => {
    const take = (fits: (file: TestFile) => boolean) =>
      over.signal.aborted ? undefined : queues.find(queue => queue[0] !== undefined && fits(queue[0]))?.shift()
    for (let file = take(() => true); file; file = take(() => true)) {
      const { isAlone } = file
      const next = () => (isAlone ? undefined : take(each => !each.isAlone)?.file)
      results.push(await runProcess({ env, first: file.file, next, onFile: printFile, speed, signal: over.signal }))
    }
  }
  const jobs = Math.max(1, Number(values.jobs))
  await Promise.all([
    ...Array.from({ length: jobs }, () => work(computing, waiting)),
    ...Array.from({ length: Math.ceil(jobs / 2) }, () => work(waiting, computing))
  ])
  clearInterval(watchdog)
  process.off('SIGTERM', end)
  end()
  return { results, notRun: [...computing, ...waiting] }
}

/** Runs a file once more, alone, for its cost: its results count from the first run. */
async function measureAlone(file: string): Promise<FileCost> {
  const alone = await MachineSpeed.measure()
  const { signal } = new AbortController()
  const { files } = await runProcess({
    env,
    first: file,
    next: () => undefined,
    onFile: () => {},
    speed: alone,
    signal
  })
  return { processorMs: files[0]!.processorMs, startMs: alone.startMs }
}

/** Describes leftovers after a grace period: processes killed last may still be exiting. */
async function untilNothingIsLeft(): Promise<string[]> {
  const end = performance.now() + LEFTOVERS_MS
  for (;;) {
    // A killed server leaves its control groups to the next server that starts; the last one of a run has no successor.
    Cgroups.find({ memory_bytes: 2 ** 20, processes: 1 })?.sweep()
    const left = describeLeftovers(before, takeSnapshot(), folder)
    if (left.length === 0 || performance.now() > end) return left
    await setTimeout(500)
  }
}

/** Returns the environment of every test process: home and temporary folder of the run, nothing of the user's. */
function testEnvironment(folder: string): NodeJS.ProcessEnv {
  const foreign =
    /^(?:GIT_|TOOLGATE_|XDG_|LC_|NODE_OPTIONS$|NODE_V8_COVERAGE$|COVERAGE_DIR$|TEST_REPORT$|TEST_COVERAGE$|TEST_WARM$)/
  const inherited = Object.entries(process.env).filter(([name]) => !foreign.test(name))
  const [home, temporary] = [path.join(folder, 'home'), path.join(folder, 'tmp')]
  for (const name of [home, temporary]) mkdirSync(name)
  return {
    ...Object.fromEntries(inherited),
    PATH: [path.resolve('node_modules/.bin'), path.resolve('test/e2e/node_modules/.bin'), process.env.PATH].join(':'),
    HOME: home,
    TMPDIR: temporary,
    LANG: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TEMPLATE_DIR: '',
    npm_config_userconfig: '/dev/null',
    npm_config_update_notifier: 'false',
    TAP: '1',
    TEST_RUN: folder,
    ...(values.full && { TEST_FULL: '1' }),
    ...(files.length > 1 && process.env.TEST_RUN === undefined && { TEST_WARM: '1' }),
    // Compile cache shared by all test processes.
    NODE_COMPILE_CACHE: path.resolve('node_modules/.cache/toolgate-tests'),
    ...(coverageDir !== undefined && { COVERAGE_DIR: coverageDir })
  }
}
