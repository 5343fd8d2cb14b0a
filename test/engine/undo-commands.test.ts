// Tests of undo for commands, and for files too large to load at once.
// tier: full
import { chmodSync } from 'node:fs'
import t from 'tap'
import { startUndoFixture, toActions } from './undo-fixture.ts'

const ten = Array.from({ length: 10 }, (_, i) => `line ${i + 1}\n`).join('')

t.test('undoes and redoes the changes of a command', async t => {
  const { did, undo, tree, at, link, read, write } = await startUndoFixture(t, {
    'a.txt': ten,
    'b.txt': 'b\n',
    'd/c.txt': 'c\n',
    'd/e/f.txt': 'f\n',
    'run.sh': 'exit 0\n'
  })
  link('link', 'b.txt')
  chmodSync(at('d/e/f.txt'), 0o640)
  const before = tree()
  const command = [
    'sed -i "s/line 3/LINE 3/" a.txt',
    'mv b.txt moved.txt',
    'ln -sf a.txt link',
    'chmod 755 run.sh',
    'rm -r d',
    'echo a file now > d',
    'mkdir -p x/y && echo new > x/y/z.txt'
  ].join(' && ')
  const call = await did('shell_exec', { command, track_changes: true })
  const after = tree()
  const undone = await undo(call)
  t.equal(undone.status, 'success', JSON.stringify(undone.error))
  t.match(toActions(undone), {
    'a.txt': 'restore',
    'b.txt': 'move_back from moved.txt',
    d: 'restore',
    'x/y/z.txt': 'delete'
  })
  t.strictSame(tree(), before)
  t.match(await undo(undone), { status: 'success' })
  t.strictSame(tree(), after)
  write('a.txt', `${read('a.txt')}more\n`)
  t.match(await undo(call, { paths: ['a.txt'] }), { status: 'success' })
  t.equal(read('a.txt'), `${ten}more\n`)

  const plain = await did('shell_exec', { command: 'echo x >> a.txt', track_changes: false })
  t.equal(plain.undo, undefined, 'unless it was not tracked')
})

t.test('large files', async t => {
  const { did, undo, write, tree, show } = await startUndoFixture(t)
  const large = Buffer.alloc(9 * 1024 * 1024, 'some text\n')
  write('large.txt', large)
  const before = tree()
  const over = await did('write_file', { path: 'large.txt', content: 'small\n' })
  const copied = await did('copy_file', { source: 'large.txt', dest: 'small.txt' })
  t.match(await undo(over), { status: 'success' })
  t.match(await undo(copied), { status: 'success' })
  t.strictSame(tree(), before)
  const copy = await did('copy_file', { source: 'large.txt', dest: 'copy.txt' })
  t.same((await show(copy)).files, [{ path: 'copy.txt', action: 'delete', diff: (await show(copy)).files[0].diff }])
  t.match(await undo(copy), { status: 'success' })
  const moved = await did('move_file', { from: 'large.txt', to: 'd/large.txt' })
  t.match(await undo(moved), { status: 'success' })
  const gone = await did('delete_file', { path: 'large.txt' })
  t.match(await undo(gone), { status: 'success' })
  t.strictSame(tree(), before)
  const again = await did('copy_file', { source: 'large.txt', dest: 'copy.txt' })
  large[0] = 65
  write('copy.txt', large)
  t.match(await undo(again), { error: { code: 'UNDO_CONFLICT', message: /^copy.txt: it was changed later/ } })
})
