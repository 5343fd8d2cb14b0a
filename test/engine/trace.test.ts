// Tests of trace contexts: which requests carry one, what of it is kept with the call, and what is ignored.
// tier: quick
import t, { type Test } from 'tap'
import { parseTraceContext } from '../../src/text/trace-context.ts'
import { type Json, startApp } from '../start-app.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'
const traceparent = `00-${TRACE}-${PARENT}-01`
const HEADERS = { traceparent, tracestate: 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE' }

/** Checks that a call has a span in the trace, and returns that span's id. */
function spanOf(t: Test, { trace }: Json, more: object = { state: HEADERS.tracestate }): string {
  const { span_id, ...rest } = trace
  t.match(span_id, /^(?!0{16})[0-9a-f]{16}$/)
  t.strictSame(rest, { trace_id: TRACE, parent_id: PARENT, flags: '01', ...more })
  return span_id
}

t.test('a call keeps the trace of its request, as does a repeat of the request', async t => {
  const app = await startApp(t, { 'a.txt': 'a\n' })
  const events = await app.events('?types=tool.call,tool.result')
  const body = { tool: 'read_file', params: { path: 'a.txt' } }
  const headers = { ...HEADERS, 'idempotency-key': 'once' }
  const call = await app.post('/calls', body, headers)
  const span = spanOf(t, call)
  t.strictSame((await app.get(`/calls/${call.tool_call_id}`)).trace, call.trace)
  const [announced, ended] = await events.type('tool.result').then(all => all.filter(({ trace }) => trace))
  t.strictSame([announced.event, announced.trace], ['tool.call', call.trace])
  t.strictSame([ended.event, ended.trace], ['tool.result', call.trace])

  const other = { ...headers, traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-00` }
  const again = await app.post('/calls', body, other)
  t.strictSame([again.tool_call_id, again.trace.span_id], [call.tool_call_id, span])
})

t.test('every request that submits calls takes a trace', async t => {
  const app = await startApp(t, { 'a.txt': 'a\n' })
  const read = { tool: 'read_file', params: { path: 'a.txt' } }
  const batch = await app.post('/calls/batch', { calls: [read, read] }, HEADERS)
  const spans = batch.results.map((call: Json) => spanOf(t, call))
  t.not(spans[0], spans[1])

  const message = {
    role: 'assistant',
    tool_calls: [{ id: 'c1', function: { name: 'read_file', arguments: '{"path":"a.txt"}' } }]
  }
  const { calls } = await app.post('/tool-calls?format=openai', message, HEADERS)
  spanOf(t, await app.get(`/calls/${calls[0].tool_call_id}`))

  const download = await app.request('GET', '/files/a.txt', undefined, HEADERS)
  spanOf(t, await app.get(`/calls/${download.headers.get('x-toolgate-call')}`))
  const bytes = { ...HEADERS, 'content-type': 'application/octet-stream' }
  const upload = await app.request('PUT', '/files/b.txt', 'b\n', bytes)
  spanOf(t, upload.body)

  const undo = await app.post(`/calls/${upload.body.tool_call_id}/undo`, {}, HEADERS)
  spanOf(t, undo)
})

t.test('a call over MCP takes the trace of its _meta, else that of its HTTP request', async t => {
  const app = await startApp(t, { 'a.txt': 'a\n' })
  const { headers } = await app.request('POST', '/mcp', initialize, {
    ...MCP,
    traceparent: `00-${'3'.repeat(32)}-${PARENT}-01`
  })
  const session = { ...MCP, 'mcp-session-id': headers.get('mcp-session-id')! }
  await app.request('POST', '/mcp', { jsonrpc: '2.0', method: 'notifications/initialized' }, session)
  const call = async (id: number, _meta: object | undefined, more: Record<string, string>) => {
    const tool_call_id = `tc_0000000000000000000000000${id}`
    const meta = { 'toolgate/tool_call_id': tool_call_id, ..._meta }
    const params = { name: 'read_file', arguments: { path: 'a.txt' }, _meta: meta }
    await app.request('POST', '/mcp', { jsonrpc: '2.0', id, method: 'tools/call', params }, { ...session, ...more })
    return app.get(`/calls/${tool_call_id}`)
  }
  spanOf(t, await call(1, { traceparent }, {}), {})
  spanOf(t, await call(2, HEADERS, { traceparent: `00-${'1'.repeat(32)}-${PARENT}-00` }))
  spanOf(t, await call(3, undefined, HEADERS))
  t.notHas(await call(4, undefined, {}), { trace: {} }, 'the trace of the session is not that of its calls')
  t.notHas(await call(5, { traceparent: 7 }, HEADERS), { trace: {} }, 'an invalid value is ignored')
})

t.test('an invalid context is ignored, and a request without one has none', async t => {
  const app = await startApp(t, { 'a.txt': 'a\n' })
  const send = (headers: Record<string, string>) =>
    app.request('POST', '/calls', { tool: 'read_file', params: { path: 'a.txt' } }, headers)
  for (const headers of [
    {},
    { traceparent: 'no' },
    { traceparent: `${traceparent}, ${traceparent}` },
    { tracestate: 'a=1' }
  ]) {
    const { status, body } = await send(headers as Record<string, string>)
    t.strictSame([status, body.status, body.trace], [200, 'success', undefined], JSON.stringify(headers))
  }
  spanOf(t, (await send({ traceparent, tracestate: 'A=1' })).body, {})
})

t.test('headers are read as the specification says', async t => {
  const parsed = { trace_id: TRACE, parent_id: PARENT, flags: '01' }
  const invalid = [
    undefined,
    7,
    '',
    `00-${TRACE.toUpperCase()}-${PARENT}-01`,
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `ff-${TRACE}-${PARENT}-01`,
    `${traceparent}-more`,
    `${traceparent}\n`,
    `cc-${TRACE}-${PARENT}-01-${'x'.repeat(300)}`,
    `cc-${TRACE}-${PARENT}-01.more`
  ]
  for (const value of invalid) t.equal(parseTraceContext(value, 'a=1'), undefined, String(value))
  t.strictSame(parseTraceContext(`cc-${TRACE}-${PARENT}-01-more`, undefined), parsed, 'a later version')
  t.strictSame(parseTraceContext(`00-${TRACE}-${PARENT}-ff`, undefined), { ...parsed, flags: '03' })

  const state = (text: unknown) => parseTraceContext(traceparent, text)?.state
  t.equal(state(' a=1 ,\tb@v=2,, '), 'a=1,b@v=2')
  const members = (count: number) => Array.from({ length: count }, (_, i) => `k${i}=${i}`).join(',')
  t.equal(state(members(32)), members(32))
  for (const text of ['', 'a', 'a=', 'a=1,a=2', 'a=b=c', 'a=é', members(33), `a=${'x'.repeat(9_000)}`, 7])
    t.equal(state(text), undefined, String(text).slice(0, 20))
  const long = `z=${'x'.repeat(200)}`
  const short = Array.from({ length: 10 }, (_, i) => `k${i}=${'y'.repeat(60)}`)
  t.equal(state([long, ...short].join(',')), short.slice(0, 8).join(','), 'long members are left out, then the last')
})

const MCP = { accept: 'application/json, text/event-stream' }
const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
}
