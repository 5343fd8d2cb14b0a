// Tests of renames over HTTP: previewed, bound to the preview, applied completely, and undone.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import iconv from 'iconv-lite'
import t from 'tap'
import { startFrontEnd } from '../../fake-front-end.ts'
import { CALL_TOKEN, type Json } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'
import { startTypeScriptProject, TYPESCRIPT, TYPESCRIPT_PROJECT } from './world.ts'

/** They mostly wait for servers. */
t.jobs = 2

const TO_HAIL = { path: 'src/greet.ts', line: 2, symbol: 'greet', new_name: 'hail' }
const hailed = (text: string) => text.replaceAll(/\bgreet\b(?!\.)/g, 'hail')

for (const [server, { part, settings }] of Object.entries(TYPESCRIPT))
  t.test(`${server} renames across files of any encoding`, needs('sandbox', part), async t => {
    const crlf = `\ufeff${TYPESCRIPT_PROJECT['src/main.ts'].replaceAll('\n', '\r\n')}`
    const files = { ...TYPESCRIPT_PROJECT, 'src/main.ts': crlf }
    const { call, approve, read, root, post } = await startTypeScriptProject(t, files, {
      settings: { language_servers: settings }
    })
    const asked = await call('rename_symbol', TO_HAIL)
    const title = 'Rename greet to hail'
    t.match(asked, { status: 'awaiting_approval', approval: { level: 'ask', preview: { title } } })
    const done = await approve(asked)
    const { data } = done.result
    t.equal(data.files.map(({ diff }: Json) => diff).join(''), asked.approval.preview.diff)
    t.match(data, {
      files: [
        { path: 'src/greet.ts', edits: 1 },
        { path: 'src/main.ts', edits: 3 }
      ],
      answered: { server, document: { path: 'src/greet.ts' } }
    })
    t.equal(read('src/greet.ts'), hailed(TYPESCRIPT_PROJECT['src/greet.ts']))
    t.equal(
      readFileSync(path.join(root, 'src/main.ts'), 'utf8'),
      hailed(crlf),
      'byte for byte as it was but for the name'
    )
    t.strictSame(
      done.changes.map(({ path, operation, added, removed }: Json) => ({ path, operation, added, removed })),
      [
        { path: 'src/greet.ts', operation: 'modified', added: 1, removed: 1 },
        { path: 'src/main.ts', operation: 'modified', added: 3, removed: 3 }
      ]
    )
    const undo = await post(`/calls/${done.tool_call_id}/undo`, {})
    await approve(undo)
    t.equal(read('src/greet.ts'), TYPESCRIPT_PROJECT['src/greet.ts'])
    t.equal(readFileSync(path.join(root, 'src/main.ts'), 'utf8'), crlf)
  })

for (const [server, { part, settings }] of Object.entries(TYPESCRIPT))
  t.test(`${server} renames in files that it reads in another encoding`, needs('sandbox', part), async t => {
    const main = "import { greet } from './greet.js'\n\n/* 日本語のコメント */ greet('値を返す') + greet('b')\n"
    const app = await startTypeScriptProject(t, TYPESCRIPT_PROJECT, { settings: { language_servers: settings } })
    app.write('src/main.ts', iconv.encode(main, 'shift_jis'))
    const done = await app.call('rename_symbol', TO_HAIL).then(app.approve)
    t.match(done, { status: 'success' })
    t.same(readFileSync(path.join(app.root, 'src/main.ts')), iconv.encode(hailed(main), 'shift_jis'))
    t.equal(app.read('src/greet.ts'), hailed(TYPESCRIPT_PROJECT['src/greet.ts']))
  })

t.test('refreshes a changed preview', needs('sandbox', 'tsc'), async t => {
  const { call, approve, read, write } = await startTypeScriptProject(t)
  const asked = await call('rename_symbol', TO_HAIL)
  write('src/main.ts', `${TYPESCRIPT_PROJECT['src/main.ts']}greet('once more')\n`)
  const refused = await approve(asked)
  t.match(refused, { code: 'PREVIEW_CHANGED' })
  t.equal(read('src/greet.ts'), TYPESCRIPT_PROJECT['src/greet.ts'])
  const again = await call('rename_symbol', TO_HAIL)
  write('src/third.ts', "import { greet } from './greet.js'\ngreet('third')\n")
  t.match(await approve(again), { code: 'PREVIEW_CHANGED' }, 'a further file is one that was not shown')
  const last = await call('rename_symbol', TO_HAIL)
  t.match((await approve(last)).result.data.files, [
    { path: 'src/greet.ts' },
    { path: 'src/main.ts' },
    { path: 'src/third.ts' }
  ])
})

t.test('rules apply to every changed file', needs('sandbox', 'tsc'), async t => {
  const rule = (effect: 'deny' | 'allow', match: object) => ({ effect, match })
  const user = [rule('allow', { tool: 'rename_symbol' }), rule('deny', { path: 'src/main.ts', effect: 'write' })]
  const { call, read, request } = await startTypeScriptProject(t, TYPESCRIPT_PROJECT, {
    settings: { tiers: { administrator: [], user, workspace: [] } }
  })
  t.match(await call('rename_symbol', TO_HAIL), { status: 'rejected' })
  t.equal(read('src/greet.ts'), TYPESCRIPT_PROJECT['src/greet.ts'])
  const local = { path: 'src/greet.ts', line: 2, symbol: 'name', new_name: 'who' }
  const tried = await request('POST', '/calls', { tool: 'rename_symbol', params: local, dry_run: true })
  t.match(tried.body, { dry_run: true, preview: { diff: /\n\+.*who: string/ } })
  t.match(await call('rename_symbol', local), { status: 'success', changes: [{ path: 'src/greet.ts' }] })
})

t.test('reveals nothing of unreadable files', needs('sandbox', 'tsc'), async t => {
  // The language server may see the file, but not the caller.
  const user = [{ effect: 'ask' as const, match: { path: 'src/main.ts', tool: 'read_file' } }]
  const files = { ...TYPESCRIPT_PROJECT, '.env': 'PASSWORD=hunter2\n' }
  const app = await startTypeScriptProject(t, files, {
    settings: { tiers: { administrator: [], user, workspace: [] } }
  })
  const agent = { authorization: `Bearer ${CALL_TOKEN}` }
  const as = async (path: string, headers = {}) => {
    const params = { path, line: 1, symbol: 'x', new_name: 'y' }
    return (await app.request('POST', '/calls', { tool: 'rename_symbol', params }, headers)).body
  }
  t.match(await as('.env', agent), { status: 'error', error: { code: 'SENSITIVE_PATH' } })
  const refused = {
    status: 'error',
    error: { code: 'PERMISSION_DENIED', message: /requires approval, so the symbol was not renamed in any file/ }
  }
  t.match(await as('.env'), refused)
  t.match(await as('src/main.ts'), refused)
  t.match(await as('src/greet.ts'), { error: { code: 'INVALID_PARAMS' } })
  const shown = await app.call('rename_symbol', TO_HAIL)
  t.strictSame(shown.approval.preview, {
    title: 'Rename greet to hail',
    text: 'src/greet.ts\nsrc/main.ts',
    notes: [
      'Reading one of the files requires approval: the changes of this file are shown in the result, after approval.'
    ]
  })
})

t.test('unsaved buffers', needs('sandbox', 'tsc'), async t => {
  const on_write = (on_write: 'ask' | 'delegate') => ({
    on_write,
    delegate_ms: 60_000,
    max_files: 10,
    max_bytes: 1 << 20
  })
  const edited = `// Not saved.\n${TYPESCRIPT_PROJECT['src/greet.ts']}`
  const local = { path: 'src/greet.ts', line: 3, symbol: 'name', new_name: 'who' }

  await t.test('a rename in unsaved content is not written to disk', async t => {
    const app = await startTypeScriptProject(t, TYPESCRIPT_PROJECT, { settings: { buffers: on_write('ask') } })
    const editor = await startFrontEnd(t, app)
    await editor.hold('src/greet.ts', edited)
    const refused = await app.call('rename_symbol', local)
    t.match(refused, { status: 'error', error: { code: 'CONFLICT', message: /unsaved changes in emacs/ } })
    t.equal(app.read('src/greet.ts'), TYPESCRIPT_PROJECT['src/greet.ts'])
  })

  await t.test('the editor applies it in one file; several must be saved first', async t => {
    const app = await startTypeScriptProject(t, TYPESCRIPT_PROJECT, { settings: { buffers: on_write('delegate') } })
    const editor = await startFrontEnd(t, app)
    await editor.hold('src/greet.ts', edited)
    const waiting = app.call('rename_symbol', local).then(app.approve)
    const { delegation_id, params } = await editor.asked()
    const content = edited.replaceAll(/\bname\b/g, 'who')
    t.equal(params.content, content)
    await editor.answer(delegation_id, { status: 'done' })
    t.match(await waiting, { status: 'success', result: { data: { files: [{ path: 'src/greet.ts', edits: 2 }] } } })
    t.equal(app.read('src/greet.ts'), TYPESCRIPT_PROJECT['src/greet.ts'])
    const both = await app.call('rename_symbol', { ...TO_HAIL, line: 3 }).then(app.approve)
    t.match(both, { status: 'error', error: { code: 'DELEGATE_UNAVAILABLE' } })
  })
})
