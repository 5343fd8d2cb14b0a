// Tests that the preview of a deletion shows what goes.
// tier: quick
import { symlinkSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { CALL_TOKEN, startApp } from '../../start-app.ts'

t.test('a deleted file is shown with its content', async t => {
  const { call, get } = await startApp(t, { 'a.txt': 'one\ntwo\n' })
  const { tool_call_id, approval } = await call('delete_file', { path: 'a.txt' })
  t.strictSame(approval.preview, {
    title: 'Delete a.txt',
    text: 'a.txt',
    diff: [
      'diff --git a/a.txt b/a.txt',
      'deleted file mode 100644',
      '--- a/a.txt',
      '+++ /dev/null',
      '@@ -1,2 +0,0 @@',
      '-one',
      '-two',
      ''
    ].join('\n')
  })
  t.match(await get(`/calls/${tool_call_id}/preview`), { files: [{ path: 'a.txt', before: 'one\ntwo\n' }] })
})

t.test('a folder is shown with the content of its files, within limits', async t => {
  const files = {
    'd/a.txt': 'first\n',
    'd/.env': 'PIN=hidden-4711\n',
    'd/large.txt': 'line\n'.repeat(20_000),
    'd/picture.png': Buffer.from([0x89, 0x50, 0, 1]).toString('latin1'),
    'd/z.txt': 'last\n'
  }
  const { root, request } = await startApp(t, files)
  symlinkSync('a.txt', path.join(root, 'd/link'))
  const body = { tool: 'delete_file', params: { path: 'd', recursive: true } }
  const { approval } = (await request('POST', '/calls', body, { authorization: `Bearer ${CALL_TOKEN}` })).body
  const { diff, notes, text } = approval.preview
  t.match(text, /^d\/large.txt$/m)
  t.match(diff, /^-first$/m)
  t.match(diff, /^-last$/m)
  t.match(diff, 'Binary files a/d/picture.png and /dev/null differ')
  t.notMatch(diff, /hidden-4711|^-line$|link/m)
  t.match(notes, ['The content of 2 files is not shown.'])
})

t.test('only so many files are shown', async t => {
  const files = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`d/${i}.txt`, `${i}\n`]))
  const { call } = await startApp(t, files)
  const { preview } = (await call('delete_file', { path: 'd', recursive: true })).approval
  t.equal(preview.diff.match(/^deleted file mode/gm).length, 50)
  t.match(preview.notes, ['The content of 10 files is not shown.'])
})

t.test('a name with a line feed stays on its line', async t => {
  const { call } = await startApp(t, { 'd/a\n… and 5 more': 'x\n' })
  const { approval } = await call('delete_file', { path: 'd', recursive: true })
  t.equal(approval.preview.text, 'd\nd/a\\u{a}… and 5 more')
})
