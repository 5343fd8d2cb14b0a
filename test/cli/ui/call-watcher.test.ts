// Tests of a pending call that is polled while a user reads it: late responses are ignored.
// tier: quick
import t from 'tap'
import { CallWatcher, type PendingCall } from '../../../src/cli/ui/call-watcher.ts'
import type { Call, Client } from '../../../src/client/client.ts'
import { once, within } from '../../support/wait.ts'

const call = (digest: string) =>
  ({ tool_call_id: 'tc_1', status: 'awaiting_approval', tool: 'x', params: {}, approval: { digest } }) as PendingCall

/** A server that returns the preview when the test allows it, which nothing else can simulate. */
function slowServer(returns = Promise.resolve()) {
  const asked: ((answer: object) => void)[] = []
  let [stored, wake] = [call('a') as Call, () => {}]
  const client = {
    get: async () => stored,
    digest: () =>
      new Promise(resolve => {
        asked.push(resolve)
        wake()
      }),
    events: async function* () {
      yield { type: 'file.changed' }
      await returns
      yield { type: 'stream.snapshot' }
    }
  } as unknown as Client
  const askedAbout = async (count: number) => {
    while (asked.length < count) await within(`question ${count}`, new Promise<void>(resolve => (wake = resolve)))
    return asked[count - 1]!
  }
  return { client, askedAbout, becomes: (next: Call) => (stored = next) }
}

t.test('keeps a decision that arrives during a refresh', async t => {
  const { client, askedAbout, becomes } = slowServer()
  const watched = new CallWatcher(call('a'), { client, signal: new AbortController().signal, onDisconnect: () => {} })
  t.teardown(() => watched.close())
  const { changed } = watched
  void watched.follow()
  const answer = await askedAbout(1)
  becomes({ ...call('a'), status: 'rejected' } as unknown as Call)
  await watched.refresh()
  t.ok(changed.aborted)
  answer({ preview: { title: 'B' }, digest: 'b' })
  await new Promise(setImmediate)
  t.equal(watched.call.status, 'rejected')
})

t.test('the current preview wins', async t => {
  const { client, askedAbout } = slowServer()
  const watched = new CallWatcher(call('a'), { client, signal: new AbortController().signal, onDisconnect: () => {} })
  t.teardown(() => watched.close())
  const { changed } = watched
  void watched.follow()
  const answer = await askedAbout(1)
  answer({ preview: { title: 'B' }, digest: 'b' })
  await once(changed, 'abort')
  t.match(watched.call, { status: 'awaiting_approval', approval: { digest: 'b', preview: { title: 'B' } } })
})

t.test('a late snapshot of a restarted server is older than the known state', async t => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { client, askedAbout } = slowServer(promise)
  const watched = new CallWatcher(call('a'), { client, signal: new AbortController().signal, onDisconnect: () => {} })
  t.teardown(() => watched.close())
  const { changed } = watched
  const following = watched.follow()
  const answer = await askedAbout(1)
  answer({ preview: { title: 'B' }, digest: 'b' })
  await once(changed, 'abort')
  const again = watched.changed
  resolve()
  await following
  const second = await askedAbout(2)
  t.match(watched.call, { approval: { digest: 'b', preview: { title: 'B' } } })
  t.notOk(again.aborted, 'nothing is shown anew')
  second({ reason: 'a.txt is gone' })
  await once(again, 'abort')
  t.equal(watched.error, 'a.txt is gone')
})
