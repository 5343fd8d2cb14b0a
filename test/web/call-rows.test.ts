// Tests that a row made from the events of a call is the same as one made from the call, on a server with real calls.
// tier: quick
import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { connect, type Event } from '../../src/client/client.ts'
import { applyEvent, type CallRow, toCallRow } from '../../web/activity/call-row.ts'
import { callIdOf } from '../../web/activity/events.ts'
import { startApp, TOKEN } from '../start-app.ts'
import { runs } from '../support/property.ts'

/** Calls that succeed, fail, change files in several ways, and wait. */
const REQUESTS = fc.oneof(
  fc.record({ tool: fc.constant('read_file'), params: fc.record({ path: fc.constantFrom('a.txt', 'none.txt') }) }),
  fc.record({ tool: fc.constant('grep'), params: fc.record({ pattern: fc.constantFrom('one', '(') }) }),
  fc.record({
    tool: fc.constant('write_file'),
    params: fc.record({ path: fc.constantFrom('a.txt', 'b.txt', 'new/c.txt'), content: fc.string({ maxLength: 400 }) })
  }),
  fc.record({
    tool: fc.constant('edit_file'),
    params: fc.record({ path: fc.constant('a.txt'), old: fc.constantFrom('one', 'none'), new: fc.constant('1\n2') })
  }),
  fc.record({ tool: fc.constant('delete_file'), params: fc.record({ path: fc.constantFrom('a.txt', 'b.txt') }) })
)
const DECISIONS = fc.constantFrom('approve', 'reject', 'cancel', 'none')
const STEPS = fc.record({
  request: REQUESTS,
  decision: DECISIONS,
  session_id: fc.constantFrom('one', 'two & three'),
  agent: fc.option(fc.constantFrom('coder', 'reviewer'), { nil: undefined })
})
type Step = typeof STEPS extends fc.Arbitrary<infer S> ? S : never

t.test('rows from calls and from events are the same', async t => {
  const { url, write } = await startApp(t)
  const client = connect({ url, token: TOKEN, client: 'test' })
  const statuses = new Set<string>()

  async function play({ request: { tool, params }, decision, session_id, agent }: Step) {
    const call = await client.call(tool, params, { session_id, ...(agent !== undefined && { agent }) })
    if (call.status !== 'awaiting_approval') return call.tool_call_id
    const { tool_call_id: id, approval } = call
    if (decision === 'approve') await client.approve(id, { digest: approval.digest, confirm: true, wait_ms: 120_000 })
    if (decision === 'reject') await client.reject(id, { reason: 'no thanks' })
    if (decision === 'cancel') await client.cancel(id)
    return id
  }

  await fc.assert(
    fc.asyncProperty(fc.array(STEPS, { minLength: 1, maxLength: 3 }), async steps => {
      write('a.txt', 'one\ntwo\n')
      const { head } = await client.state()
      const ids = new Set<string>()
      for (const step of steps) ids.add(await play(step))
      const { calls } = await client.calls({ limit: 500 })
      const fromCalls = calls.filter(({ tool_call_id: id }) => ids.has(id))
      const fromEvents = rowsOfEvents(await readEvents(head), ids)
      assert.equal(fromCalls.length, ids.size)
      for (const call of fromCalls) {
        statuses.add(call.status)
        assert.deepEqual(withoutTimes(fromEvents.get(call.tool_call_id)!), withoutTimes(toCallRow(call)))
      }
    }),
    runs(100)
  )
  t.strictSame([...statuses].sort(), ['awaiting_approval', 'cancelled', 'error', 'rejected', 'success'])

  /** Reads the events between a position and now. */
  async function readEvents(after: number): Promise<Event[]> {
    const { head } = await client.state()
    const events: Event[] = []
    for await (const event of client.events({ after })) {
      if (event.type === 'stream.snapshot') continue
      events.push(event)
      if (event.seq >= head) break
    }
    return events
  }
})

function rowsOfEvents(events: readonly Event[], ids: ReadonlySet<string>): Map<string, CallRow> {
  const rows = new Map<string, CallRow>()
  for (const event of events) {
    const id = callIdOf(event)
    if (id !== undefined && ids.has(id)) rows.set(id, applyEvent(rows.get(id), event, id))
  }
  return rows
}

/** An event is published after the time that its call has. It is known for both which times there are. */
function withoutTimes({ createdAt, decidedAt, startedAt, endedAt, ...row }: CallRow) {
  return { ...row, times: [createdAt, decidedAt, startedAt, endedAt].map(time => time !== undefined) }
}
