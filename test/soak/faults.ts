// npm run campaign -- faults [--only TEXT] [--minutes N]: makes each fault of what a server depends on, and prints a row for it: what callers
// saw while it lasted, what was lost of all that was acknowledged, and how long it took until all was normal. With `--minutes`, it goes on
// with random faults, and reports memory, descriptors, threads and the disk. Exits with 1 if anything was lost, did not become normal, or grew.
import { parseArgs } from 'node:util'
import { FAULTS, type Fault } from './fault-list.ts'
import { FaultWorld, type Outcome, timeUntil } from './fault-world.ts'

/** All is normal within this time after the repair, or never. */
const RECOVERY_MS = 90_000
/** Calls that need what fails, one after the other. */
const PROBES = 3
/** A part may keep this many times what it had after the first round. */
const MAX_GROWTH = 1.5

interface Row {
  fault: string
  how: string
  /** Results of the calls that needed what failed. */
  needed: string
  /** Results of other calls meanwhile. */
  others: string
  /** The longest answer. */
  slowest_ms: number
  lost: string
  normal_after_ms: number | 'never'
}

const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, minutes: { type: 'string', default: '0' } }
})
if (process.getuid?.() !== 0 || process.platform !== 'linux') {
  console.log('Skipped: it needs root on Linux, to replace programs for a server alone.')
  process.exit()
}
const faults = FAULTS.filter(({ name }) => name.includes(values.only))
const world = new FaultWorld()
let failed = false
try {
  await world.start()
  // A strict call that waits through all faults.
  await world.call('shell_exec', { command: 'cat .env', isolation: 'none' })
  for (const fault of faults) print(await run(fault))
  const first = world.measure()
  console.log(JSON.stringify(first))
  const end = performance.now() + Number(values.minutes) * 60_000
  while (performance.now() < end) {
    print(await run(faults[Math.floor(Math.random() * faults.length)]!))
    console.log(JSON.stringify(world.measure()))
  }
  const last = world.measure()
  for (const part of ['rss_mib', 'descriptors', 'threads'] as const)
    if (last[part] > first[part] * MAX_GROWTH) {
      failed = true
      console.log(`FAILED: ${part} grew from ${first[part]} to ${last[part]}`)
    }
} finally {
  await world.remove()
}
console.log(failed ? 'FAILED' : 'All is as it should be.')
process.exitCode = failed ? 1 : 0

async function run({ name, how, call, inject, endsServer, isNormal = async () => true }: Fault): Promise<Row> {
  const repair = await inject(world)
  const needed: Outcome[] = []
  const others: Outcome[] = []
  if (!endsServer) {
    const other = async () => {
      others.push(await world.call('read_file', { path: 'a.txt' }), await world.write())
      others.push(await world.call('list_directory', { path: '.' }))
    }
    const probe = async () => {
      for (let i = 0; i < PROBES; i += 1) needed.push(await world.call(...call))
    }
    await Promise.all([probe(), other()])
  }
  await repair()
  const began = performance.now()
  if (endsServer) await world.start()
  const normal = async () =>
    (await world.call(...call)).what === 'success' &&
    (await world.write()).what === 'success' &&
    (await isNormal(world))
  const recovered = await timeUntil(normal, RECOVERY_MS)
  return {
    fault: name,
    how,
    needed: count(needed),
    others: count(others),
    slowest_ms: Math.max(0, ...[...needed, ...others].map(({ ms }) => ms)),
    lost: (await world.findLost()).join('; ') || 'nothing',
    normal_after_ms: recovered === undefined ? 'never' : Math.round(performance.now() - began)
  }
}

function print(row: Row) {
  if (row.lost !== 'nothing' || row.normal_after_ms === 'never') failed = true
  const { fault, how, needed, others, slowest_ms, lost, normal_after_ms } = row
  console.log(`| ${[fault, how, needed, others, slowest_ms, lost, normal_after_ms].join(' | ')} |`)
}

/** Counts equal outcomes: `2 × success, 1 × OVERLOADED`. */
function count(outcomes: readonly Outcome[]): string {
  const groups = Map.groupBy(outcomes, ({ what }) => what)
  return [...groups].map(([what, all]) => `${all.length} × ${what}`).join(', ')
}
