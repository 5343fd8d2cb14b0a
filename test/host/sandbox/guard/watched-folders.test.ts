// Compares what a guard that relies on the watcher finds with what one finds that looks at every folder, after each of many changes.
// tier: full
// run: cheap
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { openWorkspace } from '../../../../src/host/files/paths.ts'
import { ServerEntries } from '../../../../src/host/files/policy/server-entries.ts'
import { GuardedNames } from '../../../../src/host/sandbox/guard/guarded-names.ts'
import { GuardedTree, type TreeScan } from '../../../../src/host/sandbox/guard/guarded-tree.ts'
import { WatchedFolders } from '../../../../src/host/sandbox/guard/watched-folders.ts'
import { Watcher } from '../../../../src/host/watch/watcher.ts'
import { needs } from '../../../support/needs.ts'
import { runs } from '../../../support/property.ts'
import { makeTestFolder } from '../../../support/test-folder.ts'

const NAMES = ['a', 'b', 'node_modules', '.git', '.env', '.vscode', 'key.pem', 'x.txt']

/** A change of a tree; a path has up to three names. */
const path = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 }).map(names => names.join('/'))
const change = fc.oneof(
  fc.record({ do: fc.constant('write' as const), path }),
  fc.record({ do: fc.constant('make' as const), path }),
  fc.record({ do: fc.constant('remove' as const), path }),
  fc.record({ do: fc.constant('move' as const), path, to: path }),
  fc.record({ do: fc.constant('link' as const), path, to: path }),
  fc.record({ do: fc.constant('close' as const), path }),
  fc.record({ do: fc.constant('ignore' as const), path })
)
type TreeChange = typeof change extends fc.Arbitrary<infer T> ? T : never

/** Applies a change; one that the tree does not permit changes nothing, or a part. */
function apply(root: string, each: TreeChange) {
  const at = join(root, each.path)
  try {
    if (each.do === 'write') writeFileSync(at, '')
    else if (each.do === 'make') mkdirSync(at, { recursive: true })
    else if (each.do === 'remove') rmSync(at, { recursive: true })
    else if (each.do === 'move') renameSync(at, join(root, each.to))
    else if (each.do === 'link') symlinkSync(join(root, each.to), at)
    else if (each.do === 'close') chmodSync(at, 0o700)
    else writeFileSync(join(root, '.gitignore'), `${each.path}\n`)
  } catch {}
}

const comparable = (scan: TreeScan | undefined) => {
  const byPath = (one: { path: string }, other: { path: string }) => (one.path < other.path ? -1 : 1)
  return (
    scan && {
      ...scan,
      guarded: scan.guarded.toSorted(byPath),
      selfStarting: scan.selfStarting.toSorted(byPath),
      unreadable: scan.unreadable.toSorted()
    }
  )
}

async function guardTwice(t: Test) {
  const root = makeTestFolder(t)
  const watcher = new Watcher(openWorkspace('default', root))
  t.teardown(() => watcher.close())
  await watcher.start()
  const parts = { root, names: new GuardedNames([]), servers: new ServerEntries([]), maxFolders: 1_000 }
  return {
    root,
    watched: new GuardedTree({ ...parts, watcher }),
    lookAtAll: () => new GuardedTree({ ...parts, watcher: undefined }).scan()
  }
}

t.test('finds what one finds that looks at every folder', async t => {
  const { root, watched, lookAtAll } = await guardTwice(t)
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 12 }), async changes => {
      for (const name of existsSync(root) ? readdirSync(root) : []) rmSync(join(root, name), { recursive: true })
      for (const each of changes) {
        apply(root, each)
        t.strictSame(comparable(await watched.scan()), comparable(await lookAtAll()))
      }
      return t.passing()
    }),
    runs(600)
  )
})

t.test('sees a change of a folder that was looked at before', async t => {
  const { root, watched } = await guardTwice(t)
  mkdirSync(join(root, 'a/b'), { recursive: true })
  const found = async () => (await watched.scan())?.guarded.map(one => one.path)
  t.same(await found(), [])
  writeFileSync(join(root, 'a/b/.env'), '')
  t.same(await found(), ['a/b/.env'])
  renameSync(join(root, 'a'), join(root, 'c'))
  t.same(await found(), ['c/b/.env'])
  renameSync(join(root, 'c/b/.env'), join(root, 'c/b/plain'))
  t.same(await found(), [])
})

/** Number of `statfs(2)`: the layers of a container, of which events may be missing. */
const OVERLAY = 0x794c7630
/** Folders of tests are in that of the project. */
const isLayered = statfsSync(import.meta.dirname).type === OVERLAY
const where = isLayered ? { skip: 'the folder of the test is in a layer of a container' } : needs('linux')

t.test('remembers a folder until something in it changes', where, async t => {
  const root = makeTestFolder(t, { a: { b: {} }, c: {} })
  const watcher = new Watcher(openWorkspace('default', root))
  t.teardown(() => watcher.close())
  await watcher.start()
  const folders = new WatchedFolders(root, watcher)
  const known = ['', 'a', 'a/b', 'c']
  const remembered = async () => {
    await folders.settle()
    return known.filter(name => folders.isUnchanged(name))
  }
  const noteAll = () => {
    for (const name of known) folders.note(name)
  }
  t.same(await remembered(), [])
  noteAll()
  t.same(await remembered(), known)
  writeFileSync(join(root, 'a/b/x'), '')
  t.same(await remembered(), ['', 'a', 'c'])
  chmodSync(join(root, 'c'), 0o700)
  t.same(await remembered(), ['a'], 'its attributes are those of an entry of the folder above, too')
  noteAll()
  writeFileSync(join(root, '.gitignore'), 'c\n')
  t.same(await remembered(), [], 'other rules: nothing is known')
})
