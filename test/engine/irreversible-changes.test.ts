// Tests of irreversible changes: reported before approval, as is content that is not shown or not backed up.
// tier: full
import { execaSync } from 'execa'
import t from 'tap'
import { type Json, startApp } from '../start-app.ts'
import { startUndoFixture } from './undo-fixture.ts'

const undo = { max_age_days: 14, max_bytes: 1_000_000, max_file_bytes: 10, track_commands: true }
const LARGE = 'more than ten bytes\n'

t.test('warns an approver of irreversible loss', async t => {
  const files = { 'big.txt': LARGE, 'small.txt': 'small\n', 'd/a': LARGE, 'd/b': LARGE, 'd/c': 'c\n', 'e/a': LARGE }
  const { call, post } = await startUndoFixture(t, { ...files, 's/a': 'a\n', 's/b': 'b\n' }, { settings: { undo } })
  const notes = async (tool: string, params: object): Promise<string[] | undefined> => {
    const asked: Json = await call(tool, params)
    await post(`/calls/${asked.tool_call_id}/reject`, {})
    return asked.approval.preview.notes
  }
  const one = [
    'big.txt (20 bytes) is larger than `undo.max_file_bytes`. Its content is not stored, so the change cannot be undone.'
  ]
  t.strictSame(await notes('delete_file', { path: 'big.txt' }), one)
  t.strictSame(await notes('write_file', { path: 'big.txt', content: 'x\n' }), one)
  t.match(await notes('move_file', { from: 'small.txt', to: 'big.txt', overwrite: true }), [/Overwrites/, one[0]])
  t.match(await notes('copy_file', { source: 'small.txt', dest: 'big.txt', overwrite: true }), [/Overwrites/, one[0]])
  t.match(await notes('copy_file', { source: 's', dest: 'e', overwrite: true, recursive: true }), [
    /Overwrites/,
    'e/a (20 bytes) is larger than `undo.max_file_bytes`. Its content is not stored, so the change cannot be undone.'
  ])
  t.strictSame(await notes('delete_file', { path: 'd', recursive: true }), [
    '2 files (40 bytes) are larger than `undo.max_file_bytes`. Their contents are not stored, so the change cannot be undone.'
  ])
  t.equal(await notes('delete_file', { path: 'small.txt' }), undefined)
  t.equal(await notes('write_file', { path: 'small.txt', content: 'x\n' }), undefined)
  t.equal(await notes('delete_file', { path: 's', recursive: true }), undefined)
})

t.test('shows the new text if no diff can be shown', async t => {
  const { call } = await startApp(t, { 'big.txt': 'x'.repeat(9_000_000), 'bits.bin': '\0\x01' })
  const preview = async (path: string): Promise<Json> =>
    (await call('write_file', { path, content: 'hello\n' })).approval.preview
  t.strictSame(await preview('big.txt'), {
    title: 'Overwrite big.txt',
    text: 'hello\n',
    notes: ['The current content, 9000000 bytes, is not shown: it is too large.']
  })
  t.strictSame(await preview('bits.bin'), {
    title: 'Overwrite bits.bin',
    text: 'hello\n',
    notes: ['The current content, 2 bytes, is not shown: it is not text.']
  })
})

t.test('reports what a copy leaves out, before and after', async t => {
  const { call, done, link, at, root } = await startUndoFixture(t, { 'cl/a': 'a', 'cl/in/b': 'b' })
  for (const name of ['cl/one', 'cl/in/two']) link(name, 'a')
  execaSync('mkfifo', [at('cl/pipe')])
  const params = { source: 'cl', dest: 'cl2', recursive: true }
  const left = 'Omitted: 2 links, 1 that is neither a file nor a folder.'
  t.match(await call('copy_file', params), { approval: { preview: { notes: [left] } } })
  const copied = await done('copy_file', params)
  t.match(copied.result, {
    content: `Copied cl to cl2 (2 bytes). ${left}`,
    data: { source: 'cl', dest: 'cl2', size: 2, left_out: { links: 2, others: 1 } }
  })
  t.strictSame(execaSync('find', ['cl2', '-type', 'f'], { cwd: root, lines: true }).stdout.sort(), [
    'cl2/a',
    'cl2/in/b'
  ])
  t.notOk((await done('copy_file', { source: 'cl/a', dest: 'a2' })).result.data.left_out)
})
