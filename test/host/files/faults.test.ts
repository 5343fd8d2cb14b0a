// Tests of disk failures: a change that cannot be made durable is an error, and leaves the files unchanged.
// tier: full
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { execaSync } from 'execa'
import t, { type Test } from 'tap'
import type { Change } from '../../../src/host/change.ts'
import { hashBytes } from '../../../src/host/files/content-source.ts'
import { Files } from '../../../src/host/files/files.ts'
import { openWorkspace } from '../../../src/host/files/paths.ts'
import { snapshotFolder } from '../../snapshot-folder.ts'
import { needs } from '../../support/needs.ts'
import { STRIDE } from '../../support/property.ts'
import { catchToolError, createToolFixture, type FileTree, writeTree } from '../../tools/fixture.ts'
import { CRASH_CHANGES } from './crash-changes.ts'

/** More than the syncs of any change. */
const SYNCS_AT_MOST = 60
const AT_ONCE = 3
const INJECT = ['-f', '-qq', '-o', '/dev/null', '-e', 'trace=fsync,fdatasync', '-e']

t.test('a failed sync is an error, and leaves everything unchanged', needs('strace'), async t => {
  for (const [name, { before }] of Object.entries(CRASH_CHANGES)) {
    const whole = createToolFixture(t, before)
    const old = snapshotFolder(whole.root)
    await failing(name, SYNCS_AT_MOST, whole)
    const done = snapshotFolder(whole.root)
    t.notSame(done, old)
    for (let n = 1, over = false; !over; n += AT_ONCE * STRIDE) {
      if (n > SYNCS_AT_MOST) throw new Error('the change never ends')
      const worlds = Array.from({ length: AT_ONCE }, (_, i) => ({ n: n + i * STRIDE, ...createToolFixture(t, before) }))
      const ends = await Promise.all(worlds.map(world => failing(name, world.n, world)))
      for (const [i, { n, root }] of worlds.entries()) {
        const { status, said } = ends[i]!
        over ||= status === 0
        if (name === 'remove a tree') t.ok(status === 0 || said === 'EXECUTION_ERROR', `${name}: sync ${n} fails`)
        else {
          const [is, expected] = status === 0 ? ['ends well', done] : ['fails', old]
          t.equal(said, status === 0 ? '' : 'EXECUTION_ERROR', `${name}: with sync ${n} failing it ${is}`)
          t.strictSame(snapshotFolder(root), expected, `${name}: with sync ${n} failing it ${is}, as the files say`)
        }
      }
    }
  }
})

t.test('a full state folder is an error before anything changes', needs('mount'), async t => {
  const tree = { 'a.txt': 'a'.repeat(40_000), 'b.txt': 'b'.repeat(300_000), d: { 'c.txt': 'c'.repeat(40_000) } }
  const world = onDisks(t, { state: '64k' }, tree)
  const { root, files, told } = world
  // Fills the disk.
  await files.create('first.txt', Buffer.alloc(30_000, 'x'))
  const before = snapshotFolder(root)
  told.length = 0
  const was = async (path: string) => (await files.snapshot(path))!
  const attempts: [string, () => Promise<unknown>][] = [
    ['replace', async () => files.replace('a.txt', await was('a.txt'), Buffer.from('new'))],
    ['replace a large one', async () => files.replace('b.txt', await was('b.txt'), Buffer.from('new'))],
    ['remove', () => files.remove('a.txt')],
    ['remove a tree', () => files.removeTree('d')],
    ['move over', () => files.moveOver('first.txt', 'a.txt')],
    [
      'together',
      async () =>
        files.runTransaction([
          { do: 'write', path: 'new.txt', content: Buffer.from('new') },
          { do: 'remove', path: 'a.txt', was: await was('a.txt') }
        ])
    ]
  ]
  for (const [name, attempt] of attempts) {
    const { code, message } = await catchToolError(attempt)
    t.same(
      [code, message],
      [
        'DISK_FULL',
        'Nothing was changed: the content could not be stored for undo, because the disk of the state folder is full.'
      ],
      name
    )
    t.strictSame(snapshotFolder(root), before, name)
  }
  t.same(told, [])
})

t.test('a full disk leaves several files unchanged', needs('mount'), async t => {
  const world = onDisks(t, { ws: '96k' }, { 'a.txt': 'a'.repeat(20_000), 'b.txt': 'b'.repeat(20_000) })
  const { root, files, told } = world
  const before = snapshotFolder(root)
  const [a, b] = await Promise.all(['a.txt', 'b.txt'].map(path => files.snapshot(path)))
  const { code, message } = await catchToolError(() =>
    files.runTransaction([
      { do: 'write', path: 'a.txt', was: a!, content: Buffer.alloc(20_000, 'A') },
      { do: 'write', path: 'b.txt', was: b!, content: Buffer.alloc(60_000, 'B') }
    ])
  )
  t.same([code, message], ['DISK_FULL', '"b.txt" could not be written: the disk is full.'])
  t.strictSame(snapshotFolder(root), before)
  t.same(told, [])
})

t.test('copies a file when moving it to another file system', needs('mount'), async t => {
  const world = onDisks(t, { 'ws/mounted': '1m' }, { 'a.txt': 'a', mounted: {} })
  const { root, files, told } = world
  await files.move('a.txt', 'mounted/deep/b.txt')
  t.equal(readFileSync(join(root, 'mounted/deep/b.txt'), 'utf8'), 'a')
  const hash = hashBytes(Buffer.from('a'))
  t.same(told, [
    { path: 'mounted/deep', operation: 'created', kind: 'directory' },
    { path: 'mounted/deep/b.txt', operation: 'moved', from: 'a.txt', after_hash: hash }
  ])
  await files.create('over.txt', Buffer.from('over'))
  await files.moveOver('over.txt', 'mounted/deep/b.txt')
  t.same(snapshotFolder(root), {
    mounted: 'a folder',
    'mounted/deep': 'a folder',
    'mounted/deep/b.txt': '644 over'
  })
  const { code } = await catchToolError(() => files.move('mounted/deep', 'deep'))
  t.equal(code, 'EXECUTION_ERROR', 'a folder stays where it is')
})

/** Makes a change whose nth sync fails. */
async function failing(change: string, n: number, { root, stateDir }: { root: string; stateDir: string }) {
  const script = join(import.meta.dirname, 'kill-at.ts')
  const inject = `inject=fsync,fdatasync:error=EIO:when=${n}`
  // strace counts per thread: a single thread makes the order deterministic.
  const child = spawn('strace', [...INJECT, inject, process.execPath, script, '0', change, root, stateDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, UV_THREADPOOL_SIZE: '1' }
  })
  const ended = Promise.withResolvers<number | null>()
  child.on('close', ended.resolve)
  const said = await text(child.stdout)
  return { said, status: await ended.promise }
}

/** Creates a workspace with small disks mounted on some folders. */
function onDisks(t: Test, sizes: { [folder: string]: string }, tree: FileTree) {
  const top = mkdtempSync(join(tmpdir(), 'disks-'))
  t.teardown(() => rmSync(top, { recursive: true, force: true }))
  for (const folder of ['ws', 'state', ...Object.keys(sizes)]) mkdirSync(join(top, folder), { recursive: true })
  for (const [folder, size] of Object.entries(sizes)) {
    execaSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', join(top, folder)], { stdio: 'pipe' })
    t.teardown(() => execaSync('umount', ['-l', join(top, folder)]))
  }
  const [root, stateDir] = [join(top, 'ws'), join(top, 'state')]
  writeTree(root, tree)
  const told: Change[] = []
  const effects = {
    signal: new AbortController().signal,
    commitIntent: async () => {},
    recordChange: (change: Change) => void told.push(change)
  }
  const files = new Files(openWorkspace('w', root), { stateDir, sensitive: [] }, effects)
  return { root, files, told }
}
