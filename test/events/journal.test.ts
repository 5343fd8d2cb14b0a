// tier: quick
import t from 'tap'
import type { JournalEntry } from '../../src/events/frame.ts'
import { Journal } from '../../src/events/journal.ts'
import { Metrics } from '../../src/events/metrics.ts'
import { Sessions } from '../../src/events/sessions.ts'
import type { NewEvent } from '../../src/protocol/events.ts'
import { openJournal, progress } from './open-journal.ts'

t.test('events get increasing numbers, and are published in order once durable', async t => {
  const { journal, store } = await openJournal(t)
  const heard: number[] = []
  const stop = journal.listen(entries => {
    t.ok(entries.length > 0)
    for (const { seq } of entries) {
      heard.push(seq)
      t.ok(store.latestSeq() >= seq)
    }
  })
  const appended = [journal.append([progress(1), progress(2)]), journal.append([]), journal.append([progress(3)])]
  t.equal(journal.head, 0)
  t.equal(journal.last, 3)
  await appended[0]
  await Promise.all(appended)
  t.strictSame(heard, [1, 2, 3])
  t.equal(journal.head, 3)
  stop()
  await journal.append([progress(4)])
  t.strictSame(heard, [1, 2, 3])
  t.equal(new Journal(store).last, 4, 'numbers go on after a restart')
})

t.test('writes the data of an event with it, computed as late as possible', async t => {
  const { journal, store } = await openJournal(t)
  let value = 'early'
  const appended = journal.append([progress(1)], () => [['rule', 'r', value]])
  value = 'late'
  await appended
  t.strictSame(store.rules(), ['late'])
})

t.test('an event that cannot be written is not published', async t => {
  const { journal, store } = await openJournal(t)
  const heard: JournalEntry[] = []
  journal.listen(entries => heard.push(...entries))
  await journal.append([progress(1)])
  await t.rejects(
    journal.append([progress(2)], () => [['key', 'k', null, null, null]]),
    { code: 'OVERLOADED' }
  )
  await t.rejects(journal.append([progress(3)]), { code: 'OVERLOADED' })
  t.strictSame(
    heard.map(({ seq }) => seq),
    [1]
  )
  t.equal(journal.head, 1)
  t.equal(store.latestSeq(), 1)
})

t.test("publishes a session's changed state, once a turn", async t => {
  const { journal } = await openJournal(t)
  const sessions = new Sessions(journal)
  const told: string[] = []
  journal.listen(entries => {
    for (const { event } of entries) if (event.type === 'agent.state') told.push(`${event.session_id} ${event.state}`)
  })
  const settled = async () => {
    await new Promise(resolve => setImmediate(resolve))
    await journal.append([])
  }
  sessions.transition('a', undefined, 'tool_execution')
  sessions.transition('a', 'tool_execution', undefined)
  await settled()
  t.strictSame(told, [], 'a call answered at once makes no noise')
  sessions.transition('a', undefined, 'awaiting_approval')
  sessions.transition('b', undefined, 'tool_execution')
  t.strictSame(sessions.states(), { a: 'awaiting_approval', b: 'tool_execution' })
  await settled()
  sessions.transition('a', undefined, 'tool_execution')
  await settled()
  sessions.transition('a', 'awaiting_approval', 'tool_execution')
  await settled()
  sessions.transition('a', 'tool_execution', undefined)
  sessions.transition('b', 'tool_execution', undefined)
  await settled()
  sessions.transition('a', 'tool_execution', undefined)
  await settled()
  t.strictSame(told, ['a awaiting_approval', 'b tool_execution', 'a tool_execution', 'b idle', 'a idle'])
  t.strictSame(sessions.states(), {})
})

t.test('metrics count how calls end', async t => {
  const { journal } = await openJournal(t)
  const metrics = new Metrics(journal)
  t.strictSame(metrics.stats(), [])
  const ends = ['success', 'success', 'error', 'rejected', 'cancelled', 'interrupted', 'expired'] as const
  await journal.append(
    ends.map((status, n) => ({
      type: 'tool.result' as const,
      tool: 'b',
      status,
      ...(status === 'success' && { execution_time_ms: n + 1 })
    }))
  )
  await journal.append([{ type: 'tool.result', tool: 'a', status: 'rejected' }])
  const [a, b] = metrics.stats()
  t.strictSame(a, {
    tool: 'a',
    total: 1,
    success: 0,
    error: 0,
    rejected: 1,
    ended_otherwise: 0,
    average_ms: null,
    p50_ms: null,
    p95_ms: null,
    p99_ms: null
  })
  t.match(b, { total: 7, success: 2, error: 1, rejected: 1, ended_otherwise: 3, average_ms: 1.5 })
  t.ok(b!.p50_ms! >= 0.99 && b!.p50_ms! <= 1.01)
  t.ok(b!.p99_ms! >= 1.99 && b!.p99_ms! <= 2.01)
  const text = await metrics.prometheus({ toolgate_test: { help: 'A test.', value: 3 } })
  for (const line of [
    'toolgate_calls_total{tool="b",status="success"} 2',
    'toolgate_calls_total{tool="a",status="rejected"} 1',
    'toolgate_call_seconds_total{tool="b"} 0.003',
    'toolgate_events_total 8',
    'toolgate_journal_head 8',
    'toolgate_test 3'
  ])
    t.ok(text.includes(`\n${line}\n`), line)
})

t.test('counts the wait for a decision from its start, also before this run', async t => {
  const { store, journal: before } = await openJournal(t)
  const AGO_MS = 226_000
  const time = new Date(Date.now() - AGO_MS).toISOString()
  const asked = (id: string): NewEvent => ({
    type: 'tool.call',
    tool_call_id: id,
    tool: 'b',
    params: {},
    client: 'c',
    requires_approval: true
  })
  const decided = (id: string): NewEvent => ({ type: 'tool.decision', tool_call_id: id, decision: 'approved' })
  const seq = before.last + 1
  await store.write(() => [
    ['event', seq, time, 'tool.call', null, null, 'tc_1', JSON.stringify({ seq, time, ...asked('tc_1') })]
  ])
  const journal = new Journal(store)
  const metrics = new Metrics(journal)
  await journal.append([asked('tc_1'), asked('tc_2')])
  t.strictSame(metrics.approvalWait(), { total: 0, average_ms: null, p50_ms: null, p95_ms: null }, 'both wait still')
  await journal.append([decided('tc_1')])
  const { total, average_ms } = metrics.approvalWait()
  t.equal(total, 1)
  t.ok(average_ms! >= AGO_MS * 0.99, `shown anew, it still waits since it was first asked about: ${average_ms}`)
  await journal.append([asked('tc_1'), decided('tc_1'), decided('tc_3')])
  t.equal(metrics.approvalWait().total, 2, 'asked about again it waits again; what never waited does not count')
  t.ok(metrics.approvalWait().average_ms! < AGO_MS * 0.9, 'anew')
})
