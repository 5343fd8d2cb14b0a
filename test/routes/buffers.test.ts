// tier: full
import { mkdirSync, symlinkSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Settings } from '../../src/config/settings.ts'
import { sha256, startFrontEnd } from '../fake-front-end.ts'
import { createNormalizer } from '../normalizer.ts'
import { CALL_TOKEN, startApp, toApproval } from '../start-app.ts'
import { waitUntil } from '../support/wait.ts'

const EMACS = { 'x-toolgate-client': 'emacs' }
const AGENT = { authorization: `Bearer ${CALL_TOKEN}` }
const onWrite = (on_write: Settings['buffers']['on_write'], more: Partial<Settings['buffers']> = {}) => ({
  on_write,
  delegate_ms: 60_000,
  max_files: 1_000,
  max_bytes: 1 << 20,
  ...more
})
const anythingGoes: Settings['tiers'] = {
  administrator: [],
  user: [{ effect: 'allow', match: { tool: '*' } }],
  workspace: []
}
const held = (path: string, text: string, more: object = {}) => ({
  path,
  hash: sha256(text),
  size: Buffer.byteLength(text),
  client_id: 'emacs',
  client: 'emacs',
  updated_at: 'TIME',
  ...more
})

t.test('an editor reports its buffers, reads them back, and releases them', async t => {
  const app = await startApp(t, { 'a.txt': 'one\n', 'b/c.txt': 'two\n' })
  const normal = createNormalizer()
  const put = async (body: object) => {
    const { status, body: answer } = await app.request('PUT', '/buffers', body, EMACS)
    return { status, ...normal(answer) }
  }
  t.strictSame(
    await put({ buffers: [{ path: 'b/c.txt', content: 'zwei\n', version: 7, base_hash: sha256('two\n') }] }),
    {
      status: 200,
      client_id: 'emacs',
      expires_at: 'TIME',
      buffers: [held('b/c.txt', 'zwei\n', { version: 7, base_hash: sha256('two\n') })]
    }
  )
  const both = [held('a.txt', 'eins\n'), held('b/c.txt', 'zwei\n', { version: 7, base_hash: sha256('two\n') })]
  t.strictSame((await put({ buffers: [{ path: './b/../a.txt', content: 'eins\n' }] })).buffers, both)
  t.strictSame((await put({ buffers: [] })).buffers, both, 'telling of none only renews')
  t.strictSame(normal(await app.get('/buffers')), { buffers: both })
  t.strictSame(
    (await app.get('/buffers?content=true')).buffers.map(({ content }: { content: string }) => content),
    ['eins\n', 'zwei\n']
  )
  const drop = async (query = '', headers: Record<string, string> = EMACS) =>
    normal((await app.request('DELETE', `/buffers${query}`, undefined, headers)).body)
  const nothing = { client_id: 'vim', expires_at: null, buffers: [] }
  t.strictSame(await drop('?path=a.txt', { 'x-toolgate-client': 'vim' }), nothing, 'only who holds it lets go')
  t.strictSame((await drop('?path=a.txt')).buffers, both.slice(1))
  t.strictSame((await drop('?path=never.txt')).buffers, both.slice(1))
  t.strictSame(await drop(), { client_id: 'emacs', expires_at: null, buffers: [] })
  t.strictSame(await app.get('/buffers'), { buffers: [] })
})

t.test('distinguishes two editors of one kind by their ids', async t => {
  const app = await startApp(t, { 'a.txt': 'one\n' })
  for (const client_id of ['emacs-1', 'emacs-2'])
    await app.request('PUT', '/buffers', { client_id, buffers: [{ path: 'a.txt', content: client_id }] }, EMACS)
  const { buffers } = await app.get('/buffers')
  t.strictSame(
    buffers.map(({ client_id, client }: Record<string, string>) => [client_id, client]),
    [
      ['emacs-1', 'emacs'],
      ['emacs-2', 'emacs']
    ]
  )
  await app.request('DELETE', '/buffers?client_id=emacs-2', undefined, EMACS)
  t.match((await app.get('/buffers')).buffers, [{ client_id: 'emacs-1' }])
})

t.test('a call-only token can neither fake a buffer nor read one past the rules', async t => {
  const app = await startApp(t, { 'a.txt': 'one\n' })
  await app.request('PUT', '/buffers', { buffers: [{ path: 'a.txt', content: 'two\n' }] }, EMACS)
  const refused = { status: 403, body: { code: 'FORBIDDEN' } }
  t.match(await app.request('PUT', '/buffers', { buffers: [] }, AGENT), refused)
  t.match(await app.request('DELETE', '/buffers', undefined, AGENT), refused)
  t.match(await app.request('GET', '/buffers?content=true', undefined, AGENT), refused)
  t.match(await app.request('GET', '/delegations', undefined, AGENT), refused)
  t.match(await app.request('POST', '/delegations/dg_1', { status: 'done' }, AGENT), refused)
  const stream = { ...AGENT, accept: 'text/event-stream' }
  t.match(await app.request('GET', '/events?effects=editor.apply_edit', undefined, stream), refused)
  t.match(await app.request('GET', '/buffers', undefined, AGENT), {
    status: 200,
    body: { buffers: [{ path: 'a.txt' }] }
  })
})

t.test('rejects an invalid buffer by name, and then the whole request', async t => {
  const app = await startApp(
    t,
    { 'a.txt': 'one\n', '.env': 'KEY=1\n', '.git/config': '' },
    { settings: { buffers: onWrite('ask', { max_files: 2, max_bytes: 100 }) } }
  )
  mkdirSync(join(app.root, 'folder'))
  symlinkSync('/etc/hostname', join(app.root, 'out'))
  const put = async (...buffers: object[]) => {
    const good = { path: 'a.txt', content: 'two\n' }
    const { status, body } = await app.request('PUT', '/buffers', { buffers: [good, ...buffers] }, EMACS)
    return [status, body.code ?? body.buffers.length]
  }
  const one = (path: string) => ({ path, content: 'x' })
  t.strictSame(await put(one('../x')), [400, 'INVALID_PATH'])
  t.strictSame(await put(one('out')), [400, 'INVALID_PATH'])
  t.strictSame(await put(one('.env')), [403, 'SENSITIVE_PATH'])
  t.strictSame(await put(one('.git/config')), [403, 'SENSITIVE_PATH'])
  t.strictSame(await put(one('folder')), [400, 'NOT_A_FILE'])
  t.strictSame(await put({ path: 'b.txt' }), [400, 'INVALID_PARAMS'])
  t.strictSame(await put({ ...one('b.txt'), base_hash: 'x' }), [400, 'INVALID_PARAMS'])
  t.strictSame(await put(one('b.txt'), one('c.txt')), [413, 'TOO_LARGE'])
  t.strictSame(await put({ path: 'b.txt', content: 'ü'.repeat(49) }), [413, 'TOO_LARGE'])
  t.strictSame(await app.get('/buffers'), { buffers: [] })
  t.strictSame(await put(one('b.txt')), [200, 2])
  t.match(await app.request('PUT', '/buffers', { buffers: [one('c.txt')] }, { 'x-toolgate-client': 'vim' }), {
    status: 413,
    body: {
      detail: 'With this file, the editor would report 3 unsaved files; the limit is 2.',
      details: { buffers: 3, limit: 2 }
    }
  })
  t.match(await app.request('PUT', '/buffers', { buffers: [], workspace: 'x' }, EMACS), { status: 400 })
})

t.test('a write to a file with an unsaved buffer requires approval, whatever the rules allow', async t => {
  const app = await startApp(
    t,
    { 'a.txt': 'one\n', 'b.txt': 'b\n', 'folder/c.txt': 'c\n' },
    { settings: { tiers: anythingGoes } }
  )
  const emacs = await startFrontEnd(t, app)
  const write = { path: 'a.txt', content: 'three\n' }
  t.match(await app.call('write_file', { ...write, content: 'one\nmore\n' }), { status: 'success' })
  await emacs.hold('a.txt', 'two\n')
  const asked = await app.call('write_file', write)
  t.match(asked, {
    status: 'awaiting_approval',
    approval: {
      level: 'ask',
      reason: 'a.txt has unsaved changes in emacs.',
      always_options: [],
      preview: {
        notes: ['a.txt has unsaved changes in emacs: this call changes the file on disk, not the text in the editor.']
      }
    }
  })
  t.match(asked.approval.preview.diff, /^-one\n-more\n\+three$/m)
  t.match(await app.call('write_file', { path: 'b.txt', content: 'b2\n' }), { status: 'success' }, 'others do not ask')

  await emacs.hold('a.txt', 'two and a half\n')
  const digest = { digest: asked.approval.digest }
  t.match(await app.post(`/calls/${asked.tool_call_id}/approve`, digest), { code: 'PREVIEW_CHANGED' })
  const fresh = await app.get(`/calls/${asked.tool_call_id}`)
  const done = await app.post('/approve?wait_ms=120000', toApproval(fresh))
  t.match(done, {
    status: 'success',
    result: {
      content: `Overwrote a.txt (6 bytes).\n(a.txt has unsaved changes in emacs. The call changed the file on disk, not the text in the editor.)`
    }
  })
  t.equal(app.read('a.txt'), 'three\n')

  await emacs.hold('folder/c.txt', 'sea\n')
  const removal = await app.call('delete_file', { path: 'folder', recursive: true })
  t.match(removal, { approval: { reason: 'folder/c.txt has unsaved changes in emacs.' } })
  await emacs.hold('folder/c.txt', 'ocean\n')
  const confirmed = { confirm: true, digest: removal.approval.digest }
  t.match(await app.post(`/calls/${removal.tool_call_id}/approve`, confirmed), { code: 'PREVIEW_CHANGED' })
  t.match(await app.call('write_file', { path: 'new.txt', content: 'n' }), { status: 'success' })
  await emacs.hold('newer.txt', 'not on the disk yet')
  t.match(await app.call('write_file', { path: 'newer.txt', content: 'n' }), { status: 'awaiting_approval' })
  await emacs.drop('a.txt')
  t.match(await app.call('write_file', { path: 'a.txt', content: 'four\n' }), { status: 'success' })
})

t.test('a buffer equal to the file blocks no one, in any encoding or line ending', async t => {
  const bom = Buffer.from('\ufeffgr\u00fc\u00dfe\r\nzwei\r\n', 'utf16le')
  const app = await startApp(t, { 'a.txt': 'one\n' }, { settings: { tiers: anythingGoes } })
  app.write('w.txt', bom)
  app.write('l.txt', Buffer.from('viele gr\u00fc\u00dfe\n', 'latin1'))
  const emacs = await startFrontEnd(t, app)
  await emacs.hold('a.txt', 'one\n')
  await emacs.hold('w.txt', 'gr\u00fc\u00dfe\nzwei\n')
  await emacs.hold('l.txt', 'viele gr\u00fc\u00dfe\n')
  for (const path of ['a.txt', 'w.txt', 'l.txt'])
    t.match(await app.call('edit_file', { path, old: 'e\n', new: 'E\n' }), { status: 'success' }, path)
})

t.test('a confirmed write succeeds, and reports the buffer', async t => {
  const app = await startApp(t, { 'a.txt': 'one\n' }, { settings: { tiers: anythingGoes, buffers: onWrite('warn') } })
  const emacs = await startFrontEnd(t, app)
  await emacs.hold('a.txt', 'two\n')
  t.match(await app.call('edit_file', { path: 'a.txt', old: 'one', new: 'uno' }), {
    status: 'success',
    result: { content: /\n\(a\.txt has unsaved changes in emacs\. The call changed the file on disk[^\n]*\)$/ }
  })
  t.equal(app.read('a.txt'), 'uno\n')
  t.match(await app.call('edit_file', { path: 'a.txt', old: 'uno', new: 'due' }, { dry_run: true }), {
    verdict: { decision: 'allow' },
    preview: { notes: [/not the text in the editor/] },
    paths: [{ path: 'a.txt', unsaved: [{ client: 'emacs' }] }, {}]
  })
})

t.test('matches a buffer to its file by any path', async t => {
  const app = await startApp(t, { 'real.txt': 'one\n' }, { settings: { tiers: anythingGoes } })
  symlinkSync('real.txt', join(app.root, 'link.txt'))
  const emacs = await startFrontEnd(t, app)
  t.match(await emacs.hold('link.txt', 'two\n'), { buffers: [{ path: 'real.txt' }] })
  t.match(await app.call('write_file', { path: 'real.txt', content: 'x' }), { status: 'awaiting_approval' })
  unlinkSync(join(app.root, 'link.txt'))
  t.match(await emacs.drop('link.txt'), { buffers: [] }, 'it can be let go where its link is gone')
})

t.test('if_match refers to the replaced content: with an unsaved buffer, the file', async t => {
  const app = await startApp(t, { 'a.txt': 'one\n' }, { settings: { tiers: anythingGoes, buffers: onWrite('warn') } })
  const emacs = await startFrontEnd(t, app)
  await emacs.hold('a.txt', 'two\n')
  t.match(await app.call('write_file', { path: 'a.txt', content: 'x', if_match: sha256('two\n') }), {
    error: { code: 'STALE_FILE' }
  })
  t.match(await app.call('write_file', { path: 'a.txt', content: 'x', if_match: sha256('one\n') }), {
    status: 'success'
  })
})

for (const on_write of ['ask', 'warn'] as const)
  t.test(`on_write ${on_write}: explains that an edit quotes the unsaved buffer and not the disk`, async t => {
    const app = await startApp(
      t,
      { 'a.txt': 'one\ntwo\n' },
      { settings: { tiers: anythingGoes, buffers: onWrite(on_write) } }
    )
    const emacs = await startFrontEnd(t, app)
    await emacs.hold('a.txt', 'one\nHALLO\n')
    await emacs.hold('new.txt', 'HALLO\n')
    const unsaved = { client: 'emacs', client_id: 'emacs' }
    const edit = { path: 'a.txt', old: 'HALLO', new: 'bye' }
    const { error } = await app.call('edit_file', edit)
    t.match(error, { code: 'OLD_TEXT_NOT_FOUND', details: { path: 'a.txt', candidates: [], unsaved } })
    t.equal(
      error.message,
      'The old text does not occur in a.txt. Reading returned the unsaved text of emacs; the file on disk has different text. Save the file in the editor first.'
    )
    const { path, ...edits } = edit
    t.match(await app.call('multi_edit', { path, edits: [edits] }), { error: { details: { unsaved } } })
    const patch = '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-HALLO\n+bye\n'
    t.match(await app.call('apply_patch', { patch }), { error: { code: 'OLD_TEXT_NOT_FOUND', details: { unsaved } } })
    t.match(await app.call('edit_file', { ...edit, path: 'new.txt' }), {
      error: { code: 'FILE_NOT_FOUND', message: /there is no file on disk/, details: { unsaved } }
    })
    await emacs.drop('a.txt')
    const { error: plain } = await app.call('edit_file', edit)
    t.notOk('unsaved' in plain.details, 'not where nothing is held')
  })

t.test('if changes go to the editor, does not explain what its text lacks', async t => {
  const settings = { tiers: anythingGoes, buffers: onWrite('delegate') }
  const app = await startApp(t, { 'a.txt': 'one\n' }, { settings })
  const emacs = await startFrontEnd(t, app)
  await emacs.hold('a.txt', 'HALLO\n')
  const { error } = await app.call('edit_file', { path: 'a.txt', old: 'nothing like it', new: 'x' })
  t.equal(error.code, 'OLD_TEXT_NOT_FOUND')
  t.notOk('unsaved' in error.details)
})

t.test("reading returns the editor's content, and says so", async t => {
  const app = await startApp(t, { 'a.txt': 'one\n' })
  const normal = createNormalizer()
  const read = async (params: object) => normal((await app.call('read_file', params)).result)
  const emacs = await startFrontEnd(t, app)
  t.match(await read({ path: 'a.txt' }), { data: { content: 'one\n', hash: sha256('one\n') } })
  await emacs.hold('a.txt', 'two\nthree\n', { version: 3, base_hash: sha256('one\n') })
  const note = 'This is the unsaved text of emacs; the file on disk differs.'
  const buffer = { client: 'emacs', client_id: 'emacs', version: 3, updated_at: 'TIME' }
  t.strictSame(await read({ path: 'a.txt' }), {
    title: 'a.txt',
    content: `(${note})\n     1\ttwo\n     2\tthree`,
    data: {
      content: 'two\nthree\n',
      size: 10,
      modified: 'TIME',
      lines: 2,
      total_lines: 2,
      encoding: 'utf-8',
      eol: 'lf',
      hash: sha256('one\n'),
      unsaved: true,
      buffer,
      notes: [note]
    },
    metadata: { hash: sha256('one\n'), total_lines: 2, encoding: 'utf-8', eol: 'lf', buffer },
    attachments: [],
    truncated: false
  })
  t.match(await read({ path: 'a.txt', encoding: 'base64' }), {
    data: { content: Buffer.from('two\nthree\n').toString('base64'), unsaved: true },
    metadata: { buffer }
  })
  t.match(await read({ path: 'a.txt', offset: 2, limit: 1 }), { data: { content: 'three\n' } })
  await emacs.hold('a.txt', 'four\n', { base_hash: sha256('zero\n') })
  t.match((await read({ path: 'a.txt' })).data, {
    content: 'four\n',
    notes: [note, 'The file on disk has changed since emacs read it.']
  })
  await emacs.hold('new.txt', 'new\n')
  t.match((await read({ path: 'new.txt' })).data, { content: 'new\n', notes: [/the text was never saved\.$/] })
  t.notOk('hash' in (await read({ path: 'new.txt' })).data, 'there is nothing yet that a write would replace')
  await emacs.drop('a.txt')
  t.match(await read({ path: 'a.txt' }), { data: { content: 'one\n', unsaved: undefined } })
  t.match(await app.call('read_file', { path: 'new.txt', pages: '1' }), { error: { code: 'INVALID_PARAMS' } })
})

t.test("reuses a cached answer only while the editor's content is unchanged", async t => {
  const app = await startApp(t, { 'a.txt': 'one\n' })
  const emacs = await startFrontEnd(t, app)
  // A file written just now is not cached: it might still change unnoticed.
  const kept = () =>
    waitUntil('the file to be cached', async () => {
      const { cached, result } = await app.call('read_file', { path: 'a.txt' })
      return cached && result.data.content
    })
  t.equal(await kept(), 'one\n')
  await emacs.hold('a.txt', 'two\n')
  t.match(await app.call('read_file', { path: 'a.txt' }), { cached: undefined, result: { data: { content: 'two\n' } } })
  t.equal(await kept(), 'two\n')
  await emacs.hold('a.txt', 'three\n')
  t.match(await app.call('read_file', { path: 'a.txt' }), { result: { data: { content: 'three\n' } } })
  await emacs.drop('a.txt')
  t.match(await app.call('read_file', { path: 'a.txt' }), { result: { data: { content: 'one\n' } } })
})

t.test('a search reads the disk, and lists unsaved buffers of the searched files', async t => {
  const app = await startApp(t, { 'a.txt': 'one\n', 'b/c.txt': 'one\n' })
  const emacs = await startFrontEnd(t, app)
  const search = async (params: object) => (await app.call('grep', { pattern: 'one', ...params })).result.data.missed
  t.strictSame(await search({}), [])
  await emacs.hold('a.txt', 'two\n')
  await emacs.hold('b/c.txt', 'two\n')
  const words = 'Some files have unsaved changes in editors. Only their saved text was searched'
  t.strictSame(await search({}), [`${words}: a.txt (emacs), b/c.txt (emacs).`])
  t.strictSame(await search({ path: 'b' }), [`${words}: b/c.txt (emacs).`])
  t.strictSame(await search({ path: 'a.txt' }), [`${words}: a.txt (emacs).`])
  await emacs.drop('b/c.txt')
  t.strictSame(await search({}), [`${words}: a.txt (emacs).`])
})
