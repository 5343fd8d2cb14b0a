// node scripts/test/select-quick.ts [FOLDER]: runs the quick and full tiers, measures which functions of src each file calls, and
// prints the files that cover most per processor second, with the share that is covered so far, and what the quick tier covers.
// With a folder of an earlier run it only prints. Functions weigh as much as their own text is long: a long one has more to break.
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { execaSync } from 'execa'
import type { FileCoverage } from '../../test/support/file-coverage.ts'
import { findTestFiles } from './plan.ts'

/** Covering the rest takes as long as everything else together. */
const MAX_SHARE = 0.98
const MIN_MS = 10

const [given] = process.argv.slice(2)
const folder = given ?? measure()
const coverages = readdirSync(folder).map(
  name => JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as FileCoverage
)
const weights = weigh(coverages)
const files = coverages.map(({ file, processorMs, functions }) => ({
  file,
  ms: Math.max(MIN_MS, processorMs),
  keys: Object.entries(functions).flatMap(([source, all]) =>
    all.filter(([, , isCalled]) => isCalled).map(([start, end]) => `${source}:${start}-${end}`)
  )
}))
const total = sumOf(new Set(files.flatMap(({ keys }) => keys)))
printSelection()
const quick = new Set(findTestFiles('quick', []).map(({ file }) => file))
const inQuick = files.filter(({ file }) => quick.has(file))
const covered = sumOf(new Set(inQuick.flatMap(({ keys }) => keys)))
console.log(
  `\nThe quick tier: ${inQuick.length} files, ${seconds(inQuick)}, ${percent(covered)} of what all files cover`
)
console.log(`All: ${files.length} files, ${seconds(files)}. Measured: ${folder}`)

function measure(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'file-coverage-'))
  for (const tier of ['quick', 'full'])
    execaSync(process.execPath, ['scripts/test/run.ts', '--tier', tier], {
      env: { FILE_COVERAGE_DIR: folder },
      stdio: 'inherit',
      reject: false
    })
  return folder
}

/** Returns the length of each function's text without those in it. The top level of a module runs whenever it is loaded. */
function weigh(all: readonly FileCoverage[]): Map<string, number> {
  const ranges = new Map<string, Map<string, [number, number]>>()
  for (const { functions } of all)
    for (const [source, list] of Object.entries(functions)) {
      const known = ranges.get(source) ?? new Map<string, [number, number]>()
      ranges.set(source, known)
      for (const [start, end] of list) known.set(`${source}:${start}-${end}`, [start, end])
    }
  const weights = new Map<string, number>()
  for (const known of ranges.values()) {
    const open: [string, number][] = []
    for (const [key, [start, end]] of [...known].sort(([, a], [, b]) => a[0] - b[0] || b[1] - a[1])) {
      while (open.length > 0 && open.at(-1)![1] <= start) open.pop()
      const parent = open.at(-1)
      if (parent) weights.set(parent[0], weights.get(parent[0])! - (end - start))
      weights.set(key, end - start)
      open.push([key, end])
    }
    for (const [key, [start]] of known) if (start === 0) weights.set(key, 0)
  }
  return weights
}

function printSelection() {
  const left = new Set(files.flatMap(({ keys }) => keys))
  const open = new Set(files)
  const gainOf = ({ keys }: (typeof files)[number]) => sumOf(keys.filter(key => left.has(key)))
  let [gained, ms] = [0, 0]
  while (open.size > 0 && gained / total < MAX_SHARE) {
    const gains = [...open].map(file => ({ file, gain: gainOf(file) }))
    const best = gains.reduce((a, b) => (b.gain / b.file.ms > a.gain / a.file.ms ? b : a))
    if (best.gain === 0) break
    open.delete(best.file)
    for (const key of best.file.keys) left.delete(key)
    gained += best.gain
    ms += best.file.ms
    console.log(`${percent(gained).padStart(7)} ${(ms / 1_000).toFixed(1).padStart(7)} s  ${best.file.file}`)
  }
}

function sumOf(keys: Iterable<string>): number {
  let sum = 0
  for (const key of keys) sum += weights.get(key)!
  return sum
}

function percent(part: number): string {
  return `${((part / total) * 100).toFixed(1)} %`
}

function seconds(of: typeof files): string {
  return `${(of.reduce((sum, { ms }) => sum + ms, 0) / 1_000).toFixed(0)} s of processor time`
}
