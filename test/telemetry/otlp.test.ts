// Tests of the export of spans: what a collector receives, and that calls do not wait for one that is slow or away.
// tier: full
// run: cheap

import { pino } from 'pino'
import t, { type Test } from 'tap'
import { type Json, type StartOptions, startApp, toApproval } from '../start-app.ts'
import { makeTestFolder } from '../support/test-folder.ts'
import { within } from '../support/wait.ts'
import { startCollector } from './collector.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'
const INTERNAL = 1
const ERROR = 2

const exportingTo = (otlp_url: string): Json => ({ telemetry: { otlp_url, propagate_to: [] } })

/** Starts a server that exports to a collector. Its log is `lines`. */
async function startTraced(t: Test, url: string, options: StartOptions = {}) {
  const lines: Json[] = []
  let logged = Promise.withResolvers<void>()
  const write = (line: string) => {
    lines.push(JSON.parse(line))
    logged.resolve()
    logged = Promise.withResolvers()
  }
  const log = pino({ level: 'info' }, { write })
  const files = { 'a.txt': 'the content\n' }
  const app = await startApp(t, files, { ...options, log, settings: { ...exportingTo(url), ...options.settings } })
  const dropped = () => lines.filter(({ msg }) => msg === 'spans of calls were not exported')
  const firstDrop = async () => {
    while (dropped().length === 0) await logged.promise
    return dropped()[0]
  }
  return { ...app, lines, dropped, firstDrop: () => within('a report of lost spans', firstDrop()) }
}

const millis = (nanos: string) => Number(BigInt(nanos) / 1_000n) / 1_000
const names = (spans: Json[]) => spans.map(({ name }) => name)

t.test('a read: one span with its phases, as a child of the sender, without its params and result', async t => {
  const collector = await startCollector(t)
  const app = await startTraced(t, collector.url)
  const traceparent = `00-${TRACE}-${PARENT}-01`
  const body = { tool: 'read_file', params: { path: 'a.txt' }, session_id: 'song', agent: 'tuner' }
  const call = await app.post('/calls', body, { traceparent, tracestate: 'rojo=1', 'user-agent': 'test/1' })
  const { span, children } = await collector.spanOf(call)
  const { traceId, spanId, parentSpanId, traceState, name, kind, status, attributes } = span
  t.strictSame(
    { traceId, spanId, parentSpanId, traceState, name, kind, status },
    {
      traceId: TRACE,
      spanId: call.trace.span_id,
      parentSpanId: PARENT,
      traceState: 'rojo=1',
      name: 'execute_tool read_file',
      kind: INTERNAL,
      status: { code: 0 }
    }
  )
  t.strictSame(attributes, {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'read_file',
    'gen_ai.tool.call.id': call.tool_call_id,
    'gen_ai.tool.type': 'function',
    'gen_ai.agent.name': 'tuner',
    'toolgate.session.id': 'song',
    'toolgate.workspace': 'default',
    'toolgate.client': 'test/1',
    'toolgate.status': 'success',
    'toolgate.decision.source': 'auto'
  })
  t.strictSame(names(children), ['queued', 'running'])
  t.equal(millis(span.startTimeUnixNano), Date.parse(call.created_at))
  const [, running] = children
  const ran = millis(running.endTimeUnixNano) - millis(running.startTimeUnixNano)
  t.ok(Math.abs(ran - call.execution_time_ms) < 0.01, `${ran} ms`)
  t.ok(BigInt(span.endTimeUnixNano) >= BigInt(running.endTimeUnixNano), 'children end within their parent')

  const [request] = collector.requests
  t.equal(request!.url, '/v1/traces')
  for (const hidden of ['a.txt', 'the content', app.folder]) t.notOk(request!.body.includes(hidden), hidden)
  t.match(collector.resources[0], {
    'service.name': 'toolgate',
    'service.version': '0.0.0-test',
    'telemetry.sdk.name': String
  })
  t.strictSame(
    Object.keys(collector.resources[0]).filter(key => !/^(?:service|telemetry\.sdk)\./.test(key)),
    []
  )
})

t.test('without a sender the call is the root of a trace; one that is not sampled is not exported', async t => {
  const collector = await startCollector(t)
  const app = await startTraced(t, collector.url)
  const read = { tool: 'read_file', params: { path: 'a.txt' } }
  const silent = await app.post('/calls', read, { traceparent: `00-${TRACE}-${PARENT}-00` })
  const root = await app.post('/calls', read)
  const { span } = await collector.spanOf(root)
  t.strictSame([span.traceId, span.parentSpanId], [root.trace.trace_id, undefined])
  t.equal(silent.trace.flags, '00')
  await app.close()
  t.strictSame(new Set(collector.spans.map(({ traceId }) => traceId)), new Set([root.trace.trace_id]))
})

t.test('a call that waits, one that a person rejects, and one that fails', async t => {
  const collector = await startCollector(t)
  const app = await startTraced(t, collector.url)
  const write = (path: string) => app.call('shell_exec', { command: `touch ${path}` })
  const approval = toApproval(await write('b.txt'))
  const approved = (await app.request('POST', '/approve?wait_ms=120000', approval)).body
  const waited = await collector.spanOf(approved)
  t.strictSame(names(waited.children), ['waiting', 'queued', 'running'])
  t.match(waited.span, {
    status: { code: 0 },
    attributes: { 'toolgate.decision.source': 'user', 'toolgate.approval.level': 'ask', 'toolgate.status': 'success' }
  })
  const [waiting, queued] = waited.children
  t.equal(millis(waiting.endTimeUnixNano), Date.parse(approved.approved_by.at))
  t.equal(waiting.endTimeUnixNano, queued.startTimeUnixNano)

  const { tool_call_id } = await write('c.txt')
  await app.post('/reject', { tool_call_id, reason: 'a secret reason' })
  const rejected = await collector.spanOf({ tool_call_id })
  t.strictSame(names(rejected.children), ['waiting'])
  t.match(rejected.span, {
    status: { code: ERROR },
    attributes: { 'error.type': 'rejected', 'toolgate.status': 'rejected', 'toolgate.decision.source': 'user' }
  })

  const failed = await app.call('read_file', { path: 'missing.txt' })
  const { span } = await collector.spanOf(failed)
  t.match(span, { status: { code: ERROR }, attributes: { 'error.type': 'FILE_NOT_FOUND', 'toolgate.status': 'error' } })
  const sent = collector.requests.map(({ body }) => body).join('\n')
  for (const hidden of ['b.txt', 'c.txt', 'missing', 'a secret reason']) t.notOk(sent.includes(hidden), hidden)
})

t.test('a call that waits through a restart keeps its span', async t => {
  const collector = await startCollector(t)
  const folder = makeTestFolder(t)
  const before = await startTraced(t, collector.url, { folder })
  const asked = await before.post('/calls', { tool: 'shell_exec', params: { command: 'touch b.txt' } })
  await before.close()
  const app = await startTraced(t, collector.url, { folder })
  const approved = (await app.request('POST', '/approve?wait_ms=120000', toApproval(asked))).body
  const { span, children } = await collector.spanOf(approved)
  t.strictSame([span.traceId, span.spanId], [asked.trace.trace_id, asked.trace.span_id])
  t.strictSame(names(children), ['waiting', 'queued', 'running'])
  t.equal(millis(span.startTimeUnixNano), Date.parse(asked.created_at))
})

t.test('headers for the collector are secrets, and reach another machine by https alone', async t => {
  const collector = await startCollector(t)
  const secret = 'a-credential-of-the-collector'
  const environment = {
    ...process.env,
    OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer%20${secret},x-tenant=seven, ,=`
  }
  const app = await startTraced(t, `${collector.url}/otlp/`, { environment })
  const call = await app.call('read_file', { path: secret })
  t.notOk(JSON.stringify(call).includes(secret), 'it is redacted in calls')
  await collector.spanOf(call)
  const [{ url, headers }] = collector.requests as Json[]
  t.strictSame([url, headers.authorization, headers['x-tenant']], ['/otlp/v1/traces', `Bearer ${secret}`, 'seven'])

  const elsewhere = startApp(
    t,
    {},
    { environment, folder: makeTestFolder(t), settings: exportingTo('http://collector.example:4318') }
  )
  await t.rejects(elsewhere, { message: /^telemetry\.otlp_url: the headers contain .* only over https/ })
})

t.test('a collector that refuses or does not answer delays no call, and what is lost is counted', async t => {
  const refusing = await startCollector(t, (_, response) => response.writeHead(400).end('the body of the answer'))
  const app = await startTraced(t, refusing.url)
  t.match(await app.call('read_file', { path: 'a.txt' }), { status: 'success' })
  t.match(await app.firstDrop(), { level: 40, spans: 3, reason: 'Bad Request' })
  const more = await app.call('read_file', { path: 'a.txt' })
  await refusing.spanOf(more)
  t.equal(app.dropped().length, 1, 'it is reported once a minute at most')
  await app.close()
  t.match(app.dropped(), [{ spans: 3 }, { spans: 3 }], 'and at the end')

  const silent = await startCollector(t, () => {})
  const other = await startTraced(t, silent.url)
  const first = await other.call('read_file', { path: 'a.txt' })
  await silent.spanOf(first)
  t.match(await other.call('read_file', { path: 'a.txt' }), { status: 'success' })
  await other.close()
  t.match(other.dropped(), [{ spans: 6, reason: 'the server has stopped' }])
})

t.test('a collector that is away costs spans alone, and only so many are kept', async t => {
  const { url, server } = await startCollector(t)
  await new Promise(resolve => server.close(resolve))
  const app = await startTraced(t, url)
  const calls = Array.from({ length: 100 }, () => ({ tool: 'read_file', params: { path: 'a.txt' } }))
  for (let n = 0; n < 9; n++) {
    const { results } = await app.post('/calls/batch', { calls })
    t.ok(results.every(({ status }: Json) => status === 'success'))
  }
  t.match(await app.firstDrop(), { reason: 'too many spans are waiting for the collector' })
  await app.close()
  const lost = app.dropped().reduce((sum, { spans }) => sum + spans, 0)
  t.equal(lost, 2_700)
})
