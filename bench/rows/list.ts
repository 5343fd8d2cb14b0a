// Listing a tree of 50,000 files whole, with type, size and time of each, against ripgrep, which tells names alone, and
// against a plain walk that looks at each entry. Kept answers are refused.
import { lstatSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { rgPath } from '@vscode/ripgrep'
import { latencies, Talker, type ToolCall } from '../load-client.ts'
import { inTurns, timed } from '../measure.ts'
import { latencyFindings } from '../measurement.ts'
import { durations } from '../spawner.ts'
import { tree } from '../tree.ts'
import type { Row } from './benchmark.ts'

const FILES = 50_000
const QUICK_FILES = 2_000
const FRESH = { headers: { 'cache-control': 'no-cache' } }

const LIST: ToolCall = { tool: 'list_directory', params: { path: '.', recursive: true, limit: 100_000 } }

export default {
  name: 'list',
  async measure(ground) {
    const root = tree(ground.many(FILES, QUICK_FILES))
    const spawner = ground.spawner()
    const list = await Talker.open(ground, await ground.ours(root), [LIST], FRESH)
    const names = { file: rgPath, args: ['--files', './'], cwd: root, env: { PATH: process.env.PATH ?? '' } }
    const measured = await inTurns(ground.many(5, 1), {
      ours: () => latencies(list, 2),
      floor: () => timed(2, async () => walk(root)),
      names: () => durations(2, () => spawner.run(names))
    })
    const [median] = latencyFindings('list 50,000 files', measured)
    const [beside] = latencyFindings('the same, against rg --files', { ...measured, floor: measured.names })
    return [median!, beside!]
  }
} satisfies Row

/** What any program must do that tells of each entry what it is, how large and how old. */
function walk(folder: string): object[] {
  return readdirSync(folder).flatMap(name => {
    const at = path.join(folder, name)
    const stat = lstatSync(at)
    const entry = { name, path: at, size: stat.size, modified: stat.mtime.toISOString() }
    return stat.isDirectory() ? [entry, ...walk(at)] : [entry]
  })
}
