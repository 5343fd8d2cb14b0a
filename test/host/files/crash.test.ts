// Tests of a server killed at any step of a change: after the next start each file has its old or its new content, transactions
// are atomic, no temporary file remains, removed content can be restored, and the changes are known.
// tier: full
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { globbySync } from 'globby'
import t, { type Test } from 'tap'
import type { Change } from '../../../src/host/change.ts'
import { hashBytes } from '../../../src/host/files/content-source.ts'
import { BlobStore } from '../../../src/host/undo-store/blob-store.ts'
import { recoverInterruptedWrites } from '../../../src/host/undo-store/crash-recovery.ts'
import { blobsFolder } from '../../../src/host/undo-store/undo-storage.ts'
import { snapshotFolder } from '../../snapshot-folder.ts'
import { STRIDE } from '../../support/property.ts'
import { once } from '../../support/wait.ts'
import { createToolFixture, type ToolFixture } from '../../tools/fixture.ts'
import { CRASH_CHANGES } from './crash-changes.ts'

type Folder = Record<string, string>

const LIMITS = { max_age_days: 1, max_bytes: 1e9, max_file_bytes: 1e9 }
/** Changes that need not be atomic. */
const MANY = new Set(['create', 'remove a tree'])
/** Number of servers killed concurrently. */
const AT_ONCE = 4
/** More than the steps of any change. */
const STEPS_AT_MOST = 300

for (const [name, { before }] of Object.entries(CRASH_CHANGES))
  t.test(`recovers from a kill at any step: ${name}`, async t => {
    const whole = createToolFixture(t, before)
    const old = snapshotFolder(whole.root)
    t.equal(await run(name, 0, whole), 0)
    const done = snapshotFolder(whole.root)
    const outcomes = { old: 0, done: 0, between: 0 }
    for (let n = 1, over = false; !over; n += AT_ONCE * STRIDE) {
      if (n > STEPS_AT_MOST) throw new Error('the change never ends')
      const rounds = Array.from({ length: AT_ONCE }, (_, i) => n + i * STRIDE).map(n => ({
        at: `killed before step ${n}`,
        n
      }))
      const worlds = await Promise.all(
        rounds.map(async ({ n, at }) => {
          const world = createToolFixture(t, before)
          return { ...world, at, ended: await run(name, n, world) }
        })
      )
      for (const { at, root, stateDir } of worlds) outcomes[look(t, at, root, stateDir, old, done)] += 1
      over = worlds.some(({ ended }) => ended === 0)
    }
    t.ok(outcomes.old > 0 && outcomes.done > 0, `it was killed before and after: ${JSON.stringify(outcomes)}`)
    if (!MANY.has(name)) t.equal(outcomes.between, 0, 'it happens at once')
  })

/** Recovers after a kill and returns the state of the tree. */
function look(t: Test, at: string, root: string, stateDir: string, old: Folder, done: Folder) {
  // Recovery may be interrupted as well, and is repeated.
  recoverInterruptedWrites(stateDir)
  const { changes: known, forget } = recoverInterruptedWrites(stateDir)
  forget()
  const changes = known.get('tc_killed') ?? []
  const now = snapshotFolder(root)
  for (const [path, content] of Object.entries({ ...old, ...now }))
    if (now[path] !== old[path] && now[path] !== done[path]) t.fail(`${at}: ${path} is ${content}`)
  t.strictSame(told(changes, old, done), now, `${at}: what happened is known`)
  const images = new BlobStore(blobsFolder(stateDir), LIMITS)
  const gone = changes.flatMap(({ before_hash }) => before_hash ?? [])
  t.ok(
    gone.every(hash => images.read(hash)),
    `${at}: what is gone is kept`
  )
  t.strictSame(globbySync('changes/*', { cwd: stateDir }), [], `${at}: nothing is left to clear`)
  return isDeepStrictEqual(now, done) ? 'done' : isDeepStrictEqual(now, old) ? 'old' : 'between'
}

/** Returns a tree with the changes applied as one. */
function told(changes: readonly Change[], old: Folder, done: Folder): Folder {
  const texts = [...Object.values(old), ...Object.values(done)].map(value => value.slice(value.indexOf(' ') + 1))
  const byHash = new Map(texts.map(text => [hashBytes(Buffer.from(text, 'latin1')), text]))
  const tree = { ...old }
  for (const { path, from, operation } of changes) {
    for (const left of Object.keys(tree))
      if (from !== undefined && left.startsWith(`${from}/`)) tree[path + left.slice(from.length)] = tree[left]!
    const gone = operation === 'deleted' ? path : from
    for (const left of Object.keys(old)) if (left === gone || left.startsWith(`${gone}/`)) delete tree[left]
  }
  for (const { path, operation, kind, target, after_hash } of changes) {
    if (operation === 'deleted') continue
    tree[path] =
      kind === 'directory' ? 'a folder' : kind === 'symlink' ? `a link to ${target}` : `644 ${byHash.get(after_hash!)}`
  }
  return Object.fromEntries(Object.entries(tree).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Makes a change in a process that is killed before its nth step. Returns the exit code: 0 if it has fewer steps. */
async function run(change: string, n: number, { root, stateDir }: ToolFixture): Promise<number | null> {
  const script = join(import.meta.dirname, 'kill-at.ts')
  const child = spawn(process.execPath, [script, String(n), change, root, stateDir], {
    stdio: ['ignore', 'inherit', 'inherit']
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return code
}
