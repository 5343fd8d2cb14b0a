// tier: quick
import { existsSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { PROTOCOL } from '../../src/app.ts'
import type { CallStatus } from '../../src/protocol/calls.ts'
import { isProven, requestProof } from '../../src/server/token-proof.ts'
import { Gate, gatedTools } from '../gated-tools.ts'
import { CALL_TOKEN, type Json, startApp, TOKEN } from '../start-app.ts'

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
