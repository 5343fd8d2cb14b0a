// tier: quick
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { SharedRuns } from '../../../src/host/search/shared-runs.ts'
import { setTimeLimit, TimeLimit } from '../../../src/time-limit.ts'

interface Run {
  signal: AbortSignal
  onCount: (files: number) => void
  end(result: string): void
}

/** Returns runs that a test ends, in the order in which they begin. */
function heldRuns() {
  const shared = new SharedRuns<string>()
  const begun: Run[] = []
  const request = (kind: string, abort = new AbortController(), onCount = (_: number) => {}) =>
    shared.request(kind, { signal: abort.signal, onCount }, ({ signal, onCount }) => {
      const { promise, resolve, reject } = Promise.withResolvers<string>()
      signal.addEventListener('abort', () => reject(signal.reason))
      begun.push({ signal, onCount, end: resolve })
      return promise
    })
  const settle = async () => {
    // Runs begin after a quiet turn.
    for (let i = 0; i < 5; i++) await turn()
  }
  return { begun, request, settle }
}

t.test('requests that come during a run share the next one', async t => {
  const { begun, request, settle } = heldRuns()
  const first = request('a')
  await settle()
  const others = Array.from({ length: 16 }, () => request('a'))
  const other = request('b')
  await settle()
  t.equal(begun.length, 2, 'another kind does not wait')
  begun[0]!.end('first')
  begun[1]!.end('of b')
  t.strictSame([await first, await other], ['first', 'of b'])
  await settle()
  t.equal(begun.length, 3)
  begun[2]!.end('second')
  t.strictSame(new Set(await Promise.all(others)), new Set(['second']))
})

t.test('requests that come together share the first run', async t => {
  const { begun, request, settle } = heldRuns()
  const requests: Promise<string>[] = []
  for (let i = 0; i < 4; i++) {
    requests.push(request('a'))
    await turn()
  }
  await settle()
  t.equal(begun.length, 1)
  begun[0]!.end('first')
  t.strictSame(await Promise.all(requests), ['first', 'first', 'first', 'first'])
})

t.test('a run begins although requests come all the time', async t => {
  const { begun, request } = heldRuns()
  const first = request('a')
  for (let i = 0; begun.length === 0 && i < 1_000; i++) {
    request('a').catch(() => {})
    await turn()
  }
  begun[0]!.end('first')
  t.equal(await first, 'first')
})

t.test('a run that fails fails its requests, and not the next run', async t => {
  const { begun, request, settle } = heldRuns()
  const first = request('a', new AbortController())
  await settle()
  const second = request('a')
  begun[0]!.end(Promise.reject(new Error('broken')) as never)
  await t.rejects(first, { message: 'broken' })
  await settle()
  begun[1]!.end('second')
  t.equal(await second, 'second')
})

t.test('a request that ends leaves the run to the others, and the last one ends it', async t => {
  const { begun, request, settle } = heldRuns()
  const aborts = [new AbortController(), new AbortController()]
  const counted: number[] = []
  const requests = aborts.map(abort => request('a', abort, files => counted.push(files)))
  await settle()
  begun[0]!.onCount(7)
  t.strictSame(counted, [7, 7])
  aborts[0]!.abort(new Error('cancelled'))
  await t.rejects(requests[0]!, { message: 'cancelled' })
  t.equal(begun[0]!.signal.aborted, false)
  aborts[1]!.abort(new Error('cancelled too'))
  await t.rejects(requests[1]!, { message: 'cancelled too' })
  t.equal(begun[0]!.signal.aborted, true)
  const next = request('a')
  await settle()
  begun[1]!.end('works again')
  t.equal(await next, 'works again')
})

t.test('a run that no request waits for is not begun', async t => {
  const { begun, request, settle } = heldRuns()
  const first = request('a')
  await settle()
  const abort = new AbortController()
  const second = request('a', abort)
  abort.abort(new Error('cancelled'))
  await t.rejects(second, { message: 'cancelled' })
  begun[0]!.end('first')
  t.equal(await first, 'first')
  await settle()
  t.equal(begun.length, 1)
  const third = request('a')
  await settle()
  begun[1]!.end('third')
  t.equal(await third, 'third')
})

t.test('waiting for an earlier run does not count for the limit of a call', async t => {
  const { begun, request, settle } = heldRuns()
  const first = request('a')
  await settle()
  const abort = new AbortController()
  setTimeLimit(abort.signal, new TimeLimit(1_000, () => abort.abort(new Error('out of time'))))
  const second = request('a', abort)
  await pause(1_500)
  t.equal(abort.signal.aborted, false)
  begun[0]!.end('first')
  await first
  await settle()
  begun[1]!.end('second')
  t.equal(await second, 'second')
  const third = request('a', abort)
  await t.rejects(third, { message: 'out of time' }, 'its own run counts')
})
