// Tests of the net effect of recorded changes, for sequences that calls rarely make.
// tier: quick
import t from 'tap'
import { computeNetChanges } from '../../../src/engine/session-changes/net-changes.ts'
import type { FileChange } from '../../../src/protocol/file-change.ts'

/** Returns the rows of these calls, with their numbers from 1. */
const net = (...calls: FileChange[][]) =>
  computeNetChanges(calls.map((changes, i) => ({ tool_call_id: String(i + 1), changes })))
    .map(({ operation, from, path, calls, changedBetween }) =>
      [operation, from, path, calls.join(), changedBetween && 'between'].filter(Boolean).join(' ')
    )
    .sort()

const move = (from: string, path: string, after_hash = 'A'): FileChange => ({
  path,
  from,
  operation: 'moved',
  after_hash
})
const moveFolder = (from: string, path: string): FileChange => ({ path, from, operation: 'moved', kind: 'directory' })
const create = (path: string, after_hash = 'X'): FileChange => ({ path, operation: 'created', after_hash })
const remove = (path: string, before_hash = 'A'): FileChange => ({ path, operation: 'deleted', before_hash })
const modify = (path: string, before_hash: string, after_hash: string, more: Partial<FileChange> = {}): FileChange => ({
  path,
  operation: 'modified',
  before_hash,
  after_hash,
  ...more
})

t.test('moves', async t => {
  const swap = (a: string, b: string) => [move('a', 'b', a), move('b', 'a', b)]
  t.same(net(swap('A', 'B')), ['modified a 1', 'modified b 1'])
  t.same(net(swap('A', 'B'), swap('B', 'A')), ['unchanged a 1,2', 'unchanged b 1,2'])
  t.same(net([move('a', 'b')], [move('b', 'c')]), ['moved a c 1,2'])
  t.same(net([move('a', 'b')], [move('b', 'a')]), ['unchanged a 1,2'])
  t.same(net([move('a', 'b')], [create('a')]), ['created b 1', 'modified a 1,2'])
  t.same(net([move('a', 'b')], [move('b', 'c')], [create('b')]), ['created b 1,2,3', 'moved a c 1,2'])
  t.same(net([move('a', 'b')], [remove('b')]), ['deleted a 1,2'])
  t.same(net([move('a', 'b')], [remove('b')], [create('b')]), ['created b 1,2,3', 'deleted a 1,2'])
  t.same(net([{ ...move('a', 'b'), before_hash: 'B' }]), ['deleted a 1', 'modified b 1'])
})

t.test('moves of folders', async t => {
  t.same(net([moveFolder('d', 'e')], [modify('e/x', 'A', 'B')], [moveFolder('e', 'd')]), [
    'modified d/x 2,3',
    'unchanged d 1,3'
  ])
  t.same(net([moveFolder('d', 'e')], [remove('e/x')]), ['deleted d/x 2', 'moved d e 1'])
  t.same(net([create('d/x')], [moveFolder('d', 'e')]), ['created e/x 1,2', 'moved d e 2'])
  t.same(net([create('d/x')], [moveFolder('d', 'e')], [remove('e/x', 'X')]), ['moved d e 2'])
})

t.test('kinds, modes and changes by others', async t => {
  t.same(net([remove('a'), { path: 'a', operation: 'created', kind: 'symlink', target: 'z' }]), ['modified a 1'])
  const open = { before_mode: '644', after_mode: '755' }
  t.same(net([modify('a', 'A', 'B')], [modify('a', 'B', 'A', open)]), ['modified a 1,2'])
  const close = { before_mode: '755', after_mode: '644' }
  t.same(net([modify('a', 'A', 'A', open)], [modify('a', 'A', 'A', close)]), ['unchanged a 1,2'])
  t.same(net([modify('a', 'A', 'B')], [modify('a', 'C', 'D')]), ['modified a 1,2 between'])
  t.same(net([remove('a')], [modify('a', 'C', 'A')]), ['unchanged a 1,2 between'])
  t.same(net([create('a')], [remove('a', 'X')]), ['unchanged a 1,2'])
})
