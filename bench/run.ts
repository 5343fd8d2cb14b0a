// npm run bench: measures every row beside its floor, prints a table and writes the figures as JSON to bench/out/.
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, release, tmpdir, totalmem } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { otherCpuShare } from './cpu-share.ts'
import { BenchEnvironment } from './environment.ts'
import { MAX_RISE, runGuard } from './guard.ts'
import { type JudgedMeasurement, judgeMeasurement } from './measurement.ts'
import { BENCHMARKS } from './rows/index.ts'
import { formatMeasurements } from './table.ts'

const USAGE = `node bench/run.ts [--only <row>]... [--quick] [--json]
       node bench/run.ts --guard [--keep]

  --only   only this row: ${BENCHMARKS.map(({ name }) => name).join(', ')}
  --quick  only to see that every row runs: the figures mean nothing
  --json   print JSON instead of a table
  --guard  only compare the processor time of frequent operations with that of an earlier build
  --keep   make this commit and its figures what the guard compares with`

/** A row that takes longer is stuck. */
const BENCHMARK_TIMEOUT_MS = 180_000
const EXIT_BY_SIGNAL = 130
/** Limit of printed errors; the JSON file has them whole. */
const MAX_ERROR_LENGTH = 500
/** If other processes use more of the processors than this, the figures are unreliable. */
const MAX_OTHER_CPU_SHARE = 0.1

const options = parseOptions()
const rows = options.only ? BENCHMARKS.filter(({ name }) => options.only?.includes(name)) : BENCHMARKS
if (options.help || rows.length === 0 || options.only?.some(name => !rows.some(row => row.name === name))) {
  console.error(USAGE)
  process.exit(options.help ? 0 : 2)
}

if (options.guard) {
  const risen = await runGuard({ keeps: options.keep })
  for (const name of risen)
    console.error(`FAILED  ${name} takes more than ${MAX_RISE * 100} % more processor time than the reference build.`)
  process.exit(risen.length > 0 ? 1 : 0)
}

const began = performance.now()
const findings: JudgedMeasurement[] = []
const failures: { row: string; error: string }[] = []
const otherCpuShares: Record<string, number> = {}
let ground: BenchEnvironment | undefined
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => ground?.cleanUp().finally(() => process.exit(EXIT_BY_SIGNAL)))
for (const row of rows) {
  console.error(`${elapsedSeconds()} s  ${row.name} …`)
  if (!options.quick) otherCpuShares[row.name] = Number((await otherCpuShare()).toFixed(2))
  ground = new BenchEnvironment(options.quick)
  try {
    findings.push(...(await withTimeout(row.measure(ground))).map(judgeMeasurement))
  } catch (error) {
    failures.push({ row: row.name, error: String(error) })
    process.exitCode = 1
  } finally {
    await ground.cleanUp()
  }
}

const report = {
  date: new Date().toISOString(),
  quick: options.quick,
  node: process.version,
  cpu: cpus()[0]?.model.trim(),
  cores: availableParallelism(),
  memory_gib: Math.round(totalmem() / 2 ** 30),
  kernel: release(),
  folder: tmpdir(),
  others: otherCpuShares,
  took_s: Number(elapsedSeconds()),
  findings,
  failures
}
console.log(options.json ? JSON.stringify(report, null, 2) : formatMeasurements(findings, options.quick))
const disturbedBenchmarks = Object.keys(otherCpuShares).filter(name => otherCpuShares[name]! > MAX_OTHER_CPU_SHARE)
if (disturbedBenchmarks.length > 0)
  console.error(`Other work took part of the processors: doubt ${disturbedBenchmarks.join(', ')}.`)
for (const { row, error } of failures) console.error(`${row} failed: ${error.slice(0, MAX_ERROR_LENGTH)}`)
if (!options.quick) console.error(`${elapsedSeconds()} s  kept in ${path.relative(process.cwd(), keep(report))}`)

/** Writes the report to a file; returns its path. */
function keep(report: { date: string }): string {
  const out = path.join(import.meta.dirname, 'out')
  mkdirSync(out, { recursive: true })
  const file = path.join(out, `${report.date.replaceAll(':', '-')}.json`)
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`)
  return file
}

function elapsedSeconds() {
  return ((performance.now() - began) / 1_000).toFixed(0)
}

function withTimeout<T>(work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`not done in ${BENCHMARK_TIMEOUT_MS} ms`)), BENCHMARK_TIMEOUT_MS)
  // After the timeout its result is ignored.
  work.catch(() => {})
  return Promise.race([work, promise]).finally(() => clearTimeout(timer))
}

function parseOptions() {
  try {
    return parseArgs({
      options: {
        only: { type: 'string', multiple: true },
        quick: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        guard: { type: 'boolean', default: false },
        keep: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false }
      }
    }).values
  } catch (error) {
    console.error(`${(error as Error).message}\n${USAGE}`)
    process.exit(2)
  }
}
