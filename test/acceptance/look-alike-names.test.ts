// tier: full
// run: cheap
// Names that look the same but are encoded differently: a call means the entry that is there, and says so.
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { withRules } from '../routes/transfer-fixture.ts'
import { type Json, startApp, type TestApp, toApproval } from '../start-app.ts'

/** The name on disk, the one that a caller writes, and the note about them. */
const TWINS: readonly [what: string, there: string, given: string, note: string][] = [
  [
    'decomposed on disk',
    'cafe\u0301.py',
    'caf\u00e9.py',
    '"café.py" (U+00E9) does not exist; "café.py" (U+0065 U+0301), which looks the same, is used instead.'
  ],
  [
    'composed on disk',
    'caf\u00e9.py',
    'cafe\u0301.py',
    '"café.py" (U+0065 U+0301) does not exist; "café.py" (U+00E9), which looks the same, is used instead.'
  ],
  [
    'a narrow blank',
    'Screenshot 3.04.05\u202fPM.txt',
    'Screenshot 3.04.05 PM.txt',
    '"Screenshot 3.04.05 PM.txt" does not exist; "Screenshot 3.04.05 PM.txt" (U+202F), which looks the same, is used instead.'
  ],
  [
    'a blank that does not break',
    'a\u00a0b.txt',
    'a b.txt',
    '"a b.txt" (U+0020) does not exist; "a b.txt" (U+00A0), which looks the same, is used instead.'
  ],
  [
    'a plain blank',
    'a b.txt',
    'a\u3000b.txt',
    '"a　b.txt" (U+3000) does not exist; "a b.txt" (U+0020), which looks the same, is used instead.'
  ],
  [
    'Korean letters',
    '\u1112\u1161\u11ab.txt',
    '\ud55c.txt',
    '"한.txt" (U+D55C) does not exist; "한.txt" (U+1112 U+1161 U+11AB), which looks the same, is used instead.'
  ]
]

const approve = async ({ post, get }: TestApp, call: Json) => {
  await post('/approve', { ...toApproval(call), confirm: true })
  return get(`/calls/${call.tool_call_id}?wait_ms=60000`)
}

for (const [what, there, given, note] of TWINS)
  t.test(`opens the entry that looks the same: ${what}`, async t => {
    const app = await startApp(t, { [there]: 'old = 1\n' })
    const { call, root, read } = app

    const reading = await call('read_file', { path: given })
    t.match(reading.result, { content: `1\told = 1\n(${note})`, data: { content: 'old = 1' } })

    const editing = await call('edit_file', { path: given, old: 'old', new: 'new' })
    t.match(editing, { status: 'awaiting_approval', approval: { preview: { notes: [note] } } })
    const edited = await approve(app, editing)
    t.match(edited, { status: 'success', changes: [{ path: there, operation: 'modified' }] })
    t.ok(edited.result.content.endsWith(`(${note})`))
    t.equal(read(there), 'new = 1\n')

    const writing = await call('write_file', { path: given, content: 'all = 1\n' })
    t.match(writing, { status: 'awaiting_approval', approval: { preview: { notes: [note] } } })
    t.match(await approve(app, writing), { status: 'success', result: { data: { path: there, created: false } } })

    const patch = `*** Begin Patch\n*** Add File: ${given}\n+x\n*** End Patch`
    t.match((await call('apply_patch', { patch })).error, { code: 'FILE_EXISTS', message: note })
    t.match((await call('copy_file', { source: there, dest: given })).error, { code: 'FILE_EXISTS', message: note })
    t.match((await call('create_directory', { path: given })).error, { code: 'FILE_EXISTS', message: note })
    app.write('other.txt', 'other')
    t.match((await call('move_file', { from: 'other.txt', to: given })).error, { code: 'FILE_EXISTS', message: note })

    const deleted = await approve(app, await call('delete_file', { path: given }))
    t.match(deleted, { status: 'success', changes: [{ path: there, operation: 'deleted' }] })
    t.same(readdirSync(root), ['other.txt'])
  })

t.test('uploads over the entry that looks the same, and only with approval', async t => {
  const app = await startApp(t, { 'cafe\u0301.bin': 'old' })
  const { request, root } = app
  const target = `/files/${encodeURIComponent('caf\u00e9.bin')}`
  const type = { 'content-type': 'application/octet-stream' }
  t.equal((await request('GET', target)).body, 'old')
  t.match(await request('PUT', target, 'new', { ...type, 'if-none-match': '*' }), { status: 412 })
  const { status, body } = await request('PUT', target, 'new', type)
  t.match([status, body.approval.preview.notes], [202, [/U\+0301/]])
  t.match(await approve(app, body), { changes: [{ path: 'cafe\u0301.bin', operation: 'modified' }] })
  t.same(readdirSync(root), ['cafe\u0301.bin'])
})

t.test('means folders on the way, too', async t => {
  const app = await startApp(t, { 'De\u0301mo/na\u00efve/a.txt': 'A', 'De\u0301mo/b.txt': 'B' })
  const { call, root } = app
  t.match(await call('read_file', { path: 'D\u00e9mo/nai\u0308ve/a.txt' }), {
    result: { data: { content: 'A' }, content: /\("D\u00e9mo" .*does not exist.*\n\("nai\u0308ve" .*does not exist/ }
  })
  const created = await call('write_file', { path: 'D\u00e9mo/new/c.txt', content: 'C' })
  t.match(created, { status: 'success', changes: [{ path: 'De\u0301mo/new' }, { path: 'De\u0301mo/new/c.txt' }] })
  const again = await approve(app, await call('create_directory', { path: 'D\u00e9mo' }))
  t.match(again.result.data, { path: 'De\u0301mo', created: false })
  t.match(await call('glob', { path: 'D\u00e9mo', pattern: 'b.*' }), {
    result: { data: { files: ['De\u0301mo/b.txt'] } }
  })
  t.match(await call('grep', { path: 'D\u00e9mo', pattern: 'B' }), {
    result: { data: { matches: [{ path: 'De\u0301mo/b.txt' }] } }
  })
  t.match(await call('list_directory', { path: 'D\u00e9mo' }), { status: 'success' })
  t.match((await call('shell_exec', { command: 'pwd', cwd: 'D\u00e9mo' })).approval.preview.notes.join(), /U\+0301/)
  t.same(readdirSync(root), ['De\u0301mo'])
})

t.test('reaches each of two twins by its own name, and refuses a third', async t => {
  const { call, root } = await startApp(t, { 'e\u0301 x.txt': 'decomposed', '\u00e9 x.txt': 'composed' })
  t.equal((await call('read_file', { path: 'e\u0301 x.txt' })).result.data.content, 'decomposed')
  t.equal((await call('read_file', { path: '\u00e9 x.txt' })).result.data.content, 'composed')
  for (const tool of ['read_file', 'write_file']) {
    const params = { path: '\u00e9\u00a0x.txt', ...(tool === 'write_file' && { content: 'x' }) }
    t.match((await call(tool, params)).error, {
      code: 'INVALID_PATH',
      message: /2 files or folders have names that look the same: .*U\+0301/
    })
  }
  t.equal(readdirSync(root).length, 2)
})

t.test('judges the entry that is opened', async t => {
  const app = await startApp(t, { 'cafe\u0301/.env': 'KEY=1', 'plain.txt': '' })
  const { call, root } = app
  t.match(await call('read_file', { path: 'caf\u00e9/.env' }), {
    status: 'awaiting_approval',
    approval: { level: 'strict' }
  })
  mkdirSync(path.join(root, 'out'))
  symlinkSync('/etc', path.join(root, 'out/e\u0301tc'))
  t.match((await call('read_file', { path: 'out/\u00e9tc/passwd' })).error, {
    code: 'INVALID_PATH',
    message: /outside the workspace/
  })
  // A link with a look-alike name counts by its name.
  symlinkSync('../plain.txt', path.join(root, 'cafe\u0301/id_rsa'))
  t.match(await call('read_file', { path: 'caf\u00e9/id_rsa' }), { approval: { level: 'strict' } })
})

t.test('applies rules about the name that was asked for, and about the one that is there', async t => {
  for (const rule of ['caf\u00e9/**', 'cafe\u0301/**']) {
    const { call } = await startApp(t, { 'cafe\u0301/a.txt': '' }, withRules({ effect: 'deny', match: { path: rule } }))
    t.match(await call('read_file', { path: 'caf\u00e9/a.txt' }), { status: 'rejected' }, rule)
  }
  const allowed = { effect: 'allow' as const, match: { tool: 'write_file', path: 'caf\u00e9/**' } }
  const { call } = await startApp(t, { 'cafe\u0301/a.txt': '' }, withRules(allowed))
  t.match(await call('write_file', { path: 'caf\u00e9/a.txt', content: 'x' }), { status: 'awaiting_approval' })
})

t.test('binds an approval to the entry that it showed', async t => {
  const app = await startApp(t, { 'cafe\u0301.txt': 'old' })
  const { call, root, post, read } = app
  const waiting = await call('write_file', { path: 'caf\u00e9.txt', content: 'new' })
  writeFileSync(path.join(root, 'caf\u00e9.txt'), 'own')
  t.match(await post('/approve', toApproval(waiting)), { code: 'PREVIEW_CHANGED' })
  t.same([read('cafe\u0301.txt'), read('caf\u00e9.txt')], ['old', 'own'])
})

t.test('leaves alone what only differs otherwise, and what commands and copies name', async t => {
  const app = await startApp(t, {
    'cafe.txt': 'plain',
    'A.txt': '',
    'from/\u00e9': 'composed',
    'from/e\u0301': 'other'
  })
  const { call, root } = app
  t.equal((await call('write_file', { path: 'caf\u00e9.txt', content: 'x' })).status, 'success')
  t.equal((await call('write_file', { path: 'a.txt', content: 'x' })).status, 'success')
  const copied = await approve(app, await call('copy_file', { source: 'from', dest: 'to', recursive: true }))
  t.equal(copied.status, 'success')
  t.same(readdirSync(path.join(root, 'to')).sort(), ['e\u0301', '\u00e9'])
})

t.test('shows how a suggestion differs that looks the same', async t => {
  const { call } = await startApp(t, { 'src/\u0430pp.ts': '', 'src/b\u200b.ts': '', 'lib/cafes\u0301.ts': '' })
  const hint = async (given: string) => (await call('read_file', { path: given })).error.message
  t.equal(await hint('src/app.ts'), '"src/app.ts" does not exist. Did you mean src/\u0430pp.ts (with U+0430)?')
  t.equal(await hint('src/b.ts'), '"src/b.ts" does not exist. Did you mean src/b\u200b.ts (with U+200B)?')
  t.equal(
    await hint('lib/caf\u0435s\u0301.ts'),
    '"lib/caf\u0435s\u0301.ts" does not exist. Did you mean lib/cafes\u0301.ts (without U+0435)?'
  )
})
