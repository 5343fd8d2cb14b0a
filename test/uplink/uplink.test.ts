// The way of the journal to a hub that is away, refuses events, or comes too late for some.
// tier: quick
import t, { type Test } from 'tap'
import type { UplinkBatch, UplinkEvent, UplinkGap } from '../../src/protocol/uplink.ts'
import { HubRefusal } from '../../src/uplink/hub-client.ts'
import { Uplink } from '../../src/uplink/uplink.ts'
import { waitUntil } from '../support/wait.ts'

const SILENT = { info() {}, warn() {}, error() {} }

/** Starts an uplink from a journal with these numbers of events to a hub that stores what it does not refuse. */
function connect(
  t: Test,
  { numbers, dropped = 0, refused = [] }: { numbers: number[]; dropped?: number; refused?: number[] }
) {
  const listeners = new Set<() => void>()
  const hub = { events: [] as UplinkEvent[], gaps: [] as UplinkGap[], isAway: false, stored: 0, requests: 0 }
  const uplink = new Uplink({
    journal: {
      id: '0123456789ab',
      get head() {
        return numbers.at(-1) ?? 0
      },
      oldest: dropped + 1,
      since: (after, limit) =>
        numbers
          .filter(seq => seq > after && seq > dropped)
          .slice(0, limit)
          .map(seq => ({
            seq,
            type: 'agent.state',
            session_id: null,
            workspace: null,
            tool_call_id: null,
            data: JSON.stringify({ seq, time: '2030-01-01T00:00:00.000Z', type: 'agent.state' }),
            result: null
          })),
      listen: listener => {
        const notify = () => listener([])
        listeners.add(notify)
        return () => listeners.delete(notify)
      }
    },
    hub: {
      url: 'http://127.0.0.1:7780',
      readPosition: async () => {
        if (hub.isAway) throw new Error('fetch failed')
        return hub.stored
      },
      sendEvents: async ({ events, gap }: UplinkBatch) => {
        hub.requests += 1
        if (hub.isAway) throw new Error('fetch failed', { cause: new Error('connect ECONNREFUSED') })
        if (events.some(({ seq }) => refused.includes(seq))) throw new HubRefusal('The hub returned status 400')
        hub.events.push(...events.filter(({ seq }) => seq > hub.stored))
        if (gap) hub.gaps.push(gap)
        hub.stored = Math.max(hub.stored, events.at(-1)?.seq ?? 0, gap?.until ?? 0)
        return hub.stored
      }
    },
    log: SILENT
  })
  t.teardown(() => uplink.close())
  uplink.start()
  return {
    hub,
    uplink,
    append(seq: number) {
      numbers.push(seq)
      for (const notify of listeners) notify()
    },
    caughtUp: () => waitUntil('the hub has all events', () => uplink.state.behind === 0)
  }
}

const seqs = (events: readonly UplinkEvent[]) => events.map(({ seq }) => seq)

t.test('sends all events in order, and later ones as they come', async t => {
  const numbers = Array.from({ length: 450 }, (_, i) => i + 1)
  const { hub, append, caughtUp, uplink } = connect(t, { numbers })
  await caughtUp()
  append(460)
  await caughtUp()
  t.same(seqs(hub.events), numbers)
  t.same(uplink.state, { hub: 'http://127.0.0.1:7780', state: 'connected', behind: 0 })
})

t.test('an event that the hub refuses is left out and reported, and later ones go on', async t => {
  const { hub, caughtUp } = connect(t, { numbers: [1, 2, 3, 4, 5, 6, 7], refused: [3, 6] })
  await caughtUp()
  t.same(seqs(hub.events), [1, 2, 4, 5, 7])
  t.same(hub.gaps, [
    { after: 2, until: 3, reason: 'The hub returned status 400' },
    { after: 5, until: 6, reason: 'The hub returned status 400' }
  ])
})

t.test('events that were dropped before the hub was reached are a gap', async t => {
  const { hub, caughtUp } = connect(t, { numbers: [1, 2, 3, 4, 5], dropped: 3 })
  await caughtUp()
  t.same(seqs(hub.events), [4, 5])
  t.match(hub.gaps, [{ after: 0, until: 3 }])
})

t.test('history is kept for its age until the hub has it', async t => {
  const { hub, uplink, append, caughtUp } = connect(t, { numbers: [1, 2, 3] })
  t.notOk(uplink.hasSentBelow(2), 'the hub has not answered yet')
  await caughtUp()
  t.ok(uplink.hasSentBelow(3))
  t.ok(uplink.hasSentBelow(100), 'there is nothing else')
  hub.isAway = true
  append(4)
  await waitUntil('the hub is away', () => uplink.state.state === 'unreachable')
  t.match(uplink.state, { behind: 1, reason: 'fetch failed: connect ECONNREFUSED' })
  t.ok(uplink.hasSentBelow(4))
  t.notOk(uplink.hasSentBelow(5))
  hub.isAway = false
  await caughtUp()
  t.ok(uplink.hasSentBelow(5))
})
