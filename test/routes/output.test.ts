// tier: full
import t from 'tap'
import { SseParser } from '../../src/client/sse.ts'
import { listenToEvents, startApp, type TestApp, TOKEN, toApproval } from '../start-app.ts'
import { runApproved } from '../tools/commands/jobs.ts'

/** Runs a command, with approval if required; returns its id. */
async function run(app: TestApp, command: string, more: object = {}): Promise<string> {
  const { tool_call_id, approval } = await app.call('shell_exec', { command, separate_streams: true }, more)
  if (approval) await app.post('/approve', { tool_call_id, digest: approval.digest, confirm: true })
  if (!('background' in more)) await app.get(`/calls/${tool_call_id}?wait_ms=120000`)
  return tool_call_id
}

t.test('follows output as it arrives, from any offset, to its end', async t => {
  const app = await startApp(t)
  const command = 'printf "one €"; until [ -e go ]; do sleep 0.02; done; printf " two" >&2'
  const id = await run(app, command, { background: true })
  const url = `${app.url}/calls/${id}/output`
  const whole = await listenToEvents(t, url)
  const first = { id: '7', event: 'output', stream: 'output', text: 'one €', offset: 0, next_offset: 7 }
  t.same(await whole.until(({ text }) => text), [first])
  const resumed = await listenToEvents(t, url, { 'last-event-id': '7' })
  const errors = await listenToEvents(t, `${url}?stream=stderr`)
  app.write('go', '')
  const end = { id: '11', event: 'end', stream: 'output', offset: 11 }
  const second = { id: '11', event: 'output', stream: 'output', text: ' two', offset: 7, next_offset: 11 }
  t.same(await whole.rest(), [second, end])
  t.same(await resumed.rest(), [second, end])
  t.same(await errors.rest(), [
    { id: '4', event: 'output', stream: 'stderr', text: ' two', offset: 0, next_offset: 4 },
    { id: '4', event: 'end', stream: 'stderr', offset: 4 }
  ])
  t.same(await (await listenToEvents(t, `${url}?offset=8`)).rest(), [
    { id: '11', event: 'output', stream: 'output', text: 'two', offset: 8, next_offset: 11 },
    end
  ])
})

t.test('follows a pending call from its start, or to an end without output', async t => {
  const app = await startApp(t)
  const ask = () => app.call('shell_exec', { command: 'echo hi; touch made' })
  const [first, second] = [await ask(), await ask()]
  const [approved, rejected] = [first.tool_call_id, second.tool_call_id]
  const one = await listenToEvents(t, `${app.url}/calls/${approved}/output`)
  const other = await listenToEvents(t, `${app.url}/calls/${rejected}/output`)
  const polled = app.get(`/calls/${rejected}/output?wait_ms=60000`)
  await app.post('/approve', toApproval(first))
  await app.post('/reject', { tool_call_id: rejected })
  t.match(await one.rest(), [{ text: 'hi\n' }, { event: 'end', offset: 3 }])
  t.same(await other.rest(), [{ id: '0', event: 'end', stream: 'output', offset: 0 }])
  t.same(await polled, { text: '', offset: 0, next_offset: 0, ended: true })
})

t.test('returns plain text if requested', async t => {
  const app = await startApp(t)
  const id = await run(app, 'seq 1 50000')
  const plain = (query = '') => app.request('GET', `/calls/${id}/output${query}`, undefined, { accept: 'text/plain' })
  const whole = Array.from({ length: 50_000 }, (_, i) => `${i + 1}\n`).join('')
  const { body, headers } = await plain()
  t.equal(headers.get('content-type'), 'text/plain; charset=utf-8')
  t.ok(body === whole)
  t.equal((await plain('?offset=2&limit=4')).body, '2\n3\n')
  const missing = `/calls/tc_01J00000000000000000000000/output`
  for (const accept of ['text/plain', 'text/event-stream', 'application/json'])
    t.match(
      await app.request('GET', missing, undefined, { accept }),
      { status: 404, body: { code: 'NOT_FOUND' } },
      accept
    )
})

t.test('marks dropped output in the text too', async t => {
  const app = await startApp(t, {}, { settings: { output: { spill_bytes: 8_000 } } })
  const id = await run(app, 'seq 1 500000')
  const { body } = await app.request('GET', `/calls/${id}/output`, undefined, { accept: 'text/plain' })
  t.match(body, /^1\n2\n[^[]*\n\[\d+ bytes were dropped, from byte \d+\]\n[^[]*\n500000\n$/)
  const told = await (await listenToEvents(t, `${app.url}/calls/${id}/output`)).rest()
  t.equal(told.filter(({ dropped }) => dropped).length, 1)
})

t.test('a disconnected reader leaves nothing behind, and a slow one gets all', async t => {
  const app = await startApp(t)
  const id = await run(app, 'echo up; exec sleep 100', { background: true })
  const gone = await listenToEvents(t, `${app.url}/calls/${id}/output`)
  await gone.until(({ text }) => text === 'up\n')
  gone.close()
  await app.post(`/calls/${id}/cancel`, {})
  const much = await run(app, 'head -c 3000000 /dev/zero | tr "\\0" x')
  const response = await fetch(`${app.url}/calls/${much}/output`, {
    headers: { authorization: `Bearer ${TOKEN}`, accept: 'text/event-stream' }
  })
  // Another reader has all before this one begins.
  await (await listenToEvents(t, `${app.url}/calls/${much}/output`)).rest()
  const text = await response.text()
  const frames = new SseParser().push(Buffer.from(text)).map(({ data }) => JSON.parse(data).text ?? '')
  t.ok(frames.join('') === 'x'.repeat(3_000_000))
  t.match(text.slice(-200), /event: end\ndata: \{"stream":"output","offset":3000000\}\n\n$/)
})

t.test('a result can have the first bytes of long output alone, up to the last whole character', async t => {
  const app = await startApp(t)
  const run = (params: object) => runApproved(app, 'shell_exec', params)
  const { result } = await run({ command: "printf 'a€€'; seq 3000", head_bytes: 6 })
  t.match(result, { truncated: true, data: { output: 'a€', stdout: 'a€', truncated: true } })
  t.equal(result.content, 'a€\n[Output truncated after 6 bytes]\n[Exit code 0]')
  const short = await run({ command: "printf 'a€'", head_bytes: 4 })
  t.match(short.result, { content: 'a€\n[Exit code 0]', truncated: false, data: { output: 'a€', truncated: false } })
})
