// npm run test:stress -- [--runs 5] [--load 4] [--tier quick] [files or folders]
//
// Runs the tests repeatedly beside busy loops, by default twice as many as there are processors, with other property test inputs
// each time, and lists every test that failed in any run, with the output of that run. A test that fails here and passes alone
// depends on time or on the seed: find the cause.
import { randomInt } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { execa } from 'execa'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '5' },
    load: { type: 'string', default: String(2 * availableParallelism()) },
    tier: { type: 'string' }
  }
})
const [runs, loops] = [values.runs, values.load].map(Number) as [number, number]
if (!Number.isInteger(runs) || runs < 1)
  throw new Error(`--runs must be a whole number of at least 1, not ${values.runs}.`)
if (!Number.isInteger(loops) || loops < 0)
  throw new Error(`--load must be a whole number of at least 0, not ${values.load}.`)

/** The runner's prefix of the name of a failed test, and of a fault of the run. */
const FAILURE = /^FAILED {2}(.*)/

// They end with this process.
for (let loop = 0; loop < loops; loop++)
  void execa(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore', killSignal: 'SIGKILL', reject: false })
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

/** The runs in which each test failed. */
const failures = new Map<string, number[]>()
for (let run = 1; run <= runs; run++) {
  const started = performance.now()
  const seed = randomInt(2 ** 31)
  const { code, names, totals, report } = await runTests(seed)
  for (const name of names) failures.set(name, [...(failures.get(name) ?? []), run])
  const seconds = Math.round((performance.now() - started) / 1_000)
  console.log(`Run ${run} of ${runs}: ${totals}, exit code ${code}, ${seconds} s, TEST_SEED=${seed}`)
  if (code !== 0) {
    console.log(report.join('\n'))
    process.exitCode = 1
  }
}
for (const [name, failed] of failures) console.log(`Failed in run ${failed.join(', ')}: ${name}`)
if (process.exitCode === undefined) console.log(`No test failed in ${runs} runs.`)
process.exit()

async function runTests(seed: number) {
  const tier = values.tier === undefined ? [] : ['--tier', values.tier]
  const running = execa(process.execPath, ['scripts/test/run.ts', ...tier, ...positionals], {
    env: { TEST_SEED: String(seed) },
    stdio: ['ignore', 'pipe', 'inherit'],
    buffer: false,
    reject: false
  })
  const names: string[] = []
  /** Output without the lines of files that passed. */
  const report: string[] = []
  let totals = 'no result'
  for await (const line of running) {
    const [, name] = FAILURE.exec(line) ?? []
    if (name !== undefined) names.push(name)
    if (!line.startsWith('ok ')) report.push(line)
    if (/^\d+ passed, \d+ failed$/.test(line)) totals = line
  }
  const { exitCode: code } = await running
  return { code, names, totals, report }
}
