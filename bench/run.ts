// npm run bench: measures every row beside its floor, prints a table and keeps the figures as JSON in bench/out/.
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, release, tmpdir, totalmem } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { othersShare } from './cpu-share.ts'
import { Ground } from './environment.ts'
import { type Judged, judge } from './measurement.ts'
import { ROWS } from './rows/index.ts'
import { table } from './table.ts'

const USAGE = `node bench/run.ts [--only <row>]... [--quick] [--json]

  --only   only this row: ${ROWS.map(({ name }) => name).join(', ')}
  --quick  only to see that every row runs: the figures mean nothing
  --json   print JSON instead of a table`

/** A row that takes longer waits for something that will not come. */
const LONGEST_ROW_MS = 180_000
const EXIT_BY_SIGNAL = 130
/** Of what is printed; the kept file has it whole. */
const LONGEST_ERROR = 500
/** More than this of the processors in other hands, and the figures are to be doubted. */
const DOUBTFUL_SHARE = 0.1

const options = parsed()
const rows = options.only ? ROWS.filter(({ name }) => options.only?.includes(name)) : ROWS
if (options.help || rows.length === 0 || options.only?.some(name => !rows.some(row => row.name === name))) {
  console.error(USAGE)
  process.exit(options.help ? 0 : 2)
}

const began = performance.now()
const findings: Judged[] = []
const failures: { row: string; error: string }[] = []
const others: Record<string, number> = {}
let ground: Ground | undefined
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => ground?.clear().finally(() => process.exit(EXIT_BY_SIGNAL)))
for (const row of rows) {
  console.error(`${seconds()} s  ${row.name} …`)
  if (!options.quick) others[row.name] = Number((await othersShare()).toFixed(2))
  ground = new Ground(options.quick)
  try {
    findings.push(...(await inTime(row.measure(ground))).map(judge))
  } catch (error) {
    failures.push({ row: row.name, error: String(error) })
    process.exitCode = 1
  } finally {
    await ground.clear()
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
  others,
  took_s: Number(seconds()),
  findings,
  failures
}
const out = path.join(import.meta.dirname, 'out')
mkdirSync(out, { recursive: true })
const file = path.join(out, `${report.date.replaceAll(':', '-')}.json`)
writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`)
console.log(options.json ? JSON.stringify(report, null, 2) : table(findings, options.quick))
const disturbed = Object.keys(others).filter(name => others[name]! > DOUBTFUL_SHARE)
if (disturbed.length > 0) console.error(`Other work took part of the processors: doubt ${disturbed.join(', ')}.`)
for (const { row, error } of failures) console.error(`${row} failed: ${error.slice(0, LONGEST_ERROR)}`)
console.error(`${seconds()} s  kept in ${path.relative(process.cwd(), file)}`)

function seconds() {
  return ((performance.now() - began) / 1_000).toFixed(0)
}

function inTime<T>(work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`not done in ${LONGEST_ROW_MS} ms`)), LONGEST_ROW_MS)
  // Once it is late, its own end is of no interest.
  work.catch(() => {})
  return Promise.race([work, promise]).finally(() => clearTimeout(timer))
}

function parsed() {
  try {
    return parseArgs({
      options: {
        only: { type: 'string', multiple: true },
        quick: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false }
      }
    }).values
  } catch (error) {
    console.error(`${(error as Error).message}\n${USAGE}`)
    process.exit(2)
  }
}
