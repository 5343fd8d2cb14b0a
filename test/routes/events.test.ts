// tier: full
import { request } from 'node:http'
import fc from 'fast-check'
import t from 'tap'
import { Gate, gatedTools } from '../gated-tools.ts'
import { createNormalizer } from '../normalizer.ts'
import { type Json, startApp, TOKEN, toApproval } from '../start-app.ts'
import { runs } from '../support/property.ts'
import { waitUntil } from '../support/wait.ts'

const typesOf = (events: Json[]) => events.map(({ event }) => event)

t.test('publishes all events in order, from the request to the result', async t => {
  const app = await startApp(t, { 'a.txt': 'one\n' })
  const normal = createNormalizer()
  const events = await app.events()
  t.match(events.response.headers.get('content-type'), /^text\/event-stream/)
  t.equal(events.response.headers.get('cache-control'), 'no-cache')
  const snapshot = (await events.type('stream.snapshot'))[0]
  t.match(snapshot, { head: 0, pending: [], running: [], instance: (await app.get('/health')).instance })
  const asked = await app.call('edit_file', { path: 'a.txt', old: 'one', new: 'two' }, { session_id: 's' })
  await app.request('POST', '/approve?wait_ms=120000', toApproval(asked), { 'x-toolgate-client': 'emacs' })
  const told = await events.type('agent.state', ({ state }) => state === 'idle')
  const about = { session_id: 's', workspace: 'default', tool_call_id: 'tc_1', time: 'TIME' }
  const [call, waiting, decision, running, changed, result, idle] = normal(
    told.map(({ seq: _, id: __, event: ___, ...event }) => event)
  )
  t.strictSame(call, {
    type: 'tool.call',
    ...about,
    tool: 'edit_file',
    params: { path: 'a.txt', old: 'one', new: 'two' },
    client: 'node',
    requires_approval: true,
    approval: normal(asked.approval)
  })
  t.strictSame(waiting, { type: 'agent.state', session_id: 's', state: 'awaiting_approval', time: 'TIME' })
  t.strictSame(decision, {
    type: 'tool.decision',
    ...about,
    decision: 'approved',
    by: { source: 'user', client: 'emacs', at: 'TIME', digest: 'DIGEST' }
  })
  t.strictSame(running, { type: 'agent.state', session_id: 's', state: 'tool_execution', time: 'TIME' })
  const done = await app.get(`/calls/${asked.tool_call_id}`)
  t.strictSame(changed, {
    type: 'file.changed',
    ...about,
    ...done.changes[0],
    by: { tool_call_id: 'tc_1' }
  })
  t.strictSame(result, {
    type: 'tool.result',
    ...about,
    tool: 'edit_file',
    status: 'success',
    execution_time_ms: 'MS',
    result: normal(done.result)
  })
  t.strictSame(idle, { type: 'agent.state', session_id: 's', state: 'idle', time: 'TIME' })
  const seqs = told.map(({ seq }) => seq)
  t.strictSame(
    seqs,
    seqs.toSorted((a, b) => a - b)
  )
  const { journal_id } = snapshot
  t.ok(told.slice(1).every(({ seq, id }) => id === `${journal_id}-${seq}`))
})

t.test('a client that reconnects with its last id misses nothing and gets nothing twice', async t => {
  const app = await startApp(t, { 'a.txt': 'one' })
  for (let n = 0; n < 30; n += 1)
    await app.call('todo_write', { todos: [{ content: `${n}`, status: 'pending' }] }, { session_id: `s${n % 3}` })
  const last = (await app.call('todo_read', {}, { session_id: 'last' })).tool_call_id
  const isLast = (event: Json) => event.event === 'tool.result' && event.tool_call_id === last
  const all = (await (await app.events('?after=0')).until(isLast)).slice(1)
  await fc.assert(
    fc.asyncProperty(
      fc.nat(all.length - 2),
      fc.boolean(),
      fc.constantFrom('', 's0', 's1'),
      async (cut, header, session) => {
        const from = all[cut].seq
        const filter = session && `session_id=${session}&`
        const events = header
          ? await app.events(`?${filter}after=0`, { 'last-event-id': String(from) })
          : await app.events(`?${filter}after=${from}`)
        const wanted = all.filter(event => event.seq > from && (session === '' || event.session_id === session))
        if (wanted.length === 0) return events.close()
        const got = (
          await events.until(event => event.seq === wanted.at(-1).seq && event.event !== 'stream.snapshot')
        ).slice(1)
        events.close()
        if (
          JSON.stringify(got.map(({ id: _, ...event }) => event)) !==
          JSON.stringify(wanted.map(({ id: _, ...event }) => event))
        )
          throw new Error(`after ${from}: ${got.map(({ seq }) => seq)}`)
      }
    ),
    runs(60)
  )
})

t.test('a stream has only the requested events', async t => {
  const app = await startApp(t, { 'a.txt': 'one' })
  const filtered = await app.events('?session_id=s1&types=tool.result,%20tool.call')
  await filtered.type('stream.snapshot')
  await app.call('read_file', { path: 'a.txt' }, { session_id: 's2' })
  const call = await app.call('read_file', { path: 'a.txt' }, { session_id: 's1' })
  const told = await filtered.type('tool.result')
  t.strictSame(typesOf(told), ['tool.call', 'tool.result'])
  t.ok(told.every(({ tool_call_id }) => tool_call_id === call.tool_call_id))
  const one = await app.events(`?after=0&tool_call_id=${call.tool_call_id}`)
  t.strictSame(typesOf(await one.type('tool.result')), ['stream.snapshot', 'tool.call', 'tool.result'])
  const none = await app.events('?after=0&workspace=other')
  const marker = await app.call('todo_read', {})
  const all = await app.events('?after=0')
  await all.type('tool.result', event => event.tool_call_id === marker.tool_call_id)
  none.close()
  t.strictSame(none.seen, [])
  for (const query of ['types=x', 'after=-1', 'after=x', 'after=1.5', 'unknown=1'])
    t.match(
      await app.request('GET', `/events?${query}`, undefined, { accept: 'text/event-stream' }),
      {
        status: 400,
        body: { code: 'INVALID_PARAMS' }
      },
      query
    )
  const wrong = await app.request('GET', '/events', undefined, { accept: 'text/event-stream', 'last-event-id': 'x' })
  t.match(wrong, { status: 400, body: { errors: [{ in: 'header' }] } })
})

t.test('reports a position that the journal no longer or not yet holds', async t => {
  const app = await startApp(t)
  await app.call('todo_read', {})
  const ahead = await app.events('?after=99999')
  t.match((await ahead.type('stream.gap')).at(-1), { asked: 99_999, oldest: 1 })
  const next = await app.call('todo_read', {})
  await ahead.type('tool.result', event => event.tool_call_id === next.tool_call_id)
})

t.test('publishes progress while a command runs, and drops it once ended', async t => {
  const app = await startApp(t)
  const asked = await app.call('shell_exec', { command: 'echo first; read line; echo "$line"', stdin: 'second\n' })
  const events = await app.events(`?tool_call_id=${asked.tool_call_id}`)
  await app.post('/approve', {
    tool_call_id: asked.tool_call_id,
    digest: asked.approval.digest,
    confirm: true
  })
  const told = await events.type('tool.result')
  const deltas = told.filter(({ event }) => event === 'tool.progress').map(({ delta }) => delta)
  const output = { stdout: '', output: '' } as Record<string, string>
  for (const { stream, text, offset } of deltas) {
    if (output[stream] === undefined) output[stream] = ''
    t.equal(offset, Buffer.byteLength(output[stream]))
    output[stream] += text
  }
  t.equal(output.stdout || output.output, 'first\nsecond\n')
  const later = await app.events(`?after=0&tool_call_id=${asked.tool_call_id}`)
  t.strictSame(typesOf(await later.type('tool.result')), [
    'stream.snapshot',
    'tool.call',
    'tool.decision',
    'tool.result'
  ])
})

t.test('a session publishes its state', async t => {
  const gate = new Gate()
  const app = await startApp(t, { 'a.txt': 'one' }, { tools: gatedTools(gate) })
  const events = await app.events('?types=agent.state')
  const state = async (session_id: string, wanted: string) =>
    events.type('agent.state', event => event.session_id === session_id && event.state === wanted)
  const held = app.call('held_create', { name: 'a' }, { session_id: 's' })
  await state('s', 'tool_execution')
  const asked = await app.call('delete_file', { path: 'a.txt' }, { session_id: 's' })
  t.match(await app.get('/state'), { sessions: { s: 'tool_execution' } })
  gate.open('a')
  await held
  await state('s', 'awaiting_approval')
  t.match(await app.get('/state'), { sessions: { s: 'awaiting_approval' } })
  await app.post('/reject', { tool_call_id: asked.tool_call_id })
  await state('s', 'idle')
  t.strictSame((await app.get('/state')).sessions, {})
})

t.test('a client that does not read is disconnected in the end, slows no one, and can resume', async t => {
  const app = await startApp(
    t,
    {},
    { settings: { events: { heartbeat_ms: 15_000, reader_bytes: 65_536, stall_ms: 2_000 } } }
  )
  const todos = Array.from({ length: 400 }, () => ({ content: 'x'.repeat(100), status: 'pending' }))
  const fast = await app.events()
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const received: Buffer[] = []
  const slow = request(`${app.url}/events`, {
    headers: { authorization: `Bearer ${TOKEN}`, accept: 'text/event-stream' }
  })
  slow.on('response', response => {
    response.once('data', (bytes: Buffer) => {
      received.push(bytes)
      response.pause()
    })
    response.on('data', (bytes: Buffer) => received.push(bytes))
    response.on('error', () => resolve())
    response.on('end', () => resolve())
    slow.on('paused', () => response.resume())
  })
  slow.on('error', () => resolve())
  slow.end()
  await waitUntil('the first bytes', () => received.length > 0)
  // Exceeds the socket buffers.
  const last = `tc_${'9'.repeat(26)}`
  const reading = fast.type('tool.result', event => event.tool_call_id === last)
  for (let n = 1; n < 250; n += 1) await app.call('todo_write', { todos })
  await app.call('todo_write', { todos }, { tool_call_id: last })
  const told = await reading
  t.equal(told.filter(({ event }) => event === 'tool.result').length, 250)
  await waitUntil(
    'one event reader',
    async () => (await app.get('/metrics')).match(/toolgate_event_readers (\d+)/)[1] === '1'
  )
  slow.emit('paused')
  await ended
  const text = Buffer.concat(received).toString()
  t.notOk(text.includes(last), 'it did not get all')
  const id = [...text.slice(0, text.lastIndexOf('\n\n')).matchAll(/^id: ([0-9a-f]{12}-\d+)$/gm)].at(-1)![1]!
  const again = await app.events('', { 'last-event-id': id })
  const rest = await again.type('tool.result', event => event.tool_call_id === last)
  t.strictSame(
    rest.slice(1).map(({ seq }) => seq),
    told.map(({ seq }) => seq).filter(seq => seq > Number(id.split('-')[1]))
  )
})
