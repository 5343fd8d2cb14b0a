// Tests of the order of open calls, by which lists of what waits are paged.
// tier: quick
import t from 'tap'
import { ActiveCall } from '../../src/engine/active-call.ts'

const open = (created_at: string) =>
  new ActiveCall({
    call: { status: 'running', workspace: 'default', client: 'test', created_at },
    services: () => ({}),
    redact: (call: unknown) => call,
    abort: new AbortController()
  } as unknown as ConstructorParameters<typeof ActiveCall>[0])

t.test('calls are in the order of their times, also beside one whose time is damaged', async t => {
  const times = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', 'damaged', '', '2026-01-01T00:00:01.000Z']
  const places = times.map(time => open(time).place)
  t.ok(places.every(Number.isFinite), `${places}`)
  t.same(
    places,
    places.toSorted((a, b) => a - b)
  )
  t.equal(new Set(places).size, places.length)
})
