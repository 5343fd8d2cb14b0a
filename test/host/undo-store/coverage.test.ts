// Tests of the snapshot before a command that runs unasked: it holds all files that fit, and names the others, which stay as they are.
// tier: quick
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t, { type Test } from 'tap'
import type { Change } from '../../../src/host/change.ts'
import { viaProcFd } from '../../../src/host/files/dir-access.ts'
import { openWorkspace } from '../../../src/host/files/paths.ts'
import { BlobStore } from '../../../src/host/undo-store/blob-store.ts'
import { PendingChanges } from '../../../src/host/undo-store/pending-changes.ts'
import { Snapshot } from '../../../src/host/undo-store/snapshot.ts'
import { SnapshotCopies } from '../../../src/host/undo-store/snapshot-copies.ts'
import { Snapshots } from '../../../src/host/undo-store/snapshots.ts'
import type { StatSnapshot } from '../../../src/host/watch/stat-snapshot.ts'
import { WorkspaceTree } from '../../../src/host/watch/workspace-tree.ts'

const LIMITS = { max_file_bytes: 100, max_bytes: 300 }

/** A tree in which one file can never be read, as one that another program keeps writing. */
class TreeWithBusyFile extends WorkspaceTree {
  override async readIfUnchanged(file: string, seen: StatSnapshot) {
    return file === 'busy.log' ? undefined : super.readIfUnchanged(file, seen)
  }
}

function prepare(t: Test, files: Record<string, string>) {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-coverage-')))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const [root, stateDir] = ['ws', 'state'].map(name => path.join(folder, name)) as [string, string]
  mkdirSync(stateDir)
  const write = (name: string, content: string) => {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
    writeFileSync(path.join(root, name), content)
  }
  for (const [name, content] of Object.entries(files)) write(name, content)
  const tree = new TreeWithBusyFile(openWorkspace('default', root, viaProcFd), { stateDir, sensitive: [] })
  const blobs = new BlobStore(path.join(stateDir, 'images'), { ...LIMITS, max_age_days: 1, max_bytes: 1e6 })
  const snapshots = new Snapshots(tree, stateDir, LIMITS, {
    blobs,
    watched: { pauseReporting: async () => () => {}, visit: async () => false }
  })
  const changes: Change[] = []
  const effects = {
    signal: new AbortController().signal,
    commitIntent: async () => {},
    recordChange: (change: Change) => void changes.push(change)
  }
  const cover = (hides: string[] = []) => snapshots.cover(effects, { hides })
  return {
    root,
    stateDir,
    tree,
    blobs,
    write,
    changes,
    cover,
    remove: (name: string) => rmSync(path.join(root, name), { recursive: true })
  }
}

t.test('names what it cannot hold, and reports no change of that', async t => {
  const { changes, cover, write, remove } = prepare(t, {
    '.gitignore': 'data/\nout/\n',
    'a.txt': 'a',
    'busy.log': 'x',
    'large.bin': 'x'.repeat(101),
    'data/big': 'x'.repeat(290),
    'out/app.js': 'built',
    'node_modules/x/index.js': 'x',
    '__pycache__/a.pyc': 'x',
    'private/key.txt': 'x'
  })
  const { readOnly, hidden, finish } = await cover(['private/**'])
  t.same(readOnly.toSorted(), ['busy.log', 'data', 'large.bin', 'node_modules'])
  t.same(hidden, ['private/key.txt'])
  write('__pycache__/b.pyc', 'x')
  write('node_modules/y.js', 'x')
  remove('out')
  write('a.txt', 'b')
  const { files, not_covered } = await finish()
  t.same({ files, not_covered }, { files: 3, not_covered: 1 })
  t.same(changes.map(({ operation, path: file }) => `${operation} ${file}`).toSorted(), [
    'deleted out',
    'deleted out/app.js',
    'modified a.txt'
  ])
})

t.test('refuses where too much would have to be read-only', async t => {
  const files = Array.from({ length: 201 }, (_, at) => [`${at}.bin`, 'x'.repeat(101)] as const)
  const { cover, changes } = prepare(t, Object.fromEntries(files))
  await t.rejects(cover(), {
    code: 'SANDBOX_UNAVAILABLE',
    message: /^Commands cannot run without approval in this workspace: 201 /
  })
  t.same(changes, [])
})

t.test(
  'without time for storing contents, changes are found all the same, and what undo does not hold is counted',
  async t => {
    const { root, stateDir, tree, blobs, write } = prepare(t, { 'a.txt': 'a', 'b.txt': 'b' })
    const copies = new SnapshotCopies(stateDir)
    const take = async (copy_ms: number) => {
      const snapshot = new Snapshot(tree, tree, copies, LIMITS)
      await snapshot.take(new AbortController().signal, copy_ms)
      return snapshot
    }
    const without = await take(0)
    t.same([without.files, without.not_covered], [0, 2])
    write('a.txt', 'longer')
    rmSync(path.join(root, 'b.txt'))
    const described = (await without.changes(blobs, new PendingChanges())).map(({ operation, path, before_hash }) => [
      operation,
      path,
      before_hash
    ])
    t.same(described, [
      ['deleted', 'b.txt', undefined],
      ['modified', 'a.txt', undefined]
    ])
    const complete = await take(Number.POSITIVE_INFINITY)
    t.same([complete.files, complete.not_covered], [1, 0])
    copies.clear()
  }
)
