// tier: quick
import t from 'tap'
import { mergeChanges } from '../../src/engine/merge-changes.ts'
import type { FileChange } from '../../src/protocol/file-change.ts'

const of = (operation: FileChange['operation'], more: Partial<FileChange> = {}): FileChange => ({
  path: 'a',
  operation,
  ...more
})

t.test('merges two changes of a path, from the first state to the last', async t => {
  const merged = (first: FileChange, then: FileChange) => mergeChanges([first], [then])
  const [a, b, c] = ['sha256:a', 'sha256:b', 'sha256:c'] as const
  const changed = of('modified', { before_hash: b, after_hash: c, added: 2, removed: 1 })
  t.same(merged(of('modified', { before_hash: a, after_hash: b, added: 1, removed: 1 }), changed), [
    of('modified', { before_hash: a, after_hash: c, added: 3, removed: 2 })
  ])
  t.same(merged(of('created', { after_hash: b, added: 4, removed: 0 }), changed), [
    of('created', { after_hash: c, added: 5, removed: 0 })
  ])
  const moved = of('moved', { from: 'z', after_hash: b })
  t.same(merged(moved, changed), [{ ...moved, after_hash: c }])
  const gone = of('deleted', { before_hash: b, before_mode: '644' })
  t.same(merged(of('created', { after_hash: b }), gone), [], 'what came and went was never there')
  t.same(merged(of('modified', { before_hash: a, after_hash: b, before_mode: '600', after_mode: '644' }), gone), [
    of('deleted', { before_hash: a, before_mode: '600' })
  ])
  t.same(merged(of('deleted', { before_hash: a }), of('created', { after_hash: c, after_mode: '644' })), [
    of('modified', { before_hash: a, after_hash: c, after_mode: '644' })
  ])
  const link = of('created', { kind: 'symlink', target: 'b' })
  t.same(merged(of('deleted', { before_hash: a }), link), [link])
  const other = { ...changed, path: 'b' }
  t.same(mergeChanges([changed], [other]), [changed, other])
})
