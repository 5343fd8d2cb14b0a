// Tests of previews in editors: opened while a call is pending, and closed however that ends.
// tier: full
import fc from 'fast-check'
import t from 'tap'
import { connect } from '../../../src/client/client.ts'
import { defaultSettings } from '../../../src/config/merge.ts'
import { startFrontEnd } from '../../fake-front-end.ts'
import { CALL_TOKEN, type Json, startApp, TOKEN, toApproval } from '../../start-app.ts'
import { runs } from '../../support/property.ts'
import { within } from '../../support/wait.ts'

const FILES = { 'a.txt': 'one\ntwo\n', 'b.txt': 'b\n' }
const VIEWS = { effects: 'preview.open' }
const write = (content: string, path = 'a.txt') => ({ path, content })
const frontEnds = (more: object) => ({
  settings: { front_ends: { ...defaultSettings().front_ends, ...more } }
})

t.test('shows the change of a pending call, and closes it however the call ends', async t => {
  const app = await startApp(t, FILES)
  const ed = await startFrontEnd(t, app, VIEWS)
  const id = ({ tool_call_id }: Json) => `/calls/${tool_call_id}`
  const ends: Record<string, (call: Json) => Promise<unknown>> = {
    approve: call =>
      app.post(
        `${id(call)}/approve?wait_ms=120000`,
        { digest: call.approval.digest },
        { 'x-toolgate-client': 'other' }
      ),
    'approve with other params': call =>
      app.post(`${id(call)}/approve?wait_ms=120000`, {
        digest: call.approval.digest,
        modified_params: write('other\n')
      }),
    reject: call => app.post(`${id(call)}/reject`, {}),
    cancel: call => app.post(`${id(call)}/cancel`, {}),
    'fail, for it can no longer be made': async call => {
      app.write('gone', '')
      const modified_params = { path: 'gone/x', content: 'x' }
      await app.post(`${id(call)}/approve?wait_ms=120000`, { digest: call.approval.digest, modified_params })
      await app.post(`${id(call)}/reject`, {})
    }
  }
  for (const [how, end] of Object.entries(ends)) {
    const call = await app.call('write_file', write(`${how}\n`), { session_id: 's' })
    t.equal(call.status, 'awaiting_approval')
    const asked = await ed.asked()
    t.match(asked, {
      effect: 'preview.open',
      client_id: 'emacs',
      session_id: 's',
      workspace: 'default',
      tool_call_id: call.tool_call_id
    })
    t.strictSame(asked.params, {
      tool: 'write_file',
      title: 'Overwrite a.txt',
      level: 'ask',
      digest: call.approval.digest,
      href: `/calls/${call.tool_call_id}/preview`,
      files: call.approval.files
    })
    t.notOk('expires_at' in asked, 'it is open as long as the call waits')
    await end(call)
    t.match(await ed.ended(), { delegation_id: asked.delegation_id, outcome: 'withdrawn' }, how)
    t.strictSame((await app.get('/delegations')).delegations, [])
  }
})

t.test('an expired call closes its view', async t => {
  const app = await startApp(t, FILES, { settings: { approval: { ttl_ms: 1, mode: 'ask' } } })
  const ed = await startFrontEnd(t, app, VIEWS)
  await app.call('write_file', write('x'))
  const { delegation_id } = await ed.asked()
  t.match(await ed.ended(), { delegation_id, outcome: 'withdrawn' })
})

t.test('refreshes a changed preview', async t => {
  const app = await startApp(t, FILES)
  const ed = await startFrontEnd(t, app, VIEWS)
  const { tool_call_id, approval } = await app.call('edit_file', { path: 'a.txt', old: 'two', new: '2' })
  const first = await ed.asked()
  app.write('a.txt', 'zero\none\ntwo\n')
  t.match(await app.post(`/calls/${tool_call_id}/approve`, { digest: approval.digest }), { code: 'PREVIEW_CHANGED' })
  t.match(await ed.ended(), { delegation_id: first.delegation_id, outcome: 'withdrawn' })
  const second = await ed.asked()
  t.not(second.params.digest, first.params.digest)
  await app.post(`/calls/${tool_call_id}/approve?wait_ms=120000`, { digest: second.params.digest })
  t.match(await ed.ended(), { delegation_id: second.delegation_id })
  t.equal(app.read('a.txt'), 'zero\none\n2\n')
})

t.test('only calls with a diff have a view, and only if a front end wants one', async t => {
  const app = await startApp(t, FILES)
  const other = await startFrontEnd(t, app, { client: 'vim', effects: 'editor.open' })
  await app.call('write_file', write('x'))
  const ed = await startFrontEnd(t, app, VIEWS)
  t.match(await ed.asked(), { client_id: 'emacs' }, 'one that comes later sees what waits already')
  const command = await app.call('shell_exec', { command: 'rm a.txt' })
  t.match(command, { status: 'awaiting_approval' })
  await app.call('write_file', write('b2', 'b.txt'))
  t.match((await ed.asked()).params, { title: 'Overwrite b.txt' }, 'not the command')
  t.strictSame(other.events.seen.slice(1), [])
})

t.test('closing a view decides nothing, and it is not shown again', async t => {
  const app = await startApp(t, FILES)
  const ed = await startFrontEnd(t, app, VIEWS)
  const call = await app.call('write_file', write('x'))
  await ed.answer((await ed.asked()).delegation_id, { status: 'done' })
  t.match(await app.get(`/calls/${call.tool_call_id}`), { status: 'awaiting_approval' })
  await startFrontEnd(t, app, { ...VIEWS, client: 'vim' })
  t.strictSame((await app.get('/delegations')).delegations, [])
  t.match(await app.post('/approve?wait_ms=120000', toApproval(call)), { status: 'success' })
})

t.test('limits the open views per front end; the next opens when one closes', async t => {
  const app = await startApp(t, FILES, frontEnds({ max_views: 2 }))
  const ed = await startFrontEnd(t, app, VIEWS)
  const calls: Json[] = []
  for (const content of ['1', '2', '3']) calls.push(await app.call('write_file', write(content)))
  const shown = [await ed.asked(), await ed.asked()]
  t.strictSame(
    shown.map(asked => asked.tool_call_id),
    calls.slice(0, 2).map(call => call.tool_call_id)
  )
  t.equal((await app.get('/delegations')).delegations.length, 2)
  await app.post(`/calls/${calls[1].tool_call_id}/reject`, {})
  t.match(await ed.asked(), { tool_call_id: calls[2].tool_call_id })
})

t.test('many views leave a front end capacity to respond', async t => {
  const app = await startApp(t, FILES, frontEnds({ max_views: 1_000 }))
  const ed = await startFrontEnd(t, app, { effects: 'preview.open,editor.open' })
  const calls = Array.from({ length: 103 }, (_, n) => ({ tool: 'write_file', params: write(String(n)) }))
  const { results } = await app.post('/calls/batch', { calls: calls.slice(0, 100) })
  for (const { tool, params } of calls.slice(100)) results.push(await app.call(tool, params))
  t.strictSame([...new Set(results.map(({ status }: Json) => status))], ['awaiting_approval'])
  const open = async () => (await app.get('/delegations')).delegations.length
  t.equal(await open(), 103)
  for (const { tool_call_id } of results.slice(0, 50)) await app.post(`/calls/${tool_call_id}/reject`, {})
  t.equal(await open(), 53)
  const other = app.call('editor_open', { path: 'a.txt' })
  const told = await ed.events.type('tool.delegate', ({ effect }) => effect === 'editor.open')
  await ed.answer(told.at(-1).delegation_id, { status: 'done' })
  t.match(await other, { status: 'success' })
})

t.test('shows none with max_views 0', async t => {
  const app = await startApp(t, FILES, frontEnds({ max_views: 0 }))
  await startFrontEnd(t, app, VIEWS)
  await app.call('write_file', write('x'))
  t.strictSame((await app.get('/delegations')).delegations, [])
})

t.test('moves the views of a disconnected front end to another', async t => {
  const app = await startApp(t, FILES, frontEnds({ grace_ms: 20 }))
  const vim = await startFrontEnd(t, app, { ...VIEWS, client: 'vim' })
  const ed = await startFrontEnd(t, app, VIEWS)
  const { tool_call_id } = await app.call('write_file', write('x'))
  const { delegation_id } = await ed.asked()
  ed.leave()
  const told = await vim.events.type('tool.delegate', ({ client_id }) => client_id === 'vim')
  t.match(told.at(-1), { tool_call_id, effect: 'preview.open' })
  t.match(
    told.find(({ event }) => event === 'tool.delegation_ended'),
    { delegation_id, outcome: 'gone' }
  )
})

t.test('after a crash pending calls are shown again, and no other view stays', async t => {
  const first = await startApp(t, FILES)
  const ed = await startFrontEnd(t, first, VIEWS)
  const waits = await first.call('write_file', write('x'))
  const old = await ed.asked()
  const other = await first.call('write_file', write('y', 'b.txt'))
  const second = await ed.asked()
  const last = ed.events.seen.at(-1).seq
  // No end events are published, as when a server is killed.
  await first.close(0)

  const again = await startApp(t, {}, { folder: first.folder })
  const back = await startFrontEnd(t, again, { ...VIEWS, query: `&after=${last}` })
  const anew = [await back.asked(), await back.asked()]
  t.strictSame(
    anew.map(each => each.tool_call_id),
    [waits.tool_call_id, other.tool_call_id]
  )
  const snapshot = (await again.events()).type('stream.snapshot')
  const [{ delegations }] = await snapshot
  t.strictSame(
    delegations,
    anew.map(each => each.delegation_id)
  )
  for (const { delegation_id } of [old, second]) {
    t.notOk(delegations.includes(delegation_id), 'a view that it does not name has ended')
    t.match(await back.answer(delegation_id, { status: 'done' }), { status: 404 })
  }
  await again.post(`/calls/${waits.tool_call_id}/reject`, {})
  t.match(await back.ended(), { delegation_id: anew[0].delegation_id })
})

t.test('the client opens and closes views over a restart of the server', async t => {
  const first = await startApp(t, FILES)
  let url = first.url
  const shown = new Map<string, string>()
  let tell = () => {}
  const changed = () => within('a preview to be opened or closed', new Promise<void>(resolve => (tell = resolve)))
  const client = connect({ url, token: TOKEN, client: 'ed', rediscover: async () => ({ url, token: TOKEN }) })
  const offered = client.registerFrontEnd(
    {
      'preview.open': async ({ title }, { delegation, signal }) => {
        shown.set(delegation.delegation_id, title)
        tell()
        await new Promise(resolve => signal.addEventListener('abort', resolve))
        shown.delete(delegation.delegation_id)
        tell()
      }
    },
    { retry_ms: 5 }
  )
  t.teardown(() => offered.close())
  await offered.ready
  const until = async (...titles: string[]) => {
    while (JSON.stringify([...shown.values()].sort()) !== JSON.stringify(titles)) await changed()
  }
  const { tool_call_id, approval } = await first.call('write_file', write('x'))
  await until('Overwrite a.txt')
  const [before] = shown.keys()
  await first.close(0)
  const again = await startApp(t, {}, { folder: first.folder })
  url = again.url
  while (shown.size !== 1 || shown.has(before!)) await changed()
  await until('Overwrite a.txt')
  t.match(await client.approve(tool_call_id, { digest: approval.digest, wait_ms: 120_000 }), { status: 'success' })
  await until()
  await client.call('write_file', { path: 'b.txt', content: 'x' })
  await until('Overwrite b.txt')
  offered.close()
  await offered.closed
  await until()
  t.pass('what is shown goes when the front end leaves')
})

t.test('serves the full texts before and after for the shown preview only', async t => {
  const app = await startApp(t, { ...FILES, '.env': 'KEY=hunter2\n', 'secret.pem': 'x\n' })
  const client = connect({ url: app.url, token: TOKEN })
  const shown = async (tool: string, params: object) => {
    const call = await app.call(tool, params)
    const { files } = await client.preview(call.tool_call_id, { digest: call.approval.digest })
    return files.map(({ before_href: _, after_href: __, ...texts }) => texts)
  }
  t.strictSame(await shown('write_file', write('new\n')), [{ path: 'a.txt', before: 'one\ntwo\n', after: 'new\n' }])
  const patch =
    '*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** Add File: new/file.txt\n+new\n*** Delete File: b.txt\n*** End Patch\n'
  t.strictSame(await shown('apply_patch', { patch }), [
    { path: 'a.txt', before: 'one\ntwo\n', after: '1\ntwo\n' },
    { path: 'new/file.txt', after: 'new\n' },
    { path: 'b.txt', before: 'b\n' }
  ])
  const blind = await app.call('edit_file', { path: '.env', old: 'hunter2', new: 'x' })
  const { files, preview } = await client.preview(blind.tool_call_id)
  t.strictSame(files, [{ path: '.env', withheld: 'not_to_be_shown' }])
  t.strictSame(preview, blind.approval.preview)
  const command = await app.call('shell_exec', { command: 'rm a.txt' })
  t.match(await client.preview(command.tool_call_id), { files: [], digest: command.approval.digest })

  const call = await app.call('write_file', write('newer\n'))
  const href = `/calls/${call.tool_call_id}/preview`
  const agent = { authorization: `Bearer ${CALL_TOKEN}` }
  t.match(await app.request('GET', href, undefined, agent), { status: 403 })
  const other = { status: 409, body: { code: 'PREVIEW_CHANGED' } }
  t.match(await app.request('GET', `${href}?digest=${'0'.repeat(64)}`), other)
  t.match(await app.request('GET', `${href}?digest=x`), { status: 400 })
  app.write('a.txt', 'moved on\n')
  t.match(await app.request('GET', href), other)
  t.match(
    await app.get(`/calls/${call.tool_call_id}`),
    { approval: { digest: call.approval.digest } },
    'it only looked'
  )
  await app.post(`/calls/${call.tool_call_id}/reject`, {})
  t.match(await app.request('GET', href), { status: 409, body: { code: 'CONFLICT' } })
  t.match(await app.request('GET', `/calls/tc_${'0'.repeat(26)}/preview`), { status: 404 })
})

t.test('the text after is written byte for byte', async t => {
  const app = await startApp(t, FILES)
  const client = connect({ url: app.url, token: TOKEN })
  const line = fc.constantFrom('a', 'b', '', ' x', '\tä', '€')
  const text = fc
    .tuple(fc.array(line, { minLength: 1, maxLength: 8 }), fc.constantFrom('\n', '\r\n'), fc.boolean())
    .map(([lines, eol, ended]) => `${lines.join(eol)}${ended ? eol : ''}`)
  await fc.assert(
    fc.asyncProperty(text, text, fc.constantFrom('', '\ufeff'), async (before, content, mark) => {
      app.write('a.txt', mark + before)
      const call = await client.call('write_file', { path: 'a.txt', content })
      const { files, digest } = await client.preview(call.tool_call_id)
      await client.approve(call.tool_call_id, { digest, wait_ms: 120_000 })
      const now = app.read('a.txt')
      const [file = { before, after: before }] = files
      const same = [file.before, file.after].join('|') === [before, now.slice(mark.length)].join('|')
      if (!same) throw new Error(JSON.stringify({ before, content, file, now }))
    }),
    runs(60)
  )
})
