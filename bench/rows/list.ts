// Lists a tree of 50,000 files whole, with type, size and time of each, against ripgrep, which gives names alone, and against a
// plain walk with one stat per entry. Cached results are refused.
import { lstatSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { rgPath } from '@vscode/ripgrep'
import { LoadClient, measureLatencies, type ToolCall } from '../load-client.ts'
import { interleave, timeEach } from '../measure.ts'
import { latencyMeasurements } from '../measurement.ts'
import { measureDurations } from '../spawner.ts'
import { prepareTree } from '../tree.ts'
import type { Benchmark } from './benchmark.ts'

const FILES = 50_000
const QUICK_FILES = 2_000
const FRESH = { headers: { 'cache-control': 'no-cache' } }

const LIST: ToolCall = { tool: 'list_directory', params: { path: '.', recursive: true, limit: 100_000 } }

export default {
  name: 'list',
  async measure(ground) {
    const root = prepareTree(ground.scale(FILES, QUICK_FILES))
    const spawner = ground.spawner()
    const list = await LoadClient.open(ground, await ground.startToolgate(root), [LIST], FRESH)
    const names = { file: rgPath, args: ['--files', './'], cwd: root, env: { PATH: process.env.PATH ?? '' } }
    const measured = await interleave(ground.scale(5, 1), {
      ours: () => measureLatencies(list, 2),
      floor: () => timeEach(2, async () => walkTree(root)),
      names: () => measureDurations(2, () => spawner.run(names))
    })
    const [median] = latencyMeasurements('list 50,000 files', measured)
    const [beside] = latencyMeasurements('the same, against rg --files', { ...measured, floor: measured.names })
    return [median!, beside!]
  }
} satisfies Benchmark

/** The minimum work of any program that reports type, size and age of each entry. */
function walkTree(folder: string): object[] {
  return readdirSync(folder).flatMap(name => {
    const at = path.join(folder, name)
    const stat = lstatSync(at)
    const entry = { name, path: at, size: stat.size, modified: stat.mtime.toISOString() }
    return stat.isDirectory() ? [entry, ...walkTree(at)] : [entry]
  })
}
