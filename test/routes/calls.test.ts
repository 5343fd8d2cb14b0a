// tier: full
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, rmSync, symlinkSync, utimesSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import type { Tool } from '../../src/tool/tool.ts'
import { flakyTool, Gate, gatedTools } from '../gated-tools.ts'
import { createNormalizer } from '../normalizer.ts'
import { CALL_TOKEN, type Json, listenToEvents, startApp, type TestApp, TOKEN, toApproval } from '../start-app.ts'
import { runs } from '../support/property.ts'
import { untilOlderThan } from '../support/wait.ts'

const sha256 = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`
const head = async (app: TestApp) => (await app.get('/state')).head
const files = (app: TestApp) => readdirSync(app.root, { recursive: true }).sort()
const statuses = (results: Json[]) => results.map(result => result.status)
const ulid = (n: number) => `tc_${String(n).padStart(26, '0')}`

t.test('a read-only call returns its whole result', async t => {
  const app = await startApp(t, { 'a.txt': 'one\ntwo\n' })
  const normal = createNormalizer()
  const { status, body } = await app.request(
    'POST',
    '/calls',
    { tool: 'read_file', params: { path: 'a.txt' } },
    {
      'x-toolgate-client': 'a-test'
    }
  )
  t.equal(status, 200)
  const hash = sha256('one\ntwo\n')
  const known = { hash, total_lines: 2, encoding: 'utf-8', eol: 'lf' }
  t.strictSame(normal(body), {
    status: 'success',
    tool_call_id: 'tc_1',
    tool: 'read_file',
    params: { path: 'a.txt' },
    session_id: 'default',
    workspace: 'default',
    background: false,
    client: 'a-test',
    attempts: 1,
    created_at: 'TIME',
    timeout_ms: 5_000,
    approved_by: { source: 'auto', at: 'TIME' },
    started_at: 'TIME',
    finished_at: 'TIME',
    execution_time_ms: 'MS',
    result: {
      title: 'a.txt',
      content: '     1\tone\n     2\ttwo',
      data: { content: 'one\ntwo\n', size: 8, modified: 'TIME', lines: 2, ...known },
      metadata: known,
      attachments: [],
      truncated: false
    }
  })
  t.strictSame(await app.get(`/calls/${body.tool_call_id}`), body, 'and is the same when asked for later')
})

t.test('a call that requires approval returns its preview', async t => {
  const app = await startApp(t, { 'a.txt': 'one\n' })
  const normal = createNormalizer()
  const { status, body } = await app.request('POST', '/calls', {
    tool: 'edit_file',
    params: { path: 'a.txt', old: 'one', new: 'two' },
    session_id: 's',
    agent: 'helper',
    context: 'step 3'
  })
  t.equal(status, 202)
  const reason = 'Modifies files.'
  const { always_options, files, group, ...approval } = body.approval
  t.match(group, /^[0-9a-f]{16}$/)
  t.strictSame(normal({ ...body, approval }), {
    status: 'awaiting_approval',
    tool_call_id: 'tc_1',
    tool: 'edit_file',
    params: { path: 'a.txt', old: 'one', new: 'two' },
    session_id: 's',
    workspace: 'default',
    agent: 'helper',
    context: 'step 3',
    background: false,
    client: 'node',
    attempts: 0,
    created_at: 'TIME',
    timeout_ms: 10_000,
    approval: {
      level: 'ask',
      reason,
      matched_rules: [{ tier: 'tool', effect: 'write', reason }],
      preview: { title: 'Edit a.txt', diff: '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n' },
      digest: 'DIGEST',
      expires_at: 'TIME',
      available_decisions: ['approve', 'reject']
    }
  })
  t.equal(always_options.length, 4)
  const href = (side: string) => `/calls/${body.tool_call_id}/preview/0/${side}?digest=${approval.digest}`
  t.strictSame(files, [{ path: 'a.txt', before_href: href('before'), after_href: href('after') }])
  t.equal(Date.parse(approval.expires_at) - Date.parse(body.created_at) >= 86_400_000, true)
  t.equal(app.read('a.txt'), 'one\n')
})

t.test('rejects an invalid request with every error, and leaves no trace', async t => {
  const app = await startApp(
    t,
    { 'a.txt': 'one\n' },
    { settings: { agents: { reader: { tools: { allow: ['read_*'] } } } } }
  )
  const before = await head(app)
  const read = { tool: 'read_file', params: { path: 'a.txt' } }
  const cases: [body: unknown, code: string, pointers: string[]][] = [
    [{}, 'INVALID_PARAMS', ['/tool']],
    [{ ...read, tool: 3 }, 'INVALID_PARAMS', ['/tool']],
    [{ ...read, tool: '' }, 'INVALID_PARAMS', ['/tool']],
    [{ ...read, extra: 1 }, 'INVALID_PARAMS', ['/extra']],
    [{ ...read, timeout_ms: 0 }, 'INVALID_PARAMS', ['/timeout_ms']],
    [{ ...read, timeout_ms: '5' }, 'INVALID_PARAMS', ['/timeout_ms']],
    [{ ...read, tool_call_id: 'tc_x' }, 'INVALID_PARAMS', ['/tool_call_id']],
    [{ ...read, session_id: '' }, 'INVALID_PARAMS', ['/session_id']],
    [{ ...read, params: [] }, 'INVALID_PARAMS', ['/params']],
    [{ ...read, params: {} }, 'INVALID_PARAMS', ['/params/path']],
    [{ ...read, params: { path: 1, 'o/~': 2 } }, 'INVALID_PARAMS', ['/params/o~1~0', '/params/path']],
    [{ ...read, params: { path: 'a.txt', limit: '3' } }, 'INVALID_PARAMS', ['/params/limit']],
    [{ ...read, params: { path: 'a.txt', encoding: 1 } }, 'INVALID_PARAMS', ['/params/encoding']],
    [{ ...read, workspace: 'other' }, 'INVALID_PARAMS', ['/workspace']],
    [{ ...read, tool: 'no_such' }, 'UNKNOWN_TOOL', []],
    [{ ...read, tool: 'write_file', agent: 'reader' }, 'UNKNOWN_TOOL', []],
    ['{', 'INVALID_PARAMS', []]
  ]
  const statuses: Record<string, number> = { INVALID_PARAMS: 400, UNKNOWN_TOOL: 404 }
  for (const [body, code, pointers] of cases) {
    const answer = await app.request('POST', '/calls', body)
    t.match(answer.headers.get('content-type'), /^application\/problem\+json/)
    t.match(answer, { status: statuses[code], body: { status: statuses[code], code, type: 'about:blank' } })
    const found = (answer.body.errors ?? []).map(({ pointer }: Json) => pointer).sort()
    if (pointers.length > 0) t.strictSame(found, pointers, JSON.stringify(body))
  }
  const { input } = await app.get('/tools/read_file')
  const message = `is unknown; known: ${Object.keys(input.properties).join(', ')}`
  const refused = await app.request('POST', '/calls', { ...read, params: { path: 'a.txt', extra: 1 } })
  t.strictSame(refused.body, {
    type: 'about:blank',
    title: 'The request is invalid.',
    status: 400,
    detail: `/params/extra ${message}.`,
    code: 'INVALID_PARAMS',
    recoverable: false,
    errors: [{ pointer: '/params/extra', message }],
    request_id: refused.body.request_id
  })
  t.match(refused.body.request_id, /^req_[0-9a-f]{8}_[0-9a-z]+$/)
  t.equal(await head(app), before)
  t.strictSame(await app.get('/calls'), { calls: [], cursor: null })
})

t.test('a failed call is a settled call with its error', async t => {
  const app = await startApp(t)
  const normal = createNormalizer()
  const { status, body } = await app.request('POST', '/calls', { tool: 'read_file', params: { path: 'none.txt' } })
  t.equal(status, 200)
  t.match(normal(body), {
    status: 'error',
    attempts: 1,
    error: { code: 'FILE_NOT_FOUND', recoverable: false },
    finished_at: 'TIME'
  })
  const outside = await app.call('read_file', { path: '../x' })
  t.match(outside, { status: 'error', attempts: 0, error: { code: 'INVALID_PATH' } })
})

t.test('holds the response as long as requested', async t => {
  const gate = new Gate()
  const app = await startApp(t, { 'a.txt': 'one' }, { tools: gatedTools(gate) })
  const held = (name: string, query = '') =>
    app.request('POST', `/calls${query}`, { tool: 'held_create', params: { name } })
  const started = await held('a', '?wait_ms=0')
  t.match(started, { status: 202, body: { status: /queued|running/ } })
  const { tool_call_id: id } = started.body
  await gate.waitForArrival('a')
  await held('after', '?wait_ms=0')
  t.match(await app.get(`/calls/${id}`), { status: 'running', attempts: 1 })
  const waiting = app.request('GET', `/calls/${id}?wait_ms=600000`)
  gate.open('a')
  t.match(await waiting, { status: 200, body: { status: 'success', result: { data: { name: 'a' } } } })

  const through = app.request('POST', '/calls?wait_ms=600000', {
    tool: 'write_file',
    params: { path: 'a.txt', content: 'two' }
  })
  const events = await app.events('?after=0&types=tool.call')
  const asked = (await events.type('tool.call', ({ requires_approval }) => requires_approval)).at(-1)
  t.match(await app.request('POST', '/approve', toApproval(asked)), { status: 202 })
  t.match(await through, { status: 200, body: { status: 'success' } })
  t.equal(app.read('a.txt'), 'two')

  const limited = await held('b', '?wait_ms=1')
  t.equal(limited.status, 202)
  gate.open('b')
  t.equal((await app.request('POST', '/calls?wait_ms=-1', {})).status, 400)
  t.equal((await app.request('GET', `/calls/${ulid(1)}`)).status, 404)
})

t.test('a background call returns at once and continues', async t => {
  const gate = new Gate()
  const app = await startApp(t, {}, { tools: gatedTools(gate) })
  const call = await app.request('POST', '/calls', { tool: 'held_create', params: { name: 'a' }, background: true })
  t.match(call, { status: 202, body: { background: true, status: /queued|running/ } })
  gate.open('a')
  t.match(await app.get(`/calls/${call.body.tool_call_id}?wait_ms=600000`), { status: 'success', background: true })
})

t.test('a call can be followed in its own response', async t => {
  const app = await startApp(t, { 'a.txt': 'one' })
  const submit = (body: object, headers: Record<string, string> = {}) =>
    listenToEvents(
      t,
      `${app.url}/calls`,
      { 'content-type': 'application/json', ...headers },
      {
        method: 'POST',
        body: JSON.stringify(body)
      }
    )
  const reading = { tool: 'read_file', params: { path: 'a.txt' }, tool_call_id: ulid(7) }
  const stream = await submit(reading)
  t.match(stream.response.headers.get('content-type'), /^text\/event-stream/)
  const events = await stream.rest()
  t.strictSame(
    events.map(({ event }) => event),
    ['stream.snapshot', 'tool.call', 'tool.result']
  )
  t.match(events[1], { tool_call_id: ulid(7), requires_approval: false })
  t.match(events[2], { tool_call_id: ulid(7), status: 'success', result: { data: { content: 'one' } } })
  const again = await (await submit(reading)).rest()
  t.strictSame(
    again.slice(1).map(({ event, seq }) => [event, seq]),
    events.slice(1).map(({ event, seq }) => [event, seq]),
    'a call seen before is told again'
  )

  const writing = await submit({ tool: 'write_file', params: { path: 'a.txt', content: 'two' } })
  const asked = (await writing.type('tool.call')).at(-1)
  t.match(asked, { requires_approval: true, approval: { preview: { title: 'Overwrite a.txt' } } })
  await app.post('/approve', toApproval(asked))
  const rest = await writing.rest()
  t.strictSame(
    rest.map(({ event }) => event),
    ['tool.decision', 'file.changed', 'tool.result']
  )
  const refused = await submit({ tool: 'no_such', params: {} })
  t.equal(refused.response.status, 404)
  t.match(refused.response.headers.get('content-type'), /problem\+json/)
})

t.test('follows each of many concurrent reads without a gap', async t => {
  const app = await startApp(t, { 'a.txt': 'one' })
  const streams = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const stream = await listenToEvents(
        t,
        `${app.url}/calls`,
        { 'content-type': 'application/json', 'cache-control': 'no-cache' },
        {
          method: 'POST',
          body: JSON.stringify({ tool: 'read_file', params: { path: 'a.txt' } })
        }
      )
      return (await stream.rest()).map(({ event }) => event).join()
    })
  )
  t.strictSame([...new Set(streams)], ['stream.snapshot,tool.call,tool.result'])
})

t.test('a repeated request returns the same call', async t => {
  const gate = new Gate()
  const app = await startApp(t, {}, { tools: gatedTools(gate) })
  const body = { tool: 'write_file', params: { path: 'new.txt', content: 'x' } }
  const key = { 'idempotency-key': 'k1' }
  const first = await app.request('POST', '/calls', body, key)
  t.equal(first.body.status, 'success')
  t.strictSame((await app.request('POST', '/calls', body, key)).body, first.body)
  const reordered = { params: { content: 'x', path: 'new.txt' }, tool: 'write_file' }
  t.strictSame((await app.request('POST', '/calls', reordered, key)).body, first.body, 'whatever the order of fields')
  t.match(await app.request('POST', '/calls', { ...body, session_id: 's' }, key), {
    status: 409,
    body: { code: 'CONFLICT' }
  })
  t.not(
    (await app.request('POST', '/calls', { ...body, params: { path: 'b', content: '' } })).body.tool_call_id,
    first.body.tool_call_id
  )

  const named = { tool: 'held_create', params: { name: 'a' }, tool_call_id: ulid(1) }
  const twins = [1, 2, 3].map(() => app.request('POST', '/calls', named))
  await gate.waitForArrival('a')
  t.equal((await app.request('POST', '/calls', { ...named, params: { name: 'b' } })).status, 409)
  gate.open('a')
  const answers = await Promise.all(twins)
  t.match(answers[0], { status: 200, body: { tool_call_id: ulid(1), status: 'success' } })
  t.strictSame(answers[1]!.body, answers[0]!.body)
  t.strictSame(answers[2]!.body, answers[0]!.body)
  t.strictSame(gate.arrivals, ['a'], 'it ran once')

  const keyed = { tool: 'held_create', params: { name: 'c' } }
  const concurrent = Array.from({ length: 20 }, () => app.request('POST', '/calls', keyed, { 'idempotency-key': 'k2' }))
  gate.open('c')
  t.equal(new Set((await Promise.all(concurrent)).map(answer => answer.body.tool_call_id)).size, 1)
  t.strictSame(gate.arrivals, ['a', 'c'])
  t.equal((await app.request('POST', '/calls', keyed, { 'idempotency-key': '' })).status, 400)
})

t.test('rejects the id of another call', async t => {
  const app = await startApp(t, { 'a.txt': 'one' })
  const ended = await app.call('read_file', { path: 'a.txt' })
  const waiting = await app.call('delete_file', { path: 'a.txt' })
  for (const { tool_call_id } of [ended, waiting]) {
    const answer = await app.request('POST', '/calls', { tool: 'todo_read', params: {}, tool_call_id })
    t.match(answer, { status: 409, body: { code: 'CONFLICT' } })
  }
  t.strictSame(await app.get(`/calls/${ended.tool_call_id}`), ended)
  t.strictSame(await app.get(`/calls/${waiting.tool_call_id}`), waiting)
})

t.test('calls of a batch run in parallel, those on one path in order', async t => {
  const gate = new Gate()
  const app = await startApp(t, { 'a.txt': '0' }, { tools: gatedTools(gate) })
  const held = (name: string, path?: string) => ({ tool: 'held_create', params: { name, ...(path && { path }) } })
  const batch = app.post('/calls/batch', {
    calls: [held('a'), held('b'), held('c', 'x'), held('d', './x'), held('e', 'y')]
  })
  await Promise.all(['a', 'b', 'c', 'e'].map(gate.waitForArrival))
  t.strictSame(gate.arrivals.toSorted(), ['a', 'b', 'c', 'e'])
  for (const name of ['e', 'd', 'b', 'a', 'c']) gate.open(name)
  const { results } = await batch
  t.strictSame(
    results.map((call: Json) => call.result.data.name),
    ['a', 'b', 'c', 'd', 'e']
  )
  const order = await app.post('/calls/batch', {
    calls: [
      { tool: 'write_file', params: { path: path.join(app.root, 'n.txt'), content: 'new' } },
      { tool: 'read_file', params: { path: 'n.txt' } },
      { tool: 'copy_file', params: { source: 'none', dest: 'other' } },
      { tool: 'read_file', params: { path: 'a.txt', limit: 0 } },
      { tool: 'edit_file', params: { path: 'a.txt', old: '0', new: '1' } }
    ]
  })
  t.match(order.results, [
    { status: 'success' },
    { status: 'success', result: { data: { content: 'new' } } },
    { status: 'error', error: { code: 'FILE_NOT_FOUND' } },
    { problem: { code: 'INVALID_PARAMS', errors: [{ pointer: '/params/limit' }] } },
    { status: 'awaiting_approval' }
  ])
  t.equal((await app.request('POST', '/calls/batch', { calls: [] })).status, 400)
})

t.test('an invalid call of a batch does not affect the others', async t => {
  const app = await startApp(t, { 'a.txt': 'one' })
  const addition = '*** Begin Patch\n*** Add File: new.txt\n+new\n*** End Patch'
  const { results } = await app.post('/calls/batch', {
    calls: [
      { tool: 'apply_patch', params: { patch: 'garbage' } },
      { tool: 'apply_patch', params: { patch: addition, if_match: { 'a.txt': sha256('one') } } },
      { tool: 'undo', params: { tool_call_id: ulid(1) } },
      { tool: 'read_file', params: { path: 'a.txt' } }
    ]
  })
  t.match(results, [
    { status: 'error', error: { code: 'INVALID_PARAMS', details: { errors: [{ pointer: '/params/patch' }] } } },
    { status: 'error', error: { code: 'INVALID_PARAMS', details: { errors: [{ pointer: '/params/if_match' }] } } },
    { status: 'error', error: { code: 'NOT_FOUND' } },
    { status: 'success', result: { data: { content: 'one' } } }
  ])
})

t.test('a batch may stop at the first failure', async t => {
  const app = await startApp(t, { 'a.txt': 'one' })
  const read = (path: string) => ({ tool: 'read_file', params: { path } })
  const { results } = await app.post('/calls/batch', {
    calls: [read('a.txt'), read('none'), read('a.txt'), { tool: 'x', params: {} }],
    stop_on_error: true
  })
  t.match(results, [{ status: 'success' }, { status: 'error' }, { skipped: true }, { skipped: true }])
  t.strictSame(results[2], { skipped: true })
  const waiting = await app.post('/calls/batch', {
    calls: [{ tool: 'delete_file', params: { path: 'a.txt' } }, read('a.txt')],
    stop_on_error: true
  })
  t.match(waiting.results, [{ status: 'awaiting_approval' }, { skipped: true }], 'what waits has not ended well yet')
  const unknown = await app.post('/calls/batch', {
    calls: [{ tool: 'x', params: {} }, read('a.txt')],
    stop_on_error: true
  })
  t.match(unknown.results, [{ problem: { code: 'UNKNOWN_TOOL' } }, { skipped: true }])
})

t.test('a dry run returns a preview, and leaves no trace', async t => {
  const app = await startApp(t, { 'a.txt': 'one\n', '.env': 'SECRET=1' })
  const before = [await head(app), files(app), app.read('a.txt')]
  const dry = async (tool: string, params: object, headers = {}) =>
    createNormalizer()(
      (await app.request('POST', '/calls', { tool, params, dry_run: true, tool_call_id: ulid(3) }, headers)).body
    )
  t.match(await dry('read_file', { path: 'a.txt' }), {
    dry_run: true,
    tool: 'read_file',
    verdict: { decision: 'allow', source: 'auto' },
    paths: [{ path: 'a.txt', access: 'read', sensitive: false }]
  })
  t.match(await dry('edit_file', { path: 'a.txt', old: 'one', new: 'two' }), {
    verdict: { decision: 'ask' },
    preview: { diff: /-one\n\+two/ },
    digest: 'DIGEST'
  })
  t.match(await dry('write_file', { path: 'deep/new.txt', content: 'x' }), { verdict: { decision: 'allow' } })
  t.match(await dry('delete_file', { path: 'a.txt' }), { verdict: { decision: 'strict' }, preview: { text: 'a.txt' } })
  t.match(await dry('shell_exec', { command: 'rm -rf /' }), { verdict: { decision: 'deny', code: 'COMMAND_BLOCKED' } })
  t.match(await dry('read_file', { path: '.env' }), { verdict: { decision: 'strict' } })
  t.match(await dry('read_file', { path: '.env' }, { authorization: `Bearer ${CALL_TOKEN}` }), {
    verdict: { decision: 'deny', code: 'SENSITIVE_PATH' }
  })
  t.match(await dry('edit_file', { path: 'a.txt', old: 'none of it', new: 'x' }), {
    code: 'OLD_TEXT_NOT_FOUND',
    status: 409
  })
  t.match(await dry('read_file', { path: '../x' }), { code: 'INVALID_PATH', status: 400 })
  t.match(await dry('no_such', {}), { code: 'UNKNOWN_TOOL', status: 404 })
  t.strictSame([await head(app), files(app), app.read('a.txt')], before)
  t.strictSame((await app.get('/calls')).calls, [])
  t.equal(
    (await app.call('read_file', { path: 'a.txt' }, { tool_call_id: ulid(3) })).status,
    'success',
    'the id is free'
  )
})

t.test('a call can be cancelled at any time', async t => {
  const gate = new Gate()
  const app = await startApp(t, { 'a.txt': 'one' }, { tools: gatedTools(gate) })
  const start = async (tool: string, params: object) =>
    (await app.request('POST', '/calls?wait_ms=0', { tool, params })).body.tool_call_id
  const cancel = (id: string, body: object = {}) => app.request('POST', `/calls/${id}/cancel`, body)

  const running = await start('held_create', { name: 'a', path: 'x' })
  await gate.waitForArrival('a')
  const queued = await start('held_create', { name: 'b', path: 'x' })
  t.match(await cancel(queued, { reason: 'not needed' }), {
    status: 200,
    body: { status: 'cancelled', reason: 'not needed', attempts: 0 }
  })
  t.match(await cancel(running), {
    status: 200,
    body: { status: 'cancelled', reason: 'Cancelled by the client.', attempts: 1 }
  })
  t.strictSame([gate.arrivals, gate.aborted], [['a'], ['a']])

  const waiting = (await app.call('edit_file', { path: 'a.txt', old: 'one', new: 'two' })).tool_call_id
  t.match(await cancel(waiting), { body: { status: 'cancelled' } })
  t.match(await app.request('POST', '/approve', { tool_call_id: waiting }), { status: 409, body: { code: 'CONFLICT' } })
  t.equal(app.read('a.txt'), 'one')

  const ended = await app.call('read_file', { path: 'a.txt' })
  t.strictSame((await cancel(ended.tool_call_id)).body, ended)
  t.equal((await cancel(ulid(5))).status, 404)
  t.strictSame(
    (await app.get('/calls')).calls.map((call: Json) => call.status),
    ['success', 'cancelled', 'cancelled', 'cancelled']
  )
})

t.test('a call may end with the connection of its sender, or continue without it', async t => {
  const gate = new Gate()
  const app = await startApp(t, { 'a.txt': 'one' }, { tools: gatedTools(gate) })
  const events = await listenToEvents(t, `${app.url}/events`)
  const told = async (id: string) =>
    (await events.until(({ event, tool_call_id }) => event === 'tool.result' && tool_call_id === id)).at(-1)
  const send = (n: number, name: string, query: string, accept: string) => {
    const leave = new AbortController()
    const body = JSON.stringify({ tool: 'held_create', params: { name, path: name }, tool_call_id: ulid(n) })
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', accept }
    const sent = fetch(`${app.url}/calls${query}`, { method: 'POST', headers, body, signal: leave.signal })
    return { leave, sent, left: sent.then(response => response.text()).catch(() => 'left') }
  }
  for (const [n, accept] of [
    [1, 'application/json'],
    [2, 'text/event-stream']
  ] as const) {
    const { leave, left } = send(n, `leaves ${n}`, '?on_disconnect=cancel', accept)
    await gate.waitForArrival(`leaves ${n}`)
    leave.abort()
    t.match(await told(ulid(n)), { status: 'cancelled', reason: 'The client disconnected.' }, accept)
    t.equal(await left, 'left')
  }
  const { leave, left } = send(3, 'stays', '', 'application/json')
  await gate.waitForArrival('stays')
  leave.abort()
  t.equal(await left, 'left')
  gate.open('stays')
  t.match(await told(ulid(3)), { status: 'success' })
})

t.test('a call cancelled during its preview never becomes pending', async t => {
  const gate = new Gate()
  const [held] = gatedTools(gate)
  const slow: Tool = {
    ...held!,
    name: 'slow_look',
    effect: 'write',
    plan: async (input: Json) => {
      await gate.wait(`look ${input.name}`, new AbortController().signal)
      return { state: undefined }
    }
  }
  const app = await startApp(t, {}, { tools: [slow] })
  const submitted = app.request('POST', '/calls', { tool: 'slow_look', params: { name: 'a' }, tool_call_id: ulid(1) })
  await gate.waitForArrival('look a')
  const cancelled = app.request('POST', `/calls/${ulid(1)}/cancel`, {})
  await app.get('/health')
  gate.open('look a')
  t.match(await cancelled, { status: 200, body: { status: 'cancelled' } })
  t.match(await submitted, { status: 200, body: { status: 'cancelled' } })
  t.strictSame((await app.get('/approvals')).approvals, [])
})

t.test('a call ends at its time limit', async t => {
  const gate = new Gate()
  const app = await startApp(t, {}, { tools: gatedTools(gate) })
  t.match(await app.call('held_create', { name: 'a' }, { timeout_ms: 20 }), {
    status: 'error',
    timeout_ms: 20,
    error: { code: 'TIMEOUT', message: 'The call had no result within 20 ms.', recoverable: true }
  })
  t.strictSame(gate.aborted, ['a'])
  const long = await app.call('held_create', { name: 'b' }, { timeout_ms: 999_999_999, background: true })
  t.equal(long.timeout_ms, 600_000, 'no longer than the server lets it')
  gate.open('b')
  t.equal((await app.call('held_create', { name: 'b' })).timeout_ms, 120_000)
})

t.test('a tool that does not stop cannot keep its call running, and its later output is dropped', async t => {
  const gate = new Gate()
  const [held] = gatedTools(gate)
  const deaf: Tool = {
    ...held!,
    name: 'deaf',
    effect: 'create' as const,
    async *run({ name }: Json) {
      yield { message: 'started' }
      await gate.wait(name, new AbortController().signal)
      yield { message: 'still here' }
      gate.open('over')
      return { name }
    }
  }
  const app = await startApp(t, {}, { tools: [deaf] })
  const call = await app.call('deaf', { name: 'a' }, { timeout_ms: 10 })
  t.match(call, { status: 'error', error: { code: 'TIMEOUT' } })
  const events = await app.events(`?after=0&tool_call_id=${call.tool_call_id}`)
  await events.type('tool.result')
  gate.open('a')
  await gate.wait('over', new AbortController().signal)
  await new Promise(setImmediate)
  const later = await app.call('todo_read', {})
  t.equal(later.status, 'success')
  const all = await app.events(`?after=0&types=tool.result,tool.progress`)
  const told = await all.type('tool.result', event => event.tool_call_id === later.tool_call_id)
  t.strictSame(
    told.filter(event => event.tool_call_id === call.tool_call_id).map(({ event }) => event),
    ['tool.result']
  )
})

t.test('retries transient failures, but none that may have had an effect', async t => {
  const cases: [name: string, options: Parameters<typeof flakyTool>[0], failures: number, expected: Json][] = [
    ['once', {}, 1, { status: 'success', attempts: 2 }],
    ['three times', {}, 3, { status: 'success', attempts: 4 }],
    [
      'no more than three times',
      {},
      9,
      { status: 'error', attempts: 4, error: { code: 'NETWORK_ERROR', message: 'Attempt 4 failed.' } }
    ],
    ['only where that may help', { code: 'EXECUTION_ERROR' }, 1, { status: 'error', attempts: 1 }],
    ['only where a second run is harmless', { idempotent: false }, 1, { status: 'error', attempts: 1 }],
    ['a harmless effect', { effect: 'create' }, 1, { status: 'success', attempts: 2 }],
    [
      'never after a change',
      { effect: 'create', before: ({ host }, n) => host.files.create(`made-${n}.txt`, Buffer.from('x')) },
      1,
      { status: 'error', attempts: 1, changes: [{ path: 'made-1.txt', operation: 'created' }] }
    ]
  ]
  for (const [name, options, failures, expected] of cases)
    await t.test(name, async t => {
      const app = await startApp(t, {}, { tools: [flakyTool(options)] })
      const call = await app.call('flaky', { failures })
      t.match(call, expected)
      const events = await app.events(`?after=0&tool_call_id=${call.tool_call_id}`)
      const told = (await events.type('tool.result')).filter(({ event }) => event === 'tool.call')
      t.equal(told.length, 1)
    })
})

t.test('reports a retry as progress, and stops when the call is cancelled', async t => {
  const app = await startApp(t, {}, { tools: [flakyTool({})] })
  const started = (await app.request('POST', '/calls?wait_ms=0', { tool: 'flaky', params: { failures: 3 } })).body
  const events = await app.events(`?after=0&tool_call_id=${started.tool_call_id}`)
  const told = await events.type('tool.progress')
  t.match(told.at(-1), { message: 'Attempt 1 failed. Retrying (1 of 3).' })
  const { body } = await app.request('POST', `/calls/${started.tool_call_id}/cancel`, {})
  t.match(body, { status: /cancelled|success/ })
  t.ok(body.status === 'success' || body.attempts < 4)
})

t.test('returns a cached answer while nothing has changed', async t => {
  const app = await startApp(t, { 'a.txt': 'one', 'b.txt': 'b' })
  // A file changed just now is not cached: a further change might go unnoticed.
  for (const name of ['a.txt', 'b.txt']) utimesSync(path.join(app.root, name), new Date(0), new Date(0))
  await untilOlderThan(60, path.join(app.root, 'a.txt'), path.join(app.root, 'b.txt'))
  const read = async (path = 'a.txt', headers = {}) => {
    const { body } = await app.request('POST', '/calls', { tool: 'read_file', params: { path } }, headers)
    return { ...body, text: body.result.data.content }
  }
  const first = await read()
  t.match(first, { text: 'one', cached: undefined })
  const again = await read()
  t.match(again, { text: 'one', cached: true, status: 'success' })
  t.not(again.tool_call_id, first.tool_call_id, 'it is a call of its own')
  t.strictSame(again.result, first.result)
  t.match(
    await app.get(`/calls/${again.tool_call_id}`),
    { cached: true, result: first.result },
    'with its answer in the log'
  )
  t.match(await read('a.txt', { 'cache-control': 'no-cache' }), { text: 'one', cached: undefined })
  const events = await app.events(`?after=0&tool_call_id=${again.tool_call_id}`)
  t.match((await events.type('tool.result')).at(-1), { result: { data: { content: 'one' } } })

  await read('b.txt')
  t.match(await read('b.txt'), { cached: true })
  t.equal((await app.call('write_file', { path: 'new.txt', content: 'x' })).status, 'success')
  t.match(await read('b.txt'), { cached: undefined }, 'dropped by a call that writes')

  await untilOlderThan(60, path.join(app.root, 'new.txt'))
  await read('b.txt')
  t.match(await read('b.txt'), { cached: true })
  app.write('b.txt', 'c')
  t.match(await read('b.txt'), { text: 'c', cached: undefined }, 'dropped by a change from outside')

  await read()
  t.match(await read(), { cached: true })
  utimesSync(path.join(app.root, 'a.txt'), new Date(1), new Date(1))
  t.match(await read(), { text: 'one', cached: undefined }, 'dropped by a touch')
  const failed = [await app.call('read_file', { path: 'none' }), await app.call('read_file', { path: 'none' })]
  t.match(failed, [{ status: 'error' }, { status: 'error', cached: undefined }], 'a failure is not kept')
})

t.test('without a cache computes every answer', async t => {
  const app = await startApp(t, { 'a.txt': 'one' }, { settings: { cache: { ttl_ms: 0, max_bytes: 1_000 } } })
  utimesSync(path.join(app.root, 'a.txt'), new Date(0), new Date(0))
  await untilOlderThan(60, path.join(app.root, 'a.txt'))
  await app.call('read_file', { path: 'a.txt' })
  t.match(await app.call('read_file', { path: 'a.txt' }), { cached: undefined })
})

t.test('no answer is ever older than the disk', async t => {
  const app = await startApp(t, { 'a.txt': '0' })
  const names = ['a.txt', 'b.txt', 'dir/c.txt']
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ write: fc.constantFrom(...names), text: fc.constantFrom('0', '1', '22') }) },
    { weight: 1, arbitrary: fc.record({ link: fc.constantFrom('l.txt'), to: fc.constantFrom('a.txt', 'b.txt') }) },
    { weight: 4, arbitrary: fc.record({ read: fc.constantFrom(...names, 'l.txt') }) },
    { weight: 2, arbitrary: fc.record({ list: fc.constantFrom('.', 'dir') }) },
    { weight: 1, arbitrary: fc.constant('wait' as const) }
  )
  const onDisk = (name: string) => {
    try {
      return app.read(name)
    } catch {
      return undefined
    }
  }
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 25 }), async steps => {
      for (const step of steps) {
        if (step === 'wait')
          await untilOlderThan(60, ...names.map(name => path.join(app.root, name)).filter(existsSync))
        else if ('write' in step) app.write(step.write, step.text)
        else if ('link' in step) {
          rmSync(path.join(app.root, step.link), { force: true })
          symlinkSync(step.to, path.join(app.root, step.link))
        } else if ('read' in step) {
          const call = await app.call('read_file', { path: step.read })
          const found = call.result?.data.content
          if (found !== onDisk(step.read)) throw new Error(`read ${found}, not ${onDisk(step.read)}`)
        } else {
          const call = await app.call('list_directory', { path: step.list })
          const found = call.result?.data.entries.map((entry: Json) => entry.name)
          const there = namesIn(step.list)
          if (JSON.stringify(found) !== JSON.stringify(there)) throw new Error(`listed ${found}, not ${there}`)
        }
      }
    }),
    runs(25)
  )
  function namesIn(folder: string) {
    try {
      return readdirSync(path.join(app.root, folder)).sort()
    } catch {
      return undefined
    }
  }
})

t.test('filters and paginates the log, newest first', async t => {
  const app = await startApp(t, { 'a.txt': 'a', 'b.txt': 'b' })
  const made: Json[] = []
  for (let n = 0; n < 7; n += 1)
    made.unshift(await app.call('read_file', { path: n % 2 ? 'a.txt' : './b.txt' }, { session_id: `s${n % 3}` }))
  made.unshift(await app.call('edit_file', { path: 'a.txt', old: 'a', new: 'x' }))
  made.unshift(await app.call('read_file', { path: 'none' }))
  const ids = (calls: Json[]) => calls.map(call => call.tool_call_id)
  const list = async (query: string) => (await app.get(`/calls?${query}`)).calls
  const cases: [string, (call: Json) => boolean][] = [
    ['', () => true],
    ['status=error', call => call.status === 'error'],
    ['status=awaiting_approval', call => call.status === 'awaiting_approval'],
    ['tool=read_file', call => call.tool === 'read_file'],
    ['session_id=s1', call => call.session_id === 's1'],
    ['workspace=other', () => false],
    ['path=a.txt', call => call.params.path === 'a.txt'],
    ['path=b.txt', call => call.params.path === './b.txt'],
    [`since=${made[3].created_at}`, call => call.created_at >= made[3].created_at],
    [`until=${made[3].created_at}`, call => call.created_at < made[3].created_at],
    ['since=2999-01-01T00:00:00Z', () => false],
    ['until=2999-01-01T00:00:00Z', () => true],
    ['tool=read_file&session_id=s0&path=b.txt', call => call.session_id === 's0' && call.params.path === './b.txt']
  ]
  for (const [query, wanted] of cases) t.strictSame(ids(await list(query)), ids(made.filter(wanted)), query)
  t.strictSame((await list('limit=1'))[0], made[0], 'calls are whole')

  const at = new Date(made[3].created_at)
  const elsewhere = new Date(at.getTime() + 2 * 3_600_000).toISOString().replace('Z', '+02:00')
  t.strictSame(
    ids(await list(`since=${encodeURIComponent(elsewhere)}`)),
    ids(made.filter(call => call.created_at >= made[3].created_at)),
    'whatever the zone'
  )
  const second = `${made[3].created_at.slice(0, 19)}Z`
  t.strictSame(
    ids(await list(`since=${second}`)),
    ids(made.filter(call => Date.parse(call.created_at) >= Date.parse(second))),
    'with or without milliseconds'
  )

  const [first] = ids(made)
  t.strictSame(ids(await list(`id_prefix=${first}`)), [first])
  t.strictSame(ids(await list(`id_prefix=${String(first).slice(0, -1)}`)), [first])
  t.strictSame(ids(await list('id_prefix=tc_')), ids(made))
  t.strictSame(await list('id_prefix=tc_00000'), [])

  const paged: Json[] = []
  let query = 'limit=2'
  for (;;) {
    const { calls, cursor } = await app.get(`/calls?${query}`)
    paged.push(...calls)
    if (cursor === null) break
    query = `limit=2&cursor=${cursor}`
    if (paged.length === 2) await app.call('todo_read', {})
  }
  t.strictSame(ids(paged), ids(made), 'a page begins where the one before ended, whatever came meanwhile')
  for (const wrong of [
    'status=x',
    'limit=0',
    'limit=501',
    'since=yesterday',
    'cursor=x',
    'cursor=-1',
    'unknown=1',
    'id_prefix=tc_*'
  ])
    t.match(await app.request('GET', `/calls?${wrong}`), { status: 400, body: { code: 'INVALID_PARAMS' } }, wrong)
})

t.test('the output of a command can be read by offset, also while it runs', async t => {
  const app = await startApp(t)
  const command = 'printf hello; read line; printf " $line" >&2'
  const call = await app.call('shell_exec', { command, stdin: 'x\n', separate_streams: true })
  const { tool_call_id: id } = call
  const output = (query = '') => app.request('GET', `/calls/${id}/output${query}`)
  t.match((await output()).body, { text: '', ended: false }, 'a call that waits may yet print')
  await app.post('/approve', { tool_call_id: id, digest: call.approval.digest, confirm: true })
  const done = await app.get(`/calls/${id}?wait_ms=120000`)
  t.match(done, {
    status: 'success',
    result: { data: { stdout: 'hello', stderr: ' x' }, output_href: `/calls/${id}/output` }
  })
  t.strictSame((await output()).body, { text: 'hello x', offset: 0, next_offset: 7, ended: true })
  t.strictSame((await output('?stream=stdout&limit=4')).body, {
    text: 'hell',
    offset: 0,
    next_offset: 4,
    ended: false
  })
  t.strictSame((await output('?stream=stderr&offset=2')).body, { text: '', offset: 2, next_offset: 2, ended: true })
  t.equal((await output('?offset=-1')).status, 400)
  t.equal((await app.request('GET', `/calls/${ulid(9)}/output`)).status, 404)
  const quiet = await app.call('todo_read', {})
  t.strictSame(await app.get(`/calls/${quiet.tool_call_id}/output`), {
    text: '',
    offset: 0,
    next_offset: 0,
    ended: true
  })
})

t.test('rejects calls beyond the limit until some have ended', async t => {
  const { limits } = (await startApp(t)).settings
  const app = await startApp(t, { 'a.txt': 'a' }, { settings: { limits: { ...limits, queue: 2 } } })
  const first = await app.call('delete_file', { path: 'a.txt' })
  await app.call('delete_file', { path: 'a.txt' })
  const refused = await app.request('POST', '/calls', { tool: 'todo_read', params: {} })
  t.match(refused, { status: 503, body: { code: 'OVERLOADED', recoverable: true } })
  t.equal(refused.headers.get('retry-after'), '1')
  await app.post('/reject', { tool_call_id: first.tool_call_id })
  t.equal((await app.call('todo_read', {})).status, 'success')
})

t.test('a file may be written only if unchanged since the read', async t => {
  const app = await startApp(
    t,
    { 'a.txt': 'one' },
    {
      settings: {
        rules: [],
        tiers: { administrator: [], user: [{ effect: 'allow', match: { tool: '*' } }], workspace: [] }
      }
    }
  )
  const if_match = sha256('one')
  const write = (content: string) => app.call('write_file', { path: 'a.txt', content }, { if_match })
  t.match(await app.call('read_file', { path: 'a.txt' }, { if_match }), {
    error: { code: 'INVALID_PARAMS', details: { errors: [{ pointer: '/if_match' }] } }
  })
  const both = await Promise.all([write('two'), write('three')])
  t.strictSame(statuses(both).toSorted(), ['error', 'success'])
  t.match(
    both.find(call => call.status === 'error'),
    { error: { code: 'STALE_FILE' } }
  )
  t.match(await write('four'), { error: { code: 'STALE_FILE', details: { path: 'a.txt', if_match } } })
})
