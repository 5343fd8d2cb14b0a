// Tests of undo for files that later calls have moved.
// tier: quick
import { readdirSync, renameSync } from 'node:fs'
import t, { type Test } from 'tap'
import { startUndoFixture, toActions } from './undo-fixture.ts'

async function world(t: Test, files: Record<string, string>) {
  const app = await startUndoFixture(t, files)
  return { ...app, texts: () => Object.fromEntries(readdirSync(app.root).map(name => [name, app.read(name)])) }
}

const edit = { path: 'a.txt', old: 'two', new: 'TWO' }
const FILES = { 'a.txt': 'one\ntwo\nthree\n' }

t.test('restores an edited file at its new place', async t => {
  const { did, show, undo, texts } = await world(t, FILES)
  const call = await did('edit_file', edit)
  await did('move_file', { from: 'a.txt', to: 'b.txt' })
  t.same(toActions(await show(call)), { 'b.txt': 'restore' })
  t.match(await undo(call), { status: 'success', changes: [{ path: 'b.txt', operation: 'modified' }] })
  t.same(texts(), { 'b.txt': 'one\ntwo\nthree\n' })
})

t.test('moved twice, once with its parent folder', async t => {
  const { did, undo, read } = await world(t, FILES)
  const call = await did('edit_file', edit, { session_id: 'one' })
  await did('move_file', { from: 'a.txt', to: 'd/a.txt' }, { session_id: 'two' })
  await did('move_file', { from: 'd', to: 'e' }, { session_id: 'three' })
  t.equal((await undo(call)).status, 'success')
  t.equal(read('e/a.txt'), 'one\ntwo\nthree\n')
})

t.test('leaves a new file at the old place alone', async t => {
  const { did, undo, texts } = await world(t, FILES)
  const call = await did('edit_file', edit)
  await did('move_file', { from: 'a.txt', to: 'b.txt' })
  await did('write_file', { path: 'a.txt', content: 'another\n' })
  t.equal((await undo(call)).status, 'success')
  t.same(texts(), { 'a.txt': 'another\n', 'b.txt': 'one\ntwo\nthree\n' })
})

t.test('changed after the move: merges if possible, else a conflict', async t => {
  const { did, show, undo, read } = await startUndoFixture(t, { 'a.txt': '1\n2\n3\n4\n5\n6\n7\n' })
  const call = await did('edit_file', { path: 'a.txt', old: '2', new: 'two' })
  await did('move_file', { from: 'a.txt', to: 'b.txt' })
  await did('edit_file', { path: 'b.txt', old: '6', new: 'six' })
  t.same(toActions(await show(call)), { 'b.txt': 'merge' })
  t.equal((await undo(call)).status, 'success')
  t.equal(read('b.txt'), '1\n2\n3\n4\n5\nsix\n7\n')

  const second = await did('edit_file', { path: 'b.txt', old: '4', new: 'four' })
  await did('move_file', { from: 'b.txt', to: 'c.txt' })
  await did('edit_file', { path: 'c.txt', old: 'four', new: 'fourth' })
  t.match(await undo(second), { status: 'error', error: { code: 'UNDO_CONFLICT' } })
  t.equal(read('c.txt'), '1\n2\n3\nfourth\n5\nsix\n7\n')
})

t.test('a moved file returns from where it was moved on; a new file is removed there', async t => {
  const { did, undo, texts } = await world(t, FILES)
  const made = await did('write_file', { path: 'new.txt', content: 'new\n' })
  const moved = await did('move_file', { from: 'a.txt', to: 'b.txt' })
  await did('move_file', { from: 'b.txt', to: 'c.txt' })
  await did('move_file', { from: 'new.txt', to: 'newer.txt' })
  t.equal((await undo(moved)).status, 'success')
  t.equal((await undo(made)).status, 'success')
  t.same(texts(), FILES)
})

t.test('a move undone in between is followed back', async t => {
  const { did, undo, texts } = await world(t, FILES)
  const call = await did('edit_file', edit)
  const moved = await did('move_file', { from: 'a.txt', to: 'b.txt' })
  await undo(moved)
  t.equal((await undo(call)).status, 'success')
  t.same(texts(), FILES)
})

t.test('paths are known by their old and their new name', async t => {
  const { did, show, undo, read } = await world(t, FILES)
  const call = await did('edit_file', edit)
  await did('move_file', { from: 'a.txt', to: 'b.txt' })
  for (const path of ['a.txt', 'b.txt'])
    t.same(toActions(await show(call, `?paths=${path}`)), { 'b.txt': 'restore' }, path)
  t.equal((await undo(call, { paths: ['a.txt'] })).status, 'success')
  t.equal(read('b.txt'), 'one\ntwo\nthree\n')
})

t.test('moved back by someone else: found where the call left it', async t => {
  const { did, undo, texts, at } = await world(t, FILES)
  const call = await did('edit_file', edit)
  await did('move_file', { from: 'a.txt', to: 'b.txt' })
  renameSync(at('b.txt'), at('a.txt'))
  t.equal((await undo(call)).status, 'success')
  t.same(texts(), FILES)
})

t.test('restores a folder replaced by a circular link', async t => {
  const { did, undo, link, tree } = await startUndoFixture(t, { 'd/e/c': 'c\n' })
  link('d/l', 'e/c')
  const before = tree()
  const deleted = await did('delete_file', { path: 'd/e', recursive: true })
  await did('move_file', { from: 'd/l', to: 'd/e' })
  t.match(await undo(deleted, { scope: 'since' }), { status: 'success' })
  t.same(tree(), before)
})
