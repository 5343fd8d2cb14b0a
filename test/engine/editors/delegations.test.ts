// tier: full
import t from 'tap'
import type { Settings } from '../../../src/config/settings.ts'
import { sha256, startFrontEnd } from '../../fake-front-end.ts'
import { createNormalizer } from '../../normalizer.ts'
import { CALL_TOKEN, type Json, listenToEvents, startApp, toApproval } from '../../start-app.ts'
import { waitUntil } from '../../support/wait.ts'

const settings = (more: Partial<Settings['buffers']> = {}): Partial<Settings> => ({
  buffers: { on_write: 'delegate', delegate_ms: 60_000, max_files: 1_000, max_bytes: 1 << 24, ...more },
  tiers: { administrator: [], user: [{ effect: 'allow', match: { tool: '*' } }], workspace: [] }
})
/** The same without permissions granted in advance. */
const asking = () => ({ ...settings(), tiers: { administrator: [], user: [], workspace: [] } })
const FILES = { 'a.txt': 'one\ntwo\n', 'b.txt': 'b\n' }
const edit = (old: string, now: string, more: object = {}) => ({ path: 'a.txt', old, new: now, ...more })

t.test('sends a change to the editor that holds the file, planned on its content', async t => {
  const app = await startApp(t, FILES, { settings: settings() })
  const normal = createNormalizer()
  const emacs = await startFrontEnd(t, app)
  await emacs.hold('a.txt', 'one\ntwo, unsaved\n', { version: 3 })
  const running = app.call('edit_file', edit('two, unsaved', 'three'), { session_id: 's' })
  const asked = await emacs.asked()
  const content = 'one\nthree\n'
  const { seq: _, id: __, event: ___, ...told } = normal(asked)
  const delegation = {
    delegation_id: 'dg_1',
    effect: 'editor.apply_edit',
    client_id: 'emacs',
    params: {
      path: 'a.txt',
      before_hash: sha256('one\ntwo, unsaved\n'),
      version: 3,
      content,
      diff: '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two, unsaved\n+three\n'
    },
    expires_at: 'TIME',
    session_id: 's',
    workspace: 'default',
    tool_call_id: 'tc_1'
  }
  t.strictSame(told, { type: 'tool.delegate', time: 'TIME', ...delegation, href: '/delegations/dg_1' })
  t.strictSame(normal((await app.get('/delegations')).delegations), [delegation])
  t.strictSame(normal(await app.get(asked.href)), delegation)

  const answer = await emacs.answer(asked.delegation_id, { status: 'done', content_hash: sha256(content) })
  t.strictSame(normal(answer.body), { delegation_id: 'dg_1', outcome: 'done', by: 'emacs' })
  t.match(await emacs.ended(), { delegation_id: asked.delegation_id, outcome: 'done', by: 'emacs' })
  const done = await running
  t.match(done, {
    status: 'success',
    result: {
      content: /\n\(emacs has changed a\.txt in its buffer; it is not saved yet\.\)$/,
      data: { path: 'a.txt', hash: sha256(content) }
    }
  })
  t.notOk('changes' in done, 'nothing on the disk has changed')
  t.equal(app.read('a.txt'), 'one\ntwo\n')
  t.strictSame((await app.get('/delegations')).delegations, [])

  t.match(
    (await app.get('/buffers')).buffers,
    [{ hash: sha256(content) }],
    'its new text is known before it tells of it'
  )
  t.match(await app.call('edit_file', edit('three', 'four', { if_match: sha256('one\ntwo\n') })), {
    error: { code: 'STALE_FILE' }
  })
  const next = app.call('edit_file', edit('three', 'four', { if_match: done.result.data.hash }))
  const again = await emacs.asked()
  t.match(again.params, { before_hash: sha256(content), content: 'one\nfour\n' })
  await emacs.answer(again.delegation_id, { status: 'done' })
  t.match(await next, { status: 'success' })
})

t.test('sends a whole-file write there too; other files are written to disk', async t => {
  const app = await startApp(t, FILES, { settings: settings() })
  const emacs = await startFrontEnd(t, app)
  await emacs.hold('a.txt', 'unsaved\n')
  const running = app.call('write_file', { path: 'a.txt', content: 'new\n' })
  const asked = await emacs.asked()
  t.match(asked.params, { before_hash: sha256('unsaved\n'), content: 'new\n' })
  await emacs.answer(asked.delegation_id, { status: 'done' })
  t.match(await running, { status: 'success' })
  t.match(await app.call('write_file', { path: 'b.txt', content: 'B\n' }), { status: 'success', changes: [{}] })
  t.strictSame([app.read('a.txt'), app.read('b.txt')], ['one\ntwo\n', 'B\n'])
})

t.test('sends a patch of only that file there too', async t => {
  const app = await startApp(t, FILES, { settings: settings() })
  const emacs = await startFrontEnd(t, app)
  await emacs.hold('a.txt', 'one\nunsaved\n')
  const patch = '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-unsaved\n+three\n'
  const running = app.call('apply_patch', { patch })
  const asked = await emacs.asked()
  t.match(asked.params, { before_hash: sha256('one\nunsaved\n'), content: 'one\nthree\n' })
  await emacs.answer(asked.delegation_id, { status: 'done' })
  t.match(await running, { status: 'success' })
  t.equal(app.read('a.txt'), FILES['a.txt'])
})

t.test('gives the editor its own line endings', async t => {
  const app = await startApp(t, { 'a.txt': 'one\r\ntwo\r\n' }, { settings: settings() })
  const emacs = await startFrontEnd(t, app)
  for (const [held, given] of [
    ['one\nTWO\n', 'one\nthree\n'],
    ['one\r\nTWO\r\n', 'one\r\nthree\r\n']
  ] as const) {
    await emacs.hold('a.txt', held)
    const running = app.call('edit_file', edit('TWO', 'three'))
    const asked = await emacs.asked()
    t.equal(asked.params.content, given)
    await emacs.answer(asked.delegation_id, { status: 'done', content_hash: sha256(given) })
    t.match(await running, { status: 'success', result: { data: { hash: sha256('one\r\nthree\r\n') } } })
  }
})

t.test('an approval is bound to the content of the editor', async t => {
  const app = await startApp(t, FILES, {
    settings: { ...settings(), tiers: { administrator: [], user: [], workspace: [] } }
  })
  const emacs = await startFrontEnd(t, app)
  await emacs.hold('a.txt', 'one\nunsaved\n')
  const asked = await app.call('edit_file', edit('unsaved', 'three'))
  t.match(asked.approval.preview, {
    diff: /-unsaved\n\+three/,
    notes: ['a.txt has unsaved changes in emacs: this call changes the text in the editor and does not save the file.']
  })
  await emacs.hold('a.txt', 'zero\none\nunsaved\n')
  const late = await app.post(`/calls/${asked.tool_call_id}/approve`, { digest: asked.approval.digest })
  t.match(late, { code: 'PREVIEW_CHANGED', details: { approval: { preview: { diff: / zero\n one\n-unsaved/ } } } })
  await app.post(`/calls/${asked.tool_call_id}/approve`, { digest: late.details.approval.digest })
  const { delegation_id, params } = await emacs.asked()
  t.equal(params.content, 'zero\none\nthree\n')
  await emacs.answer(delegation_id, { status: 'done' })
  t.match(await app.get(`/calls/${asked.tool_call_id}?wait_ms=120000`), { status: 'success' })
})

t.test('an approved change that an editor applied differently is an error, since it was made', async t => {
  const app = await startApp(t, FILES, { settings: asking() })
  const emacs = await startFrontEnd(t, app)
  await emacs.hold('a.txt', 'one\nunsaved\n')
  const asked = await app.call('edit_file', edit('unsaved', 'three'))
  const approved = app.post(`/calls/${asked.tool_call_id}/approve?wait_ms=120000`, { digest: asked.approval.digest })
  const { delegation_id } = await emacs.asked()
  await emacs.answer(delegation_id, { status: 'done', content_hash: sha256('one\nthree\n\n') })
  t.match(await approved, {
    status: 'error',
    error: {
      code: 'STALE_FILE',
      message: /but not to the content that the call sent/,
      details: { path: 'a.txt', client: 'emacs' }
    }
  })
  t.match(await app.get(`/calls/${asked.tool_call_id}`), { status: 'error' })
})

t.test('an approved change refused because the user kept typing requires a new approval', async t => {
  const app = await startApp(t, FILES, { settings: asking() })
  const emacs = await startFrontEnd(t, app)
  const calls = await app.events('?types=tool.call')
  await emacs.hold('a.txt', 'one\nunsaved\n')
  const { tool_call_id, approval } = await app.call('edit_file', edit('unsaved', 'three'))
  const waits = async () => (await calls.type('tool.call', event => event.requires_approval)).at(-1).approval
  t.equal((await waits()).digest, approval.digest)
  await app.post(`/calls/${tool_call_id}/approve`, { digest: approval.digest })
  const { delegation_id } = await emacs.asked()
  await emacs.hold('a.txt', 'zero\none\nunsaved\n')
  await emacs.answer(delegation_id, { status: 'refused', reason: 'typed on' })
  const { preview, digest } = await waits()
  t.match(preview, { diff: / zero\n one\n-unsaved\n\+three/ })
  t.not(digest, approval.digest)

  const approved = app.post(`/calls/${tool_call_id}/approve?wait_ms=120000`, { digest })
  await emacs.answer((await emacs.asked()).delegation_id, { status: 'refused', reason: 'the buffer is read-only' })
  t.match(await approved, { status: 'error', error: { code: 'PERMISSION_DENIED' } }, 'for another reason it ends')
  t.equal(app.read('a.txt'), FILES['a.txt'])
})

t.test('an editor may refuse, and its content stays unchanged', async t => {
  const app = await startApp(t, FILES, { settings: settings() })
  const emacs = await startFrontEnd(t, app)
  await emacs.hold('a.txt', 'one\nunsaved\n')
  const refused = app.call('edit_file', edit('unsaved', 'three'))
  const asked = await emacs.asked()
  await emacs.answer(asked.delegation_id, { status: 'refused', reason: 'the buffer is read-only' })
  t.match(await refused, {
    status: 'error',
    error: { code: 'PERMISSION_DENIED', message: 'emacs refused to change a.txt: the buffer is read-only' }
  })
  t.match(await emacs.ended(), { outcome: 'refused', reason: 'the buffer is read-only' })

  const stale = app.call('edit_file', edit('unsaved', 'three'))
  const { delegation_id } = await emacs.asked()
  await emacs.hold('a.txt', 'one\nunsaved, and typed on\n')
  await emacs.answer(delegation_id, { status: 'refused', reason: 'typed on' })
  t.match(await stale, { error: { code: 'STALE_FILE' } })

  const other = app.call('edit_file', edit('typed on', 'three'))
  await emacs.answer((await emacs.asked()).delegation_id, { status: 'done', content_hash: sha256('something else') })
  t.match(await other, { error: { code: 'STALE_FILE', message: /but not to the content that the call sent/ } })
  t.equal(app.read('a.txt'), FILES['a.txt'])
  t.match((await app.get('/buffers')).buffers, [{ hash: sha256('one\nunsaved, and typed on\n') }])
})

t.test('without the holding front end nothing is delegated or written', async t => {
  const app = await startApp(t, FILES, {
    settings: { ...settings(), tiers: { administrator: [], user: [], workspace: [] } }
  })
  const none = { status: 'error', error: { code: 'DELEGATE_UNAVAILABLE' } }
  const vim = await startFrontEnd(t, app, { client: 'vim' })
  const emacs = await startFrontEnd(t, app)
  await emacs.hold('a.txt', 'one\nunsaved\n')
  t.match(await app.call('edit_file', edit('unsaved', 'x')), { status: 'awaiting_approval' })
  const waiting = await app.call('edit_file', edit('unsaved', 'y'))
  emacs.leave()
  await waitUntil(
    'one event reader',
    async () => (await app.get('/metrics')).match(/toolgate_event_readers (\d+)/)[1] === '1'
  )
  t.match(await app.call('edit_file', edit('unsaved', 'x')), none, 'gone, though another is there')
  t.match(await app.post('/approve?wait_ms=120000', toApproval(waiting)), none, 'gone after it was asked')
  t.equal(app.read('a.txt'), FILES['a.txt'])
  t.strictSame(vim.events.seen.slice(1), [])
})

t.test('rejects by name what no editor can do for a held file', async t => {
  const app = await startApp(t, { ...FILES, 'folder/c.txt': 'c\n' }, { settings: settings() })
  const emacs = await startFrontEnd(t, app)
  await emacs.hold('a.txt', 'unsaved\n')
  await emacs.hold('folder/c.txt', 'unsaved\n')
  await emacs.hold('new.txt', 'unsaved\n')
  const approved = async (tool: string, params: Json) => {
    const asked = await app.call(tool, params)
    if (asked.status !== 'awaiting_approval') return asked
    const { digest } = asked.approval
    return app.post(`/calls/${asked.tool_call_id}/approve?wait_ms=120000`, { confirm: true, digest })
  }
  const refused = async (tool: string, params: Json, path: string) => {
    const call = await approved(tool, params)
    t.match(call, { status: 'error', error: { code: 'DELEGATE_UNAVAILABLE', details: { path } } }, tool)
    t.notOk('changes' in call)
  }
  await refused('delete_file', { path: 'a.txt' }, 'a.txt')
  await refused('delete_file', { path: 'folder', recursive: true }, 'folder/c.txt')
  await refused('move_file', { from: 'a.txt', to: 'moved.txt' }, 'a.txt')
  await refused('move_file', { from: 'folder', to: 'moved' }, 'folder/c.txt')
  await refused('move_file', { from: 'b.txt', to: 'a.txt', overwrite: true }, 'a.txt')
  await refused('write_file', { path: 'new.txt', content: 'x' }, 'new.txt')
  const both = ['a', 'b'].map(name => `*** Update File: ${name}.txt\n@@\n-${name === 'a' ? 'unsaved' : 'b'}\n+x\n`)
  await refused('apply_patch', { patch: `*** Begin Patch\n${both.join('')}*** End Patch\n` }, 'a.txt')
  t.match(await approved('write_file', { path: 'a.txt', content: 'AAECAw==', encoding: 'base64' }), {
    error: { code: 'BINARY_FILE' }
  })
  t.strictSame([app.read('a.txt'), app.read('folder/c.txt')], [FILES['a.txt'], 'c\n'])
  t.notOk(emacs.events.seen.some(({ event }) => event === 'tool.delegate'))
})

t.test('a front end that loses its stream reconnects and answers', async t => {
  const app = await startApp(t, FILES, { settings: settings() })
  const emacs = await startFrontEnd(t, app)
  await emacs.hold('a.txt', 'one\nunsaved\n')
  const before = emacs.events.seen[0].head
  const running = app.call('edit_file', edit('unsaved', 'three'))
  const { seq } = await emacs.asked()
  emacs.leave()
  const back = await startFrontEnd(t, app, { query: `&after=${before}` })
  const asked = await back.asked()
  t.equal(asked.seq, seq)
  await back.answer(asked.delegation_id, { status: 'done' })
  t.match(await running, { status: 'success' })
})

t.test('the first answer wins', async t => {
  const app = await startApp(t, FILES, { settings: settings() })
  const emacs = await startFrontEnd(t, app)
  await emacs.hold('a.txt', 'one\nunsaved\n')
  const running = app.call('edit_file', edit('unsaved', 'three'))
  const { delegation_id } = await emacs.asked()
  const answers = await Promise.all(
    (['done', 'refused', 'done', 'refused'] as const).map(status => emacs.answer(delegation_id, { status }))
  )
  const [won, ...lost] = answers.toSorted((a, b) => a.status - b.status)
  t.match(won, { status: 200 })
  for (const { status, body } of lost)
    t.match(
      { status, body },
      { status: 409, body: { code: 'CONFLICT', details: { outcome: won!.body.outcome, by: 'emacs' } } }
    )
  t.match(await running, { status: won!.body.outcome === 'done' ? 'success' : 'error' })
  t.match(await emacs.answer('dg_unknown', { status: 'done' }), { status: 404, body: { code: 'NOT_FOUND' } })
  t.match(await emacs.answer(delegation_id, { status: 'maybe' }), { status: 400 })
})

t.test('a cancelled call withdraws its delegation', async t => {
  const app = await startApp(t, FILES, { settings: settings() })
  const emacs = await startFrontEnd(t, app)
  await emacs.hold('a.txt', 'one\nunsaved\n')
  const running = app.call('edit_file', edit('unsaved', 'three'))
  const { delegation_id, tool_call_id } = await emacs.asked()
  await app.post(`/calls/${tool_call_id}/cancel`, {})
  t.match(await emacs.ended(), { delegation_id, outcome: 'withdrawn', tool_call_id })
  t.match(await running, { status: 'cancelled' })
  t.match(await emacs.answer(delegation_id, { status: 'done' }), {
    status: 409,
    body: { details: { outcome: 'withdrawn' } }
  })
  t.match((await app.get('/buffers')).buffers, [{ hash: sha256('one\nunsaved\n') }])
})

t.test('does not wait for an editor that does not respond', async t => {
  const app = await startApp(t, FILES, { settings: settings({ delegate_ms: 20 }) })
  const emacs = await startFrontEnd(t, app)
  await emacs.hold('a.txt', 'one\nunsaved\n')
  t.match(await app.call('edit_file', edit('unsaved', 'three')), {
    status: 'error',
    error: { code: 'TIMEOUT', message: 'The front end emacs did not answer within 20 ms.' }
  })
  t.match(await emacs.ended(), { outcome: 'timeout' })
})

t.test('call-only tokens receive no delegations', async t => {
  const app = await startApp(t, FILES, { settings: settings() })
  const emacs = await startFrontEnd(t, app)
  const agent = { authorization: `Bearer ${CALL_TOKEN}` }
  const overheard = [await app.events('', agent), await app.events('?types=tool.delegate,tool.result', agent)]
  await emacs.hold('a.txt', 'one\nunsaved\n')
  const body = JSON.stringify({ tool: 'edit_file', params: edit('unsaved', 'three') })
  const init = { method: 'POST', body }
  const own = await listenToEvents(t, `${app.url}/calls`, { ...agent, 'content-type': 'application/json' }, init)
  await emacs.answer((await emacs.asked()).delegation_id, { status: 'done' })
  for (const events of [...overheard, own]) {
    const heard = (await events.type('tool.result')).map(({ event }) => event)
    t.notOk(heard.includes('tool.delegate'))
  }
})

t.test('a text too large for an event is fetched', async t => {
  const app = await startApp(t, { 'a.txt': 'one\n' }, { settings: settings() })
  const emacs = await startFrontEnd(t, app)
  const long = 'x'.repeat(100_000)
  await emacs.hold('a.txt', `${long}\nunsaved\n`)
  const running = app.call('edit_file', edit('unsaved', 'three'))
  const asked = await emacs.asked()
  t.match(asked, { truncated: true, href: `/delegations/${asked.delegation_id}`, client_id: 'emacs' })
  t.notOk('params' in asked)
  t.equal((await app.get(asked.href)).params.content, `${long}\nthree\n`)
  await emacs.answer(asked.delegation_id, { status: 'done' })
  t.match(await running, { status: 'success' })
})
