// Tests of delegation to front ends: selection, handling of the answer, and the lack of one.
// tier: full
import { Ajv, type SchemaObject } from 'ajv'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { connect, type EffectHandlers, type FrontEndOptions } from '../../../src/client/client.ts'
import { defaultSettings } from '../../../src/config/merge.ts'
import { sha256, startFrontEnd } from '../../fake-front-end.ts'
import {
  agentToken,
  CALL_TOKEN,
  type Json,
  type StartOptions,
  startApp,
  type TestApp,
  TOKEN,
  toApproval
} from '../../start-app.ts'
import { runs } from '../../support/property.ts'
import { once } from '../../support/wait.ts'

const FILES = { 'a.txt': 'one\ntwo\n', 'src/b.txt': 'b\n', '.env': 'KEY=hunter2\n' }
const grace = (grace_ms: number): StartOptions => ({
  settings: { front_ends: { ...defaultSettings().front_ends, grace_ms } }
})

/** Registers a front end until the end of the test. */
async function offer(
  t: Test,
  { url }: TestApp,
  handlers: EffectHandlers,
  options: FrontEndOptions & { client?: string } = {}
) {
  const { client = 'ed', ...rest } = options
  const offered = connect({ url, token: TOKEN, client }).registerFrontEnd(handlers, { retry_ms: 5, ...rest })
  t.teardown(() => offered.close())
  await offered.ready
  return offered
}

/** Sends a call under a client name. */
const callAs = async (app: TestApp, client: string, tool: string, params: object, more: object = {}) =>
  app.post('/calls', { tool, params, ...more }, { 'x-toolgate-client': client })

const unavailable = { status: 'error', error: { code: 'DELEGATE_UNAVAILABLE', recoverable: false } }

t.test('without a front end, fails at once', async t => {
  const app = await startApp(t, FILES)
  await startFrontEnd(t, app, { effects: 'editor.apply_edit,preview.open' })
  for (const [tool, params, effect] of [
    ['editor_open', { path: 'a.txt' }, 'editor.open'],
    ['editor_diagnostics', {}, 'editor.diagnostics'],
    ['editor_show_diff', { path: 'a.txt', new_content: 'x' }, 'editor.show_diff']
  ] as const) {
    const call = await app.call(tool, params)
    t.match(call, unavailable)
    t.equal(
      call.error.message,
      `No connected front end can perform ${effect}. Connect an editor: it offers the effect with GET /events?effects=${effect}.`
    )
    const dry = await app.request('POST', '/calls', { tool, params, dry_run: true })
    t.match(dry, { status: 503, body: { code: 'DELEGATE_UNAVAILABLE' } })
  }
})

t.test('editor_open shows a readable file', async t => {
  const app = await startApp(t, FILES)
  const shown: Json[] = []
  await offer(t, app, { 'editor.open': params => void shown.push(params) })
  const call = await app.call('editor_open', { path: `${app.root}/src/../a.txt`, line: 2, column: 3 })
  t.match(call, {
    status: 'success',
    approved_by: { source: 'auto' },
    result: { title: 'a.txt:2', content: 'ed shows a.txt at line 2.' }
  })
  t.strictSame(call.result.data, { path: 'a.txt', line: 2, column: 3, front_end: 'ed' })
  t.match(await app.call('editor_open', { path: 'src/b.txt' }), { result: { content: 'ed shows src/b.txt.' } })
  t.strictSame(shown, [{ path: 'a.txt', line: 2, column: 3 }, { path: 'src/b.txt' }])

  for (const [params, error] of [
    [
      { path: 'a.txt', column: 1 },
      { code: 'INVALID_PARAMS', details: { errors: [{ pointer: '/params/column' }] } }
    ],
    [{ path: 'none.txt' }, { code: 'FILE_NOT_FOUND' }],
    [{ path: 'src' }, { code: 'NOT_A_FILE' }],
    [{ path: '../x' }, { code: 'INVALID_PATH' }]
  ] as const)
    t.match(await app.call('editor_open', params), { status: 'error', error })
  const secret = await app.request(
    'POST',
    '/calls',
    { tool: 'editor_open', params: { path: '.env' } },
    { authorization: `Bearer ${CALL_TOKEN}` }
  )
  t.match(secret.body, { status: 'error', error: { code: 'SENSITIVE_PATH' } })
  t.equal(shown.length, 2)
  await app.request('PUT', '/buffers', { buffers: [{ path: 'fresh.txt', content: 'new' }] })
  t.match(await app.call('editor_open', { path: 'fresh.txt' }), { status: 'success' }, 'what was never saved is there')
})

t.test('asks only the nearest of several', async t => {
  const app = await startApp(t, FILES)
  const asked: string[] = []
  const opens = (name: string) => ({ 'editor.open': () => void asked.push(name) })
  const ask = async (client: string, more: object = {}) => {
    const call = await callAs(app, client, 'editor_open', { path: 'a.txt' }, more)
    t.equal(call.status, 'success')
    return asked.splice(0)
  }
  const first = await offer(t, app, opens('first'), { client: 'first' })
  await offer(t, app, opens('second'), { client: 'second' })
  t.strictSame(await ask('agent'), ['second'], 'the one that came last')
  const waiting = await app.call('write_file', { path: 'a.txt', content: 'x' })
  await app.post(`/calls/${waiting.tool_call_id}/reject`, {}, { 'x-toolgate-client': 'first' })
  t.strictSame(await ask('agent'), ['first'], 'the one where a person has just decided')
  const held = { buffers: [{ path: 'a.txt', content: 'unsaved' }] }
  await app.request('PUT', '/buffers', held, { 'x-toolgate-client': 'second' })
  t.strictSame(await ask('agent'), ['second'], 'the one where a person has just typed')
  t.strictSame(await ask('first'), ['first'], 'the one that sent the call')
  await offer(t, app, opens('workspace'), { client: 'workspace', workspace: 'default' })
  await app.request('PUT', '/buffers', held, { 'x-toolgate-client': 'second' })
  t.strictSame(await ask('agent'), ['workspace'], 'the one that follows the workspace')
  t.strictSame(await ask('first'), ['first'])
  const own = await offer(t, app, opens('session'), { client: 'session', session_id: 's' })
  t.strictSame(await ask('first', { session_id: 's' }), ['session'], 'the one that follows the session')
  t.strictSame(await ask('agent', { session_id: 'other' }), ['workspace'], 'never one that would not hear of it')
  own.close()
  first.close()
  await Promise.all([own.closed, first.closed])
})

t.test('offering effects requires a stream, and permits approving', async t => {
  const app = await startApp(t, FILES)
  const as = (token: string, query: string) =>
    app.request('GET', `/events?${query}`, undefined, { authorization: `Bearer ${token}`, accept: 'text/event-stream' })
  t.match(await as(TOKEN, 'effects=editor.open&types=tool.call'), {
    status: 400,
    body: { code: 'INVALID_PARAMS', errors: [{ pointer: '/types' }] }
  })
  t.match(await as(TOKEN, 'effects=editor.fly'), { status: 400, body: { errors: [{ pointer: '/effects' }] } })
  t.match(await as(CALL_TOKEN, 'effects=editor.open'), { status: 403 })
  const refused = connect({ url: app.url, token: CALL_TOKEN }).registerFrontEnd({ 'editor.open': () => {} })
  await t.rejects(refused.ready, { code: 'FORBIDDEN' })
  await t.rejects(refused.closed, { code: 'FORBIDDEN' })

  const ed = await startFrontEnd(t, app, { effects: 'editor.open' })
  const running = app.call('editor_open', { path: 'a.txt' })
  const { delegation_id } = await ed.asked()
  for (const [method, path, body] of [
    ['POST', `/delegations/${delegation_id}`, { status: 'done' }],
    ['GET', `/delegations/${delegation_id}`, undefined],
    ['GET', '/delegations', undefined]
  ] as const)
    t.match(await app.request(method, path, body, { authorization: `Bearer ${CALL_TOKEN}` }), { status: 403 })
  await ed.answer(delegation_id, { status: 'done' })
  t.match(await running, { status: 'success' })
})

t.test('an answer must match its effect; the first valid one wins', async t => {
  const app = await startApp(t, FILES)
  const ed = await startFrontEnd(t, app, { effects: 'editor.show_diff,editor.open' })
  const running = app.call('editor_show_diff', { path: 'a.txt', new_content: 'one\nthree\n' })
  const { delegation_id, expires_at } = await ed.asked()
  t.match(expires_at, /Z$/)
  for (const [answer, pointer] of [
    [{ status: 'done' }, '/decision'],
    [{ status: 'done', decision: 'maybe' }, '/decision'],
    [{ status: 'done', decision: 'accepted', content: 7 }, '/content'],
    [{ status: 'done', decision: 'accepted', content_hash: `sha256:${'0'.repeat(64)}` }, '/content_hash'],
    [{ status: 'done', decision: 'accepted', diagnostics: [] }, '/diagnostics'],
    [{ status: 'done', decision: 'accepted', comment: 'x'.repeat(16_385) }, '/comment'],
    [{ status: 'done', decision: 'accepted', approve: true }, '/approve'],
    [{ decision: 'accepted' }, '/status'],
    [[], '']
  ] as const)
    t.match(await ed.answer(delegation_id, answer), {
      status: 400,
      body: { code: 'INVALID_PARAMS', errors: [{ pointer }] }
    })
  t.match(await ed.answer(delegation_id, { status: 'done', decision: 'rejected' }), { status: 200 })
  t.match(await ed.answer(delegation_id, { status: 'done', decision: 'accepted' }), { status: 409 })
  t.match(await running, { status: 'success', result: { data: { decision: 'rejected', edited: false } } })
})

t.test('a front end may refuse, and may be too late', async t => {
  const app = await startApp(t, FILES)
  const ed = await startFrontEnd(t, app, { effects: 'editor.open' })
  const refused = app.call('editor_open', { path: 'a.txt' })
  await ed.answer((await ed.asked()).delegation_id, { status: 'refused', reason: 'a dialog is open' })
  t.match(await refused, {
    status: 'error',
    error: { code: 'PERMISSION_DENIED', message: 'emacs refused editor.open: a dialog is open' }
  })
  // Enough for the front end to be asked, also on a busy machine.
  const late = app.call('editor_open', { path: 'a.txt' }, { timeout_ms: 2_000 })
  const { delegation_id } = await ed.asked()
  t.match(await late, { status: 'error', error: { code: 'TIMEOUT' } })
  t.match(await ed.ended(), { delegation_id, outcome: 'withdrawn' })
  t.match(await ed.answer(delegation_id, { status: 'done' }), {
    status: 409,
    body: { details: { outcome: 'withdrawn' } }
  })
  await offer(t, app, {
    'editor.open': () => {
      throw new Error('no window')
    }
  })
  t.match(await app.call('editor_open', { path: 'a.txt' }), { error: { message: 'ed refused editor.open: no window' } })
})

t.test('waits a limited time for a disconnected front end', async t => {
  const app = await startApp(t, FILES, grace(30))
  const ed = await startFrontEnd(t, app, { effects: 'editor.show_diff' })
  const watching = await app.events('?types=tool.delegation_ended')
  const diff = { path: 'a.txt', new_content: 'x' }
  const running = app.call('editor_show_diff', diff)
  const { delegation_id } = await ed.asked()
  ed.leave()
  t.match(await running, {
    ...unavailable,
    error: { message: 'The front end emacs disconnected before it had performed editor.show_diff.' }
  })
  t.match((await watching.type('tool.delegation_ended')).at(-1), { delegation_id, outcome: 'gone' })
  t.match(await app.call('editor_show_diff', diff), unavailable, 'from then on nobody is there')
})

t.test('a front end that reconnects in time gets the same delegation, and answers', async t => {
  const app = await startApp(t, FILES)
  const ed = await startFrontEnd(t, app, { effects: 'editor.show_diff' })
  const running = app.call('editor_show_diff', { path: 'a.txt', new_content: 'x' })
  const { delegation_id } = await ed.asked()
  ed.leave()
  const back = await app.events('?effects=editor.show_diff', { 'x-toolgate-client': 'emacs' })
  const [snapshot] = await back.type('stream.snapshot')
  t.strictSame(snapshot.delegations, [delegation_id])
  t.strictSame((await app.get('/state')).delegations, [delegation_id])
  t.match(await app.get('/delegations?client_id=emacs'), { delegations: [{ delegation_id, params: { after: 'x' } }] })
  t.strictSame(await app.get('/delegations?client_id=vim'), { delegations: [] })
  await ed.answer(delegation_id, { status: 'done', decision: 'accepted' })
  t.match(await running, { status: 'success', result: { data: { decision: 'accepted', edited: false } } })
})

t.test(
  'the client runs each delegation once, over broken connections, and retries its answer until accepted',
  async t => {
    const app = await startApp(t, FILES)
    const connection = { url: app.url, token: TOKEN }
    let done = 0
    const { promise: began, resolve: begin } = Promise.withResolvers<void>()
    const { promise: goOn, resolve: letGoOn } = Promise.withResolvers<void>()
    const { promise: broken, resolve: tellBroken } = Promise.withResolvers<void>()
    const offered = connect({ ...connection, client: 'ed' }).registerFrontEnd(
      {
        'editor.show_diff': async ({ after }) => {
          done += 1
          begin()
          await goOn
          return { decision: 'accepted', content: `${after}!` }
        }
      },
      {
        retry_ms: 5,
        onDisconnect: () => tellBroken(),
        types: ['tool.call'],
        onEvent: ({ type }) => heard.push(type)
      }
    )
    const heard: string[] = []
    t.teardown(() => offered.close())
    await offered.ready
    const sockets = [...(await connections(app))]
    const running = app.call('editor_show_diff', { path: 'a.txt', new_content: 'x' })
    await began
    for (const socket of sockets) socket.destroy()
    await broken
    letGoOn()
    t.match(await running, { result: { data: { decision: 'accepted', edited: true, content: 'x!' } } })
    t.equal(done, 1)
    t.ok(heard.includes('tool.call') && heard.includes('tool.delegate'))
    offered.close()
    await offered.closed
  }
)

t.test('the client notifies a handler when the wait has ended', async t => {
  const app = await startApp(t, FILES)
  const { promise: began, resolve: begin } = Promise.withResolvers<AbortSignal>()
  const offered = await offer(t, app, {
    'editor.show_diff': async (_params, { signal }) => {
      begin(signal)
      await once(signal, 'abort')
      return { decision: 'accepted' }
    }
  })
  const id = (
    await app.post('/calls?wait_ms=0', { tool: 'editor_show_diff', params: { path: 'a.txt', new_content: 'x' } })
  ).tool_call_id
  const signal = await began
  t.match(await app.post(`/calls/${id}/cancel`, {}), { status: 'cancelled' })
  if (!signal.aborted) await once(signal, 'abort')
  t.equal(signal.reason.message, 'withdrawn')
  offered.close()
  await offered.closed
})

t.test('an invalid answer of the client is a refusal', async t => {
  const app = await startApp(t, FILES)
  await offer(t, app, { 'editor.diagnostics': (() => ({ diagnostics: 'none' })) as never })
  t.match(await app.call('editor_diagnostics', {}), {
    error: {
      code: 'PERMISSION_DENIED',
      message: /^ed refused editor\.diagnostics: the server rejected the answer of the front end: /
    }
  })
})

t.test('the client fetches a delegated text too large for an event', async t => {
  const app = await startApp(t, FILES)
  const long = 'x'.repeat(100_000)
  await offer(t, app, { 'editor.show_diff': ({ after }) => ({ decision: after === long ? 'accepted' : 'rejected' }) })
  t.match(await app.call('editor_show_diff', { path: 'a.txt', new_content: long }), {
    result: { data: { decision: 'accepted' } }
  })
})

/** Counts the delegations on all pages. */
async function countDelegations(app: TestApp, cursor = ''): Promise<number> {
  const page: Json = await app.get(`/delegations${cursor && `?cursor=${cursor}`}`)
  return page.delegations.length + (page.cursor === undefined ? 0 : await countDelegations(app, page.cursor))
}

t.test('limits the bytes of delegations in flight per front end', async t => {
  const app = await startApp(t, { 'a.txt': 'x'.repeat(1_000_000), 'b.txt': 'b\n' })
  const ed = await startFrontEnd(t, app, { effects: 'editor.show_diff' })
  const waiting: Promise<Json>[] = []
  for (let n = 0; n < 16; n++) {
    waiting.push(app.call('editor_show_diff', { path: 'a.txt', new_content: String(n) }))
    await ed.asked()
  }
  t.match(await app.call('editor_show_diff', { path: 'a.txt', new_content: 'y' }), {
    error: {
      code: 'OVERLOADED',
      message: /^The front end .* bytes of unanswered delegations; the maximum is 33554432/
    }
  })
  t.equal(await countDelegations(app), 16)
  await app.close(0)
  await Promise.allSettled(waiting)
})

t.test('limits the delegations in flight per front end', async t => {
  const app = await startApp(t, FILES)
  const ed = await startFrontEnd(t, app, { effects: 'editor.show_diff' })
  const waiting: Promise<Json>[] = []
  for (let n = 0; n < 100; n++) {
    waiting.push(app.call('editor_show_diff', { path: 'a.txt', new_content: String(n) }))
    await ed.asked()
  }
  t.match(await app.call('editor_show_diff', { path: 'a.txt', new_content: 'x' }), {
    error: { code: 'OVERLOADED', details: { retry_after_ms: 10_000 } }
  })
  t.match(await app.call('read_file', { path: 'a.txt' }), { status: 'success' }, 'others run meanwhile')
  const write = await app.call('write_file', { path: 'a.txt', content: 'one\n' })
  t.match(await app.post('/approve?wait_ms=120000', toApproval(write)), { status: 'success' }, 'of the same file too')
  await app.close(0)
  for (const call of await Promise.allSettled(waiting)) t.ok(call.status)
})

t.test('one token cannot keep a front end from others', async t => {
  const app = await startApp(t, { ...FILES, 'long.txt': 'x'.repeat(1_000_000) })
  const ed = await startFrontEnd(t, app, { effects: 'editor.show_diff' })
  const waiting: Promise<Json>[] = []
  const show = async (agent: string, path: string, new_content: string) =>
    (
      await app.request(
        'POST',
        '/calls?wait_ms=120000',
        { tool: 'editor_show_diff', params: { path, new_content } },
        { authorization: `Bearer ${agentToken(agent)}` }
      )
    ).body
  const ask = async (agent: string, path: string, count: number) => {
    for (let n = 0; n < count; n++) {
      waiting.push(show(agent, path, String(n)))
      await ed.asked()
    }
  }
  const refused = (reason: RegExp) => ({
    error: { code: 'QUOTA_EXCEEDED', message: reason, details: { limit: 'front_end_questions_per_token', max: 25 } }
  })
  await ask('alice', 'a.txt', 25)
  t.match(
    await show('alice', 'a.txt', 'x'),
    refused(/^The front end .* has not answered 25 other delegations for this token\./)
  )
  await ask('bob', 'long.txt', 4)
  t.match(await show('bob', 'long.txt', 'x'), refused(/^The front end .* the maximum is 8388608 for this token/))
  await ask('carl', 'a.txt', 1)
  t.equal(await countDelegations(app), 30)
  await app.close(0)
  await Promise.allSettled(waiting)
})

t.test("editor_show_diff reports the user's decision", async t => {
  const app = await startApp(t, {
    ...FILES,
    'crlf.txt': 'one\r\ntwo\r\n',
    'bin.dat': 'a\0b',
    'big.txt': 'x'.repeat(3 << 20)
  })
  const asked: Json[] = []
  const answers: Json[] = []
  await offer(t, app, {
    'editor.show_diff': params => {
      asked.push(params)
      return answers.shift()
    }
  })
  const show = (path: string, new_content: string, answer?: Json) => {
    if (answer) answers.push(answer)
    return app.call('editor_show_diff', { path, new_content })
  }
  const edited = await show('a.txt', 'one\nthree\n', { decision: 'accepted', content: 'one\nfour\n', comment: 'four' })
  t.match(edited.result, {
    title: 'a.txt: accepted with changes',
    data: {
      path: 'a.txt',
      hash: sha256('one\ntwo\n'),
      decision: 'accepted',
      edited: true,
      content: 'one\nfour\n',
      comment: 'four',
      front_end: 'ed'
    },
    content:
      /^Accepted with changes by the user in ed\. The file is not written yet\.\nComment: four\n.*\n-three\n\+four\n$/s
  })
  t.strictSame(asked.pop(), {
    path: 'a.txt',
    before: 'one\ntwo\n',
    after: 'one\nthree\n',
    diff: '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n'
  })
  const rejected = await show('a.txt', 'x', { decision: 'rejected', content: 'ignored', comment: 'no' })
  t.strictSame(rejected.result.data, {
    path: 'a.txt',
    hash: sha256('one\ntwo\n'),
    decision: 'rejected',
    edited: false,
    comment: 'no',
    front_end: 'ed'
  })
  t.equal(rejected.result.content, `Rejected by the user in ed.\nComment: no`)
  t.match((await show('a.txt', 'x', { decision: 'accepted', content: 'x' })).result.data, { edited: false })

  t.match((await show('new.txt', 'x', { decision: 'accepted' })).result, { title: 'new.txt: accepted as proposed' })
  t.notOk('before' in asked.pop())
  t.match(await app.get('/capabilities'), { front_ends: [{ client: 'ed', effects: ['editor.show_diff'] }] })
  await app.request('PUT', '/buffers', { buffers: [{ path: 'a.txt', content: 'unsaved\n' }] })
  await show('a.txt', 'x', { decision: 'accepted' })
  t.equal(asked.pop().before, 'unsaved\n', 'what the person sees is what they compare it with')
  t.match(await show('a.txt', 'unsaved\n'), { error: { code: 'INVALID_PARAMS' } })
  t.match(await show('bin.dat', 'x'), { error: { code: 'BINARY_FILE' } })
  t.match(await show('big.txt', 'x'), { error: { code: 'TOO_LARGE' } })
  t.match(await show('src', 'x'), { error: { code: 'NOT_A_FILE' } })
  t.strictSame([app.read('a.txt'), app.read('crlf.txt')], ['one\ntwo\n', 'one\r\ntwo\r\n'], 'nothing was written')
})

t.test(
  'editor_diagnostics reports diagnostics of the workspace, and of unreadable files only their existence',
  async t => {
    const app = await startApp(t, FILES)
    const found = (path: string, severity: string, line = 1, more: object = {}) => ({
      path,
      line,
      column: 1,
      severity,
      message: `${severity} in ${path}`,
      ...more
    })
    const asked: Json[] = []
    const diagnostics: Json[] = [
      found('a.txt', 'hint', 2),
      found(`${app.root}/src/b.txt`, 'warning', 1, { end_line: 1, end_column: 2, code: 'W1', source: 'lint' }),
      found('a.txt', 'error', 9),
      found('a.txt', 'error', 2),
      found('.env', 'error'),
      found('/etc/passwd', 'error'),
      found('../other.txt', 'error'),
      found('a\0b', 'error')
    ]
    await offer(t, app, {
      'editor.diagnostics': params => {
        asked.push(params)
        return { diagnostics }
      }
    })
    const all = await app.call('editor_diagnostics', {})
    const { message: _, ...secret } = found('.env', 'error')
    t.strictSame(all.result.data, {
      diagnostics: [
        secret,
        found('a.txt', 'error', 2),
        found('a.txt', 'error', 9),
        {
          ...found('src/b.txt', 'warning', 1, { end_line: 1, end_column: 2, code: 'W1', source: 'lint' }),
          message: `warning in ${app.root}/src/b.txt`
        },
        found('a.txt', 'hint', 2)
      ],
      counts: { error: 3, warning: 1, information: 0, hint: 1 },
      truncated: false,
      front_end: 'ed'
    })
    t.match(
      all.result.content,
      /^\.env:1:1: error\na\.txt:2:1: error: error in a\.txt\n.*\nsrc\/b\.txt:1:1: warning \(lint W1\): /s
    )
    t.match((await app.call('editor_diagnostics', { path: 'src' })).result, {
      title: 'src: 0 errors, 1 warning',
      data: { diagnostics: [{ path: 'src/b.txt' }], counts: { error: 0, warning: 1 } }
    })
    t.strictSame(asked, [{}, { path: 'src' }])
    diagnostics.splice(0)
    t.equal((await app.call('editor_diagnostics', {})).result.content, 'ed shows no problems.')
    for (let n = 0; n < 300; n++) diagnostics.push(found('a.txt', 'error', n + 1))
    t.match((await app.call('editor_diagnostics', { path: 'a.txt' })).result, {
      truncated: true,
      data: { truncated: true, counts: { error: 300 }, diagnostics: { length: 200 } },
      content: /\n\(200 of 300 are listed, most severe first\.\)$/
    })
    for (let n = 0; n < 800; n++) diagnostics.push(found('a.txt', 'error', n + 1))
    t.match(await app.call('editor_diagnostics', {}), {
      error: { message: /the server rejected the answer of the front end: .*\/diagnostics/ }
    })
  }
)

t.test('for any answer the call ends with a valid result, or waits for a better answer', async t => {
  const app = await startApp(t, FILES)
  const ed = await startFrontEnd(t, app, { effects: 'editor.diagnostics' })
  const { output } = (await app.get('/tools/editor_diagnostics')) as { output: SchemaObject }
  const fits = new Ajv({ strict: false }).compile(output)
  const path = fc.oneof(fc.constantFrom('a.txt', 'src', '.env', '..', '/', '', 'a.txt/x', app.root), fc.string())
  const place = fc.oneof(fc.integer({ min: -1, max: 9 }), fc.maxSafeInteger())
  const found = fc.record(
    { path, line: place, column: place, severity: fc.constantFrom('error', 'hint', 'worst'), message: fc.string() },
    { requiredKeys: ['path', 'line', 'column', 'severity', 'message'] }
  )
  const answer = fc.oneof(
    fc.jsonValue(),
    fc.record({ status: fc.constantFrom('done', 'refused'), diagnostics: fc.array(found, { maxLength: 3 }) })
  )
  const asking = () => app.call('editor_diagnostics', {})
  let running = asking()
  let { delegation_id } = await ed.asked()
  await fc.assert(
    fc.asyncProperty(answer, async body => {
      const { status } = await ed.answer(delegation_id, body as Json)
      if (status === 400) return
      if (status !== 200) throw new Error(`${status} to ${JSON.stringify(body)}`)
      const call = await running
      const isRight = call.status === 'success' ? fits(call.result.data) : call.error.code === 'PERMISSION_DENIED'
      if (!isRight) throw new Error(JSON.stringify([body, call]))
      running = asking()
      delegation_id = (await ed.asked()).delegation_id
    }),
    runs(200)
  )
  await ed.answer(delegation_id, { status: 'done', diagnostics: [] })
  t.match(await running, { status: 'success' })
})

/** Returns the open connections of the server. */
async function connections({ app }: TestApp): Promise<Set<{ destroy(): void }>> {
  const { server } = app.http
  const found = new Set<{ destroy(): void }>()
  // biome-ignore lint/suspicious/noExplicitAny: there is no public way to a server's connections
  for (const socket of (process as any)._getActiveHandles()) if (socket.server === server) found.add(socket)
  return found
}
