// tier: quick
import t from 'tap'
import type { EventFilter } from '../../src/events/event-streams.ts'
import { encodeTransientFrame } from '../../src/events/frame.ts'
import { progress, TestSink } from './open-journal.ts'
import { from, has, openStreams } from './open-streams.ts'

t.test('a stream starts with a snapshot and continues with live events', async t => {
  const { open, append, journal } = await openStreams(t, {}, () => [{ tool_call_id: 'tc_1' }])
  await append(3)
  const sink = open()
  t.equal(sink.buffers[0]!.toString('utf8', 0, 13), 'retry: 1000\n\n')
  const { data, ...first } = sink.frames[0]!
  t.match(first, { id: `${journal.id}-3`, event: 'stream.snapshot' })
  t.match(data, {
    seq: 3,
    journal_id: journal.id,
    instance: 'i',
    head: 3,
    pending: [{ tool_call_id: 'tc_1' }],
    running: []
  })
  await append(2)
  await sink.until(has(5))
  t.strictSame(sink.seqs, [4, 5])
  const { time, ...told } = sink.frames[1]!.data
  t.strictSame(told, {
    seq: 4,
    type: 'tool.progress',
    session_id: 's0',
    workspace: 'w1',
    tool_call_id: 'tc_4',
    message: '4'
  })
  t.equal(new Date(time).toISOString(), time)
  t.match(sink.frames[2], { id: `${journal.id}-5`, event: 'tool.progress' })
})

t.test('a stream of an owner has only what it may follow, from disk and live', async t => {
  const { open, append } = await openStreams(t)
  await append(600)
  const filter = { owner: 'tc_1' }
  const sink = open({ after: 10, filter })
  await sink.until(has(596))
  await append(10)
  await sink.until(has(606))
  t.strictSame(
    sink.seqs,
    from(11, 606).filter(seq => seq % 5 === 1)
  )
  t.strictSame(open({ after: 601, filter }).seqs, [606])
})

t.test('a stream resumes after any event, without naming a later position first', async t => {
  const { open, append, journal } = await openStreams(t)
  await append(600)
  const sink = open({ after: `${journal.id}-10` })
  t.equal(sink.frames[0]!.id, undefined)
  await sink.until(has(600))
  t.strictSame(sink.seqs, from(11, 600))
  t.strictSame(open({ after: 600 }).seqs, [])
  t.equal(open({ after: 600 }).frames[0]!.id, `${journal.id}-600`)
})

t.test('reports a position that the journal does not hold', async t => {
  const { open, append, store } = await openStreams(t)
  await append(20)
  await store.retain({ before: { seq: 99, n: 99 }, max_bytes: 1e9 })
  const old = open({ after: 5 })
  t.match(old.frames[1], { id: undefined, event: 'stream.gap', data: { reason: 'dropped', asked: 5, oldest: 20 } })
  await old.until(has(20))
  t.strictSame(old.seqs, [20], 'what is left is told')
  t.equal(open({ after: 19 }).frames[1]?.event !== 'stream.gap', true, 'nothing is missing after 19')
  const ahead = open({ after: 99 })
  t.match(ahead.frames[1], { event: 'stream.gap', data: { reason: 'ahead', asked: 99, oldest: 20 } })
  await append(1)
  await ahead.until(has(21))
  t.strictSame(ahead.seqs, [21])
})

t.test('an id of another journal is answered with a gap, and events from now on', async t => {
  const { open, append, journal } = await openStreams(t)
  await append(20)
  const other = open({ after: 'abcdefabcdef-5' })
  t.strictSame(
    other.frames.map(({ id, event }) => [id, event]),
    [
      [`${journal.id}-20`, 'stream.snapshot'],
      [`${journal.id}-20`, 'stream.gap']
    ],
    'whoever comes back once more has the id of this journal'
  )
  const { time: _, ...gap } = other.frames[1]!.data
  t.strictSame(gap, { type: 'stream.gap', seq: 20, reason: 'other_journal', asked: 5, oldest: 1 })
  await append(1)
  await other.until(has(21))
  t.strictSame(other.seqs, [21])
})

t.test('publishes durable but unpublished events in order', async t => {
  const { open, append, store } = await openStreams(t)
  await append(3)
  await store.write(() => [['event', 4, '2026', 'tool.progress', null, null, null, '{"seq":4}']])
  const sink = open({ after: 0 })
  await sink.until(has(3))
  await new Promise(resolve => setImmediate(resolve))
  t.strictSame(sink.seqs, [1, 2, 3])
})

t.test('filters apply to past and live events', async t => {
  const { open, append } = await openStreams(t)
  await append(30)
  const cases: [EventFilter, (n: number) => boolean][] = [
    [{ session_id: 's1' }, n => n % 2 === 1],
    [{ workspace: 'w2' }, n => n % 3 === 2],
    [{ tool_call_id: 'tc_3' }, n => n % 5 === 3],
    [{ types: ['tool.progress', 'tool.call'] }, () => true],
    [{ types: ['tool.call'] }, () => false],
    [{ session_id: 's1', workspace: 'w2', tool_call_id: 'tc_0' }, n => n % 30 === 5]
  ]
  const sinks = cases.map(([filter]) => open({ after: 0, filter }))
  const all = open({ after: 0 })
  await all.until(has(30))
  await append(31)
  await all.until(has(61))
  for (const [i, [filter, wanted]] of cases.entries())
    t.strictSame(sinks[i]!.seqs, from(1, 61).filter(wanted), JSON.stringify(filter))
})

t.test('a stalled reader blocks no one, gets a bounded amount, and continues when it can', async t => {
  const { open, append } = await openStreams(t, { reader_bytes: 100_000 })
  const [slow, fast] = [open(), open()]
  slow.capacity = false
  for (let i = 0; i < 40; i += 1) await append(50, { message: 'x'.repeat(500) })
  await fast.until(has(2_000))
  t.strictSame(fast.seqs, from(1, 2_000))
  t.ok(slow.maxPending < 250_000, `${slow.maxPending} bytes wait`)
  t.equal(slow.state, 'open')
  slow.capacity = true
  slow.drain()
  await slow.until(has(2_000))
  t.strictSame(slow.seqs, from(1, 2_000))
})

t.test('a stalled reader far behind gets a bounded amount too', async t => {
  const { open, append } = await openStreams(t, { reader_bytes: 100_000 })
  const fast = open()
  for (let i = 0; i < 100; i += 1) await append(1, { message: 'x'.repeat(60_000) })
  await fast.until(has(100))
  const slow = open({ after: 0 })
  slow.capacity = false
  await append(1)
  await fast.until(has(101))
  await new Promise(resolve => setImmediate(resolve))
  t.ok(slow.maxPending < 250_000, `${slow.maxPending} bytes wait`)
  const atOnce = open({ after: 101 })
  atOnce.capacity = false
  await append(50, { message: 'x'.repeat(60_000) })
  await fast.until(has(151))
  t.ok(atOnce.maxPending < 250_000, `${atOnce.maxPending} bytes wait after one large commit`)
  for (const sink of [slow, atOnce]) {
    sink.capacity = true
    sink.drain()
    await sink.until(has(151))
  }
  t.strictSame(slow.seqs, from(1, 151))
  t.strictSame(atOnce.seqs, from(102, 151))
})

t.test('disconnects a reader that stalls too long, which can resume', async t => {
  const { open, append, streams } = await openStreams(t, { reader_bytes: 1_000, stall_ms: 30 })
  const [slow, idle] = [open(), open({ filter: { types: ['tool.call'] } })]
  slow.capacity = false
  await append(50)
  await slow.until(sink => sink.state === 'destroyed')
  t.equal(idle.state, 'open', 'one that has nothing to take is not')
  t.equal(streams.readers, 1)
  const had = slow.seqs
  t.strictSame(had, from(1, had.length))
  const again = open({ after: had.length })
  await again.until(has(50))
  t.strictSame(again.seqs, from(had.length + 1, 50))
})

t.test('does not disconnect a slow reader', async t => {
  const { streams, append } = await openStreams(t, { reader_bytes: 1_000, stall_ms: 30 })
  const { promise: looked, resolve } = Promise.withResolvers<void>()
  let looks = 0
  class Slow extends TestSink {
    override get pending() {
      looks += 1
      if (looks === 20) resolve()
      return 1_000_000 - looks
    }
    override set pending(_) {}
  }
  const slow = new Slow()
  streams.open(slow, { filter: {} })
  await append(50)
  await looked
  t.equal(slow.state, 'open')
})

t.test('limits a frame to 64 KiB; omitted fields can be fetched', async t => {
  const { open, journal } = await openStreams(t)
  const sink = open()
  const call = { session_id: 's', workspace: 'w', tool_call_id: 'tc_1' }
  await journal.append([
    {
      type: 'tool.call',
      ...call,
      tool: 'write_file',
      params: { content: 'é'.repeat(40_000) },
      requires_approval: false,
      client: 'c'
    }
  ])
  await journal.append(
    [{ type: 'tool.result', ...call, tool: 'write_file', status: 'success' }],
    undefined,
    JSON.stringify({ content: 'x'.repeat(70_000) })
  )
  await journal.append(
    [{ type: 'tool.result', ...call, tool: 'write_file', status: 'success' }],
    undefined,
    JSON.stringify({ content: 'x'.repeat(60_000) })
  )
  await sink.until(has(3))
  const [large, result, fits] = sink.frames.slice(1).map(({ data: { time: _, ...data } }) => data)
  t.strictSame(large, {
    seq: 1,
    type: 'tool.call',
    ...call,
    tool: 'write_file',
    requires_approval: false,
    client: 'c',
    truncated: true,
    href: '/calls/tc_1'
  })
  t.strictSame(result, {
    seq: 2,
    type: 'tool.result',
    ...call,
    tool: 'write_file',
    status: 'success',
    truncated: true,
    href: '/calls/tc_1'
  })
  t.equal(fits.result.content.length, 60_000)
  t.ok(sink.frames.every(({ size }) => size <= 65_536))
})

t.test('a snapshot over 64 KiB links to its content', async t => {
  const many = Array.from({ length: 100 }, (_, n) => ({ tool_call_id: `tc_${n}`, params: 'x'.repeat(2_000) }))
  const { open } = await openStreams(t, {}, () => many)
  const [first] = open().frames
  t.ok(first!.size <= 65_536)
  t.match(first!.data, { instance: 'i', head: 0, pending: [], running: [], truncated: true, href: '/state' })
})

t.test('readers with the same filter share the same bytes', async t => {
  const { open, append } = await openStreams(t)
  const [one, two, other] = [open(), open(), open({ filter: { session_id: 's1' } })]
  await append(1)
  await Promise.all([one, two, other].map(sink => sink.until(has(1))))
  t.equal(one.buffers[1], two.buffers[1])
  t.equal(one.buffers[1], other.buffers[1])
})

t.test('sends keep-alives on a quiet stream', async t => {
  const { open } = await openStreams(t, { heartbeat_ms: 20, stall_ms: 20 })
  const sink = open()
  await sink.until(({ comments }) => comments >= 2)
  t.equal(sink.frames.length, 1)
  t.equal(String(sink.buffers.at(-1)), `: keep-alive\n`, 'without the blank line that some clients take for an event')
})

t.test('a stream may end with an event', async t => {
  const { open, append, streams } = await openStreams(t)
  const until = ({ type }: { type: string }) => type === 'tool.result'
  const result = { type: 'tool.result', tool: 'x', status: 'success' }
  await append(2)
  await append(1, result)
  await append(1)
  const replayed = open({ after: 0, until })
  await replayed.until(sink => sink.state === 'ended')
  t.strictSame(replayed.seqs, [1, 2, 3])
  const live = open({ until })
  await append(1)
  await append(1, result)
  await live.until(sink => sink.state === 'ended')
  t.strictSame(live.seqs, [5, 6])
  t.equal(streams.readers, 0)
})

t.test('a stream of a growing selection of calls may end with a last frame, after all events before it', async t => {
  const { open, append, streams, journal } = await openStreams(t, { reader_bytes: 10_000 })
  const selected = new Set(['tc_1'])
  const select = (name: string) => ({ calls: { name, has: (id: string) => selected.has(id) } })
  const last = encodeTransientFrame('messages', { type: 'messages' })
  await append(5)
  const [live, slow, other] = [open({ filter: select('a') }), open({ filter: select('b') }), open()]
  slow.capacity = false
  await append(10, { message: 'x'.repeat(5_000) })
  selected.add('tc_2')
  live.reader.send(encodeTransientFrame('call', { tool_call_id: 'tc_2' }))
  await append(10, { message: 'x'.repeat(5_000) })
  const waits = journal.append([progress(26)])
  for (const { reader } of [live, slow]) reader.end(last)
  t.equal(live.state, 'open', 'an event before it is not published yet')
  await waits
  await append(5)
  await other.until(has(31))
  await live.until(sink => sink.state === 'ended')
  t.equal(slow.state, 'open', 'a slow reader has not had all events')
  for (let i = 0; i < 20; i += 1) slow.drain()
  slow.capacity = true
  slow.drain()
  await slow.until(sink => sink.state === 'ended')
  for (const sink of [live, slow]) {
    const missed = [6, 11, 16, 17, 21, 22, 26].filter(seq => !sink.seqs.includes(seq))
    t.strictSame(missed, [])
    t.equal(sink.frames.at(-1)!.event, 'messages')
  }
  t.equal(streams.readers, 1)
})

t.test('closing ends every stream, and a disconnected reader receives nothing more', async t => {
  const { open, append, streams } = await openStreams(t)
  const [gone, stays] = [open(), open()]
  await append(1)
  await Promise.all([gone, stays].map(sink => sink.until(has(1))))
  gone.reader.close()
  t.equal(streams.readers, 1)
  await append(1)
  await stays.until(has(2))
  t.strictSame(gone.seqs, [1])
  streams.close()
  t.equal(stays.state, 'ended')
  t.equal(streams.readers, 0)
  await append(1)
  t.strictSame(stays.seqs, [1, 2])
})
