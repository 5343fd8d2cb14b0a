// tier: quick
import fc from 'fast-check'
import t from 'tap'
import type { StatSnapshot } from '../../../src/host/watch/stat-snapshot.ts'
import { orderChanges, type TreeDifference, toChange } from '../../../src/host/watch/tree-diff.ts'
import { runs } from '../../support/property.ts'

type Tree = Map<string, StatSnapshot>

const name = fc.constantFrom('a', 'b', 'c')
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map(names => names.join('/'))
const step = fc.record({
  op: fc.constantFrom('file', 'file', 'folder', 'link', 'remove', 'move', 'move', 'chmod'),
  path,
  to: path
})

const above = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/')))
const beneath = (tree: Tree, path: string) => [...tree.keys()].filter(each => each.startsWith(`${path}/`))
const hasFolder = (tree: Tree, path: string) => path === '' || tree.get(path)?.kind === 'directory'

let clock = 1
/** Returns the lowest free inode number, like file systems do. */
const freeIno = (tree: Tree) => {
  const used = new Set([...tree.values()].map(({ ino }) => ino))
  for (let ino = 1; ; ino += 1) if (!used.has(ino)) return ino
}
const entry = (tree: Tree, kind: StatSnapshot['kind']): StatSnapshot => {
  clock += 1
  const target = kind === 'symlink' ? { target: `t${clock}` } : {}
  return { kind, mode: 0o644, ino: freeIno(tree), size: kind === 'file' ? 1 : 0, ctime: clock, mtime: clock, ...target }
}

/** Applies an operation like a file system; impossible ones are skipped. */
function apply(tree: Tree, { op, path, to }: { op: string; path: string; to: string }) {
  const at = tree.get(path)
  if (op === 'remove') for (const each of [...beneath(tree, path), path]) tree.delete(each)
  else if (op === 'chmod') at && at.kind !== 'symlink' && tree.set(path, { ...at, mode: at.mode ^ 0o100 })
  else if (op === 'move') {
    if (!at || tree.has(to) || !hasFolder(tree, above(to)) || `${to}/`.startsWith(`${path}/`)) return
    for (const each of [path, ...beneath(tree, path)]) {
      tree.set(to + each.slice(path.length), tree.get(each)!)
      tree.delete(each)
    }
  } else if (hasFolder(tree, above(path))) {
    if (at?.kind === 'file' && op === 'file') tree.set(path, { ...at, mtime: ++clock, size: at.size + 1 })
    else if (!at) tree.set(path, entry(tree, op === 'file' ? 'file' : op === 'link' ? 'symlink' : 'directory'))
  }
}

/** Applies one reported change to a tree; throws if impossible. */
function follow(tree: Tree, { path, from, before, after }: TreeDifference) {
  const must = (holds: unknown, why: string) => {
    if (!holds) throw new Error(`${path}: ${why}`)
  }
  if (from !== undefined) {
    must(tree.has(from) && !tree.has(path) && hasFolder(tree, above(path)), 'cannot be moved there')
    for (const each of [from, ...beneath(tree, from)]) {
      tree.set(path + each.slice(from.length), tree.get(each)!)
      tree.delete(each)
    }
  } else if (!after) {
    must(tree.has(path) && beneath(tree, path).length === 0, 'cannot be removed')
    tree.delete(path)
  } else {
    must(before ? tree.has(path) : !tree.has(path) && hasFolder(tree, above(path)), 'cannot be put there')
    tree.set(path, after)
  }
}

/** Returns the compared parts of a tree: of folders neither inode nor times. */
const shape = (tree: Tree) =>
  [...tree]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, seen]) => [path, seen.kind, seen.mode, seen.kind === 'directory' ? 0 : seen.mtime])

t.test('changes applied in order lead from the old tree to the new one', async t => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), fc.array(step, { maxLength: 12 }), (first, second) => {
      const before: Tree = new Map()
      for (const each of first) apply(before, each)
      const after = new Map(before)
      for (const each of second) apply(after, each)
      const found = [...new Set([...before.keys(), ...after.keys()])]
        .map(path => ({ path, before: before.get(path), after: after.get(path) }))
        .filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after))
      const tree = new Map(before)
      for (const each of orderChanges(found)) follow(tree, each)
      t.strictSame(shape(tree), shape(after))
    }),
    runs(2_000)
  )
})

t.test('treats a file with a reused inode as a new one', async t => {
  const file: StatSnapshot = { kind: 'file', mode: 0o644, ino: 7, size: 3, ctime: 1, mtime: 1 }
  const told = (after: StatSnapshot) =>
    orderChanges([
      { path: 'a', before: file, after: undefined },
      { path: 'b', before: undefined, after }
    ]).map(toChange)
  t.strictSame(told({ ...file, ctime: 9 }), [{ path: 'b', operation: 'moved', from: 'a' }])
  t.strictSame(told({ ...file, ctime: 9, mtime: 9 }), [
    { path: 'a', operation: 'deleted', before_mode: '644' },
    { path: 'b', operation: 'created' }
  ])
})
