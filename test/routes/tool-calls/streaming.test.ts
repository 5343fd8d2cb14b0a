// Tests of POST /tool-calls as an event stream: the events of all calls as they come, and the messages at the end.
// tier: quick
import t, { type Test } from 'tap'
import { Gate, gatedTools } from '../../gated-tools.ts'
import { CALL_TOKEN, type Json, listenToEvents, startApp, type TestApp, toApproval } from '../../start-app.ts'
import { waitUntil } from '../../support/wait.ts'
import { chat, chatCall } from './messages.ts'

const RESTRICTED = { authorization: `Bearer ${CALL_TOKEN}` }

/** Sends a message and listens to the stream of its calls. */
const stream = (t: Test, app: TestApp, message: object, query = '', headers: Record<string, string> = RESTRICTED) =>
  listenToEvents(
    t,
    `${app.url}/tool-calls?format=openai${query}`,
    { 'content-type': 'application/json', ...headers },
    { method: 'POST', body: JSON.stringify(message) }
  )

const ofCalls = (events: Json[]) => events.filter(({ event }) => event.startsWith('tool.') || event === 'call')

t.test('streams the events of its calls alone, then the messages', async t => {
  const app = await startApp(t, { 'a.txt': 'one\n', 'b.txt': 'two\n' })
  const message = chat(
    chatCall('1', 'edit_file', { path: 'a.txt', old: 'one', new: 'uno' }),
    chatCall('2', 'read_file', { path: 'b.txt' }),
    chatCall('3', 'no_such_tool', {})
  )
  const { until, rest, response } = await stream(t, app, message)
  t.match(response.headers.get('content-type'), /^text\/event-stream/)
  const events = await until(({ type, approval }) => type === 'tool.call' && approval)
  t.equal(events[0].type, 'stream.snapshot')
  await app.call('read_file', { path: 'b.txt' })
  await app.post('/approve', toApproval(events.at(-1)))
  events.push(...(await rest()))

  const taken = events.filter(({ event }) => event === 'call')
  t.strictSame(taken.map(({ id }) => id).sort(), ['1', '2'], 'a refused request is no call')
  const ids = new Set(taken.map(({ tool_call_id }) => tool_call_id))
  t.ok(ofCalls(events).every(({ tool_call_id }) => ids.has(tool_call_id)))
  for (const { tool_call_id } of taken) {
    const own = ofCalls(events).filter(event => event.tool_call_id === tool_call_id)
    t.strictSame([own[0].event, own[1].event, own.at(-1).event], ['call', 'tool.call', 'tool.result'])
  }
  const { event, type, id: _, ...last } = events.at(-1)
  t.strictSame([event, type], ['messages', 'messages'])
  t.strictSame(last, await app.post('/tool-calls?format=openai', message, RESTRICTED), 'the answer without a stream')
})

t.test('the same message again follows calls from where they stand, to the end of the wait', async t => {
  const app = await startApp(t, { 'a.txt': 'one\n' })
  const message = chat(chatCall('1', 'edit_file', { path: 'a.txt', old: 'one', new: 'uno' }))
  const first = await stream(t, app, message, '&wait_ms=0')
  const [waits] = (await first.rest()).slice(-1)
  t.match(waits, { event: 'messages', pending: ['1'], calls: [{ status: 'awaiting_approval' }] })
  const { tool_call_id } = waits.calls[0]

  const second = await stream(t, app, message)
  const [snapshot, joined] = await second.type('call')
  t.match(snapshot, { event: 'stream.snapshot', pending: [{ tool_call_id }] })
  t.strictSame(joined.tool_call_id, tool_call_id)
  await app.post('/approve', toApproval(snapshot.pending[0]))
  const rest = await second.rest()
  t.match(ofCalls(rest).at(-1), { event: 'tool.result', status: 'success' })
  t.match(rest.at(-1), { event: 'messages', pending: [], calls: [{ status: 'success', tool_call_id }] })
})

t.test('speaks the names of a toolset', async t => {
  const app = await startApp(t, { 'a.txt': 'one\n' })
  const { tools } = await app.get('/tools?format=openai&toolset=codey')
  const name = tools.map((tool: Json) => tool.function.name).find((each: string) => each.endsWith('read_file'))
  const message = chat(chatCall('1', name, { path: 'a.txt' }))
  const events = await (await stream(t, app, message, '&toolset=codey')).rest()
  t.match(events.at(-1), { calls: [{ status: 'success' }] })
  t.strictSame([...new Set(ofCalls(events).flatMap(({ tool }) => tool ?? []))], [name])
})

t.test('calls go on without their sender, unless it wants them cancelled', async t => {
  const gate = new Gate()
  const app = await startApp(t, {}, { tools: gatedTools(gate) })
  const message = (name: string) => chat(chatCall(name, 'held_read', { name }), chatCall('next', 'held_read', { name }))
  for (const [on_disconnect, status] of [
    ['continue', 'running'],
    ['cancel', 'cancelled']
  ] as const) {
    const query = `&session_id=${on_disconnect}&on_disconnect=${on_disconnect}`
    const { until, close } = await stream(t, app, message(on_disconnect), query)
    const events = await until(({ event }) => event === 'call')
    await gate.waitForArrival(on_disconnect)
    close()
    await waitUntil(`${status} calls`, async () => {
      const call = await app.get(`/calls/${events.at(-1).tool_call_id}`)
      return call.status === status
    })
  }
  const joined = app.post('/tool-calls?format=openai&session_id=continue', message('continue'), RESTRICTED)
  gate.open('continue')
  t.match(await joined, { calls: [{ status: 'success' }, { status: 'success' }] })
  t.match(await app.post('/tool-calls?format=openai&session_id=cancel', message('cancel'), RESTRICTED), {
    calls: [{ status: 'cancelled' }, { status: 'cancelled' }],
    messages: [{ content: 'The call was cancelled: The client disconnected.' }, {}]
  })
})

t.test('a message that is refused is no stream', async t => {
  const app = await startApp(t)
  const { response } = await stream(t, app, { role: 'user' })
  t.equal(response.status, 400)
  t.match(response.headers.get('content-type'), /problem\+json/)
})
