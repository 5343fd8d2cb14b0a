// tier: quick
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { PROTOCOL } from '../../src/app.ts'
import type { CallStatus } from '../../src/protocol/calls.ts'
import { isProven, requestProof } from '../../src/server/token-proof.ts'
import { Gate, gatedTools } from '../gated-tools.ts'
import { createNormalizer } from '../normalizer.ts'
import { CALL_TOKEN, type Json, type StartOptions, startApp, TOKEN, toApproval } from '../start-app.ts'

/** Starts servers in sequence on the same folder. */
function place(t: Test) {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-again-')))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return (files: Record<string, string> = {}, options: StartOptions = {}) => startApp(t, files, { ...options, folder })
}

t.test('a server proves to know a token, at its own address and to this challenge alone', async t => {
  const app = await startApp(t)
  const issued = (await app.post('/tokens', { name: 'x', rights: ['call'] })).token
  const { host } = new URL(app.url)
  const prove = async (request: object) =>
    (await app.request('GET', `/health?${new URLSearchParams({ ...request })}`, undefined, { authorization: '' })).body
      .proof
  for (const token of [TOKEN, CALL_TOKEN, issued]) {
    const [request, other] = [requestProof(token), requestProof(token)]
    const proof = await prove(request)
    t.ok(isProven(proof, token, host, request))
    t.notOk(isProven(proof, token, host, other), 'another challenge')
    t.notOk(isProven(proof, token, 'localhost:1', request), 'another address')
    t.notOk(isProven(await prove(requestProof(`${token}x`)), token, host, request), 'another token')
  }
  t.equal(await prove({ challenge: 'a'.repeat(32) }), undefined)
  t.equal((await app.request('GET', '/health?challenge=short&key=x')).status, 400)
  await app.request('DELETE', `/tokens/${(await app.get('/tokens')).tokens[0].token_id}`)
  t.equal(await prove(requestProof(issued)), undefined, 'a revoked one')
})

t.test('a server reports its identity and features', async t => {
  const app = await startApp(t)
  const health = await app.request('GET', '/health', undefined, { authorization: '' })
  t.equal(health.status, 200)
  t.strictSame(Object.keys(health.body).sort(), ['instance', 'protocol', 'version'], 'and no more to strangers')
  const { instance } = health.body
  t.match(health.body, { version: '0.0.0-test', protocol: PROTOCOL, instance: /^[0-9a-f-]{36}$/ })
  t.match(await app.get('/capabilities'), {
    instance,
    version: '0.0.0-test',
    protocol: PROTOCOL,
    workspaces: [{ name: 'default', root: app.root }],
    read_only: false,
    isolation: { new_secrets: { 'read-only': 'withheld', workspace: 'readable', mcp_servers: 'readable' } },
    approval: { ttl_ms: 86_400_000, mode: 'ask' },
    limits: { read: 32 }
  })
  const state = await app.get('/state')
  t.match(state.journal_id, /^[0-9a-f]{12}$/)
  t.strictSame(state, {
    instance,
    journal_id: state.journal_id,
    head: 0,
    pending: [],
    running: [],
    jobs: [],
    delegations: [],
    sessions: {}
  })
  t.match(await app.request('GET', '/nowhere'), { status: 404, body: { code: 'NOT_FOUND' } })
  t.match(await app.request('PUT', '/calls', {}), { status: 404, body: { code: 'NOT_FOUND' } })
})

t.test('reports the current state', async t => {
  const gate = new Gate()
  const app = await startApp(t, { 'a.txt': 'one' }, { tools: gatedTools(gate) })
  const asked = await app.call('delete_file', { path: 'a.txt' }, { session_id: 's1' })
  const held = app.call('held_create', { name: 'a' }, { session_id: 's2', tool_call_id: `tc_${'7'.repeat(26)}` })
  await gate.waitForArrival('a')
  const other = await app.request('POST', '/calls?wait_ms=0', {
    tool: 'held_create',
    params: { name: 'b' },
    session_id: 's2'
  })
  const state = await app.get('/state')
  t.strictSame(state.pending, [asked])
  t.match(state.running, [{ tool_call_id: `tc_${'7'.repeat(26)}` }, { tool_call_id: other.body.tool_call_id }])
  t.ok(state.running.every(({ status }: { status: CallStatus }) => status === 'queued' || status === 'running'))
  t.strictSame(state.sessions, { s1: 'awaiting_approval', s2: 'tool_execution' })
  t.ok(state.head > 0)
  gate.open('a')
  gate.open('b')
  await held
})

t.test('counts calls by tool and by outcome', async t => {
  const app = await startApp(t, { 'a.txt': 'one' })
  t.strictSame((await app.get('/stats')).tools, [])
  for (let n = 0; n < 5; n += 1) await app.call('read_file', { path: 'a.txt' }, {})
  await app.call('read_file', { path: 'none' })
  const asked = await app.call('delete_file', { path: 'a.txt' })
  await app.post('/reject', { tool_call_id: asked.tool_call_id })
  const gone = await app.call('delete_file', { path: 'a.txt' })
  await app.post(`/calls/${gone.tool_call_id}/cancel`, {})
  await app.call('delete_file', { path: 'a.txt' })
  const { since, tools } = await app.get('/stats')
  t.equal(new Date(since).toISOString(), since)
  t.match(tools, [
    {
      tool: 'delete_file',
      total: 2,
      success: 0,
      error: 0,
      rejected: 1,
      ended_otherwise: 1,
      average_ms: null,
      p50_ms: null
    },
    { tool: 'read_file', total: 6, success: 5, error: 1, rejected: 0, ended_otherwise: 0 }
  ])
  const { average_ms, p50_ms, p95_ms, p99_ms } = tools[1]
  t.ok(average_ms > 0 && p50_ms > 0 && p50_ms <= p95_ms && p95_ms <= p99_ms)
  const { server, approval_wait, minutes } = await app.get('/stats')
  t.ok(server.uptime_ms > 0 && server.rss_bytes > 1_000_000)
  t.equal(server.streams, 0)
  t.match(approval_wait, { total: 2, average_ms: Number, p50_ms: Number, p95_ms: Number }, 'one waits still')
  t.equal(minutes.length, 60)
  const sum = (field: string) => minutes.reduce((all: number, minute: Json) => all + minute[field], 0)
  t.strictSame([sum('calls'), sum('errors')], [8, 1])
  t.strictSame(
    minutes.map(({ at }: Json) => Date.parse(at) - Date.parse(minutes[0].at)),
    Array.from({ length: 60 }, (_, i) => i * 60_000),
    'minute by minute'
  )
  const metrics = await app.request('GET', '/metrics')
  t.equal(metrics.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
  for (const line of [
    'toolgate_calls_total{tool="read_file",status="success"} 5',
    'toolgate_calls_total{tool="delete_file",status="rejected"} 1',
    'toolgate_pending_approvals 1',
    'toolgate_running_calls 0',
    'toolgate_event_readers 0'
  ])
    t.ok(metrics.body.includes(`\n${line}\n`), line)
  t.match(metrics.body, /^# HELP toolgate_calls_total/)
  t.equal((await app.get('/metrics')).includes('toolgate_calls_total'), true, 'more than once')
})

t.test('a read-only server only reads', async t => {
  const app = await startApp(t, { 'a.txt': 'one' }, { settings: { read_only: true } })
  t.equal((await app.call('read_file', { path: 'a.txt' })).status, 'success')
  for (const [tool, params] of [
    ['write_file', { path: 'b.txt', content: '' }],
    ['delete_file', { path: 'a.txt' }],
    ['shell_exec', { command: 'ls' }],
    ['create_directory', { path: 'd' }]
  ] as const)
    t.match(await app.call(tool, params), { status: 'error', error: { code: 'PERMISSION_DENIED' }, attempts: 0 })
  t.equal(existsSync(path.join(app.root, 'b.txt')), false)
})

t.test(
  'after a restart pending calls can be decided, running ones are interrupted, and the rest is unchanged',
  async t => {
    const start = place(t)
    const gate = new Gate()
    const first = await start({ 'a.txt': 'one', 'b.txt': 'b' }, { tools: gatedTools(gate) })
    const keyed = { tool: 'write_file', params: { path: 'new.txt', content: 'x' } }
    const made = (await first.request('POST', '/calls', keyed, { 'idempotency-key': 'k' })).body
    await first.call('todo_write', { todos: [{ content: 'later', status: 'pending' }] }, { session_id: 's' })
    const rule = (
      await first.request('POST', '/rules', { effect: 'deny', match: { tool: 'copy_file' }, scope: 'user' })
    ).body
    const kept = await first.call('write_file', { path: 'a.txt', content: 'two' }, { session_id: 's' })
    const refused = await first.call('delete_file', { path: 'b.txt' })
    const modified = await first.call('write_file', { path: 'b.txt', content: 'x' })
    const ran = first.call('held_create', { name: 'a', path: 'c.txt' })
    await gate.waitForArrival('a')
    const queued = (
      await first.request('POST', '/calls?wait_ms=0', { tool: 'held_create', params: { name: 'b', path: 'c.txt' } })
    ).body
    const { head, instance } = await first.get('/state')
    await first.close()
    t.match(await ran, { status: 'interrupted', reason: 'The server stopped while the command was running.' })
    t.strictSame(gate.aborted, ['a'])

    const second = await start({}, { tools: gatedTools(gate) })
    const state = await second.get('/state')
    t.not(state.instance, instance)
    t.ok(state.head >= head, 'numbers go on')
    t.strictSame(state.pending, [kept, refused, modified], 'with their previews, digests and deadlines')
    t.strictSame(state.running, [])
    t.strictSame(state.sessions, { s: 'awaiting_approval', default: 'awaiting_approval' })
    t.match(await second.get(`/calls/${queued.tool_call_id}`), { status: 'interrupted' })
    const { digest } = kept.approval
    t.match(
      await second.request(
        'POST',
        '/approve?wait_ms=120000',
        { tool_call_id: kept.tool_call_id, digest },
        { 'x-toolgate-client': 'other' }
      ),
      {
        status: 200,
        body: { status: 'success', approved_by: { client: 'other' } }
      }
    )
    t.equal(second.read('a.txt'), 'two')
    t.equal((await second.post('/reject', { tool_call_id: refused.tool_call_id })).status, 'rejected')
    t.match(await second.get('/calls?path=b.txt&status=rejected'), { calls: [{ tool_call_id: refused.tool_call_id }] })
    second.write('b.txt', 'changed')
    t.match(await second.request('POST', '/approve', toApproval(modified)), {
      status: 409,
      body: { code: 'PREVIEW_CHANGED' }
    })
    t.strictSame(
      (await second.request('POST', '/calls', keyed, { 'idempotency-key': 'k' })).body,
      made,
      'keys are kept'
    )
    t.strictSame(await second.get('/rules'), { rules: [rule] })
    t.match(await second.call('copy_file', { source: 'a.txt', dest: 'z' }), { status: 'rejected' })
    t.match(await second.call('todo_read', {}, { session_id: 's' }), {
      result: { data: { todos: [{ content: 'later', status: 'pending' }] } }
    })
    t.strictSame(gate.arrivals, ['a'], 'nothing was run again')
    const events = await second.events(`?after=${head}`)
    const told = await events.type('tool.result', event => event.tool_call_id === kept.tool_call_id)
    t.ok(
      told.some(event => event.event === 'tool.result' && event.status === 'interrupted'),
      'the end of what ran is told'
    )
  }
)

/** Simulates a killed server: calls have the status they had in its memory. */
function asIfKilled(folder: string, tool_call_id: string, status: CallStatus) {
  const db = new DatabaseSync(path.join(folder, 'state', 'journal.db'))
  const row = db.prepare('SELECT head FROM calls WHERE tool_call_id = ?').get(tool_call_id) as { head: string }
  const call = { ...JSON.parse(row.head), status }
  db.prepare('UPDATE calls SET status = ?, head = ? WHERE tool_call_id = ?').run(
    status,
    JSON.stringify(call),
    tool_call_id
  )
  db.close()
}

t.test('running calls of a killed server are interrupted at the next start, and never run again', async t => {
  const start = place(t)
  const gate = new Gate()
  const first = await start({}, { tools: gatedTools(gate) })
  const calls: Json[] = []
  for (const name of ['a', 'b']) {
    gate.open(name)
    calls.push(await first.call('held_create', { name, path: `${name}.txt` }, { session_id: 's' }))
  }
  await first.close()
  asIfKilled(first.folder, calls[0].tool_call_id, 'running')
  asIfKilled(first.folder, calls[1].tool_call_id, 'queued')
  const second = await start({}, { tools: gatedTools(gate) })
  const normal = createNormalizer()
  const reasons = [
    'The server ended while the call was running. The call is not run again.',
    'The server ended before the call was started or had any effect. Send the call again.'
  ]
  for (const [i, { tool_call_id }] of calls.entries())
    t.match(normal(await second.get(`/calls/${tool_call_id}`)), {
      status: 'interrupted',
      reason: reasons[i],
      finished_at: 'TIME'
    })
  t.match(await second.get('/calls?path=a.txt'), { calls: [{ tool_call_id: calls[0].tool_call_id }] })
  t.match(await second.get('/state'), { pending: [], running: [], sessions: {} })
  t.strictSame(gate.arrivals, ['a', 'b'])
  t.match(await second.request('POST', '/approve', { tool_call_id: calls[0].tool_call_id }), { status: 409 })
})

t.test('a stopping server rejects new calls, and lets running ones end', async t => {
  const gate = new Gate()
  const app = await startApp(t, { 'a.txt': 'one' }, { tools: gatedTools(gate) })
  const asked = await app.call('delete_file', { path: 'a.txt' })
  const held = app.call('held_create', { name: 'a' })
  await gate.waitForArrival('a')
  const closing = app.close(60_000)
  t.match(await app.request('POST', '/calls', { tool: 'todo_read', params: {} }), {
    status: 503,
    body: { code: 'OVERLOADED', recoverable: true }
  })
  const { digest } = asked.approval
  t.equal(
    (await app.request('POST', '/approve', { tool_call_id: asked.tool_call_id, digest, confirm: true })).status,
    503
  )
  gate.open('a')
  t.match(await held, { status: 'success' })
  await closing
  await t.rejects(app.get('/health'))
})
