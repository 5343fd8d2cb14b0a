// The outbox: which calls people are notified about, and until when a notification is tried again.
// tier: full
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t, { type Test } from 'tap'
import type { NotificationSettings } from '../../src/config/notifications.ts'
import { createLogger } from '../../src/server/log.ts'
import { type Json, type TestApp, toApproval } from '../start-app.ts'
import { waitUntil } from '../support/wait.ts'
import { parseBody, type ServiceAnswer, startHttpService } from './http-service.ts'
import { readChannels, requestWrite, startNotifying, untilChannel, writeSecret } from './notify-fixture.ts'

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
const HOUR_MS = 3_600_000

/** Starts servers in sequence on the same folder, with a channel to a service. */
async function place(t: Test, answers: ServiceAnswer[] = []) {
  const service = await startHttpService(t, answers)
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-notify-')))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const hook = { kind: 'webhook' as const, url: service.url, secret_file: writeSecret(t, SECRET) }
  const logged: string[] = []
  const log = createLogger({ level: 'warn' }, { maskText: (text: string) => text } as never, {
    write: line => logged.push(line)
  })
  const start = (more: Partial<NotificationSettings & { retry_ms: number; tries: number; timeout_ms: number }> = {}) =>
    startNotifying(t, { channels: { hook }, ...more }, { folder, log })
  const nextId = async () => parseBody(await service.next()).data.tool_call_id
  return { service, start, nextId, logged, hook }
}

const isDelivered = ({ pending, last_success }: Record<string, unknown>) => pending === 0 && last_success !== undefined
const reject = (app: TestApp, { tool_call_id }: Json) => app.post('/reject', { tool_call_id })

t.test('calls that wait at the start are taken up, those decided before they were due are not', async t => {
  const { service, start, nextId } = await place(t)
  const first = await start({ after_ms: HOUR_MS })
  const decided = await requestWrite(first, 'a.txt')
  const waiting = await requestWrite(first, 'b.txt')
  await reject(first, decided)
  await first.close()

  const second = await start()
  t.equal(await nextId(), waiting.tool_call_id)
  const { data } = parseBody(service.received[0]!)
  t.ok(Date.parse(data.waiting_since) <= Date.parse(waiting.created_at) + 60_000)
  await untilChannel(second, 'hook', isDelivered)
  await second.close()

  const third = await start()
  const later = await requestWrite(third, 'c.txt')
  t.equal(await nextId(), later.tool_call_id, 'a call is notified about once, also after a restart')
})

t.test('a channel can be notified later than the others, unless the call was decided by then', async t => {
  const { service, start, hook } = await place(t)
  const channels = {
    first: { ...hook, url: `${service.url}/first` },
    second: { ...hook, url: `${service.url}/second`, after_ms: 1_200 },
    last: { ...hook, url: `${service.url}/last`, after_ms: HOUR_MS }
  }
  const app = await start({ channels })
  const call = await requestWrite(app, 'a.txt')
  const requests = [await service.next(), await service.next()]
  t.same(requests.map(request => request.path).sort(), ['/first', '/second'])
  const second = requests.find(request => request.path === '/second')!
  t.ok(parseBody(second).data.waited_ms >= 1_200)
  await untilChannel(app, 'last', ({ pending }) => pending === 1)
  await reject(app, call)
  await untilChannel(app, 'last', ({ pending }) => pending === 0)
  t.equal(service.received.length, 2)
})

t.test('a failed delivery is tried again with the same id', async t => {
  const { service, start, logged } = await place(t, [{ status: 503 }, { status: 429, headers: { 'retry-after': '0' } }])
  const app = await start()
  await requestWrite(app)
  const ids = [await service.next(), await service.next(), await service.next()].map(
    ({ headers }) => headers['webhook-id']
  )
  t.equal(new Set(ids).size, 1)
  t.match(await untilChannel(app, 'hook', isDelivered), { last_error: { message: /returned status 429/ } })
  t.equal(logged.length, 2)
  t.match(logged[0], /"reason":"127.0.0.1:\d+ returned status 503"/)
})

t.test('a permanent error, and too many others, end the attempts', async t => {
  const { service, start, logged } = await place(t, [{ status: 410 }, { status: 500 }, { status: 500 }])
  const app = await start({ tries: 2 })
  await requestWrite(app, 'a.txt')
  await service.next()
  await waitUntil('the notification to be given up', () => logged.length === 1)
  await requestWrite(app, 'b.txt')
  await waitUntil('the second one to be given up', () => logged.length === 3)
  t.match(logged[0], /given up/)
  t.match(logged[2], /given up/)
  t.match(await readChannels(app), [{ pending: 0, last_error: { message: /returned status 500/ } }])
  t.equal(service.received.length, 3)
})

t.test('a server stops during an attempt, and the next one makes it again', async t => {
  const { service, start } = await place(t, ['hang'])
  const first = await start()
  await requestWrite(first)
  const { headers } = await service.next()
  t.match(await readChannels(first), [{ pending: 1 }])
  await first.close()
  const second = await start()
  t.equal((await service.next()).headers['webhook-id'], headers['webhook-id'])
  await untilChannel(second, 'hook', isDelivered)
})

t.test('an attempt ends after its time limit, and a decision withdraws what is not delivered', async t => {
  const { service, start } = await place(t, ['hang', 'hang'])
  const app = await start({ timeout_ms: 50, retry_ms: HOUR_MS })
  const call = await requestWrite(app)
  await service.next()
  t.match(await untilChannel(app, 'hook', ({ last_error }) => last_error !== undefined), {
    pending: 1,
    last_error: { message: 'No answer within 0.05 s.' }
  })
  t.match(await app.post('/approve?wait_ms=60000', toApproval(call)), { status: 'success' })
  await untilChannel(app, 'hook', ({ pending }) => pending === 0)
})

t.test('a call that waits again with another preview is notified about again', async t => {
  const { service, start, nextId } = await place(t)
  const app = await start()
  const call = await requestWrite(app)
  t.equal(await nextId(), call.tool_call_id)
  app.write('a.txt', 'other\n')
  t.match(await app.post('/approve', toApproval(call)), { code: 'PREVIEW_CHANGED' })
  t.equal(await nextId(), call.tool_call_id)
  const [first, second] = service.received
  t.not(first!.headers['webhook-id'], second!.headers['webhook-id'])
})

t.test('in quiet hours nothing is sent before their end', async t => {
  const { service, start, nextId } = await place(t)
  const clock = (ms: number) => new Date(Date.now() + ms).toISOString().slice(11, 16)
  const quiet_hours = { from: clock(-HOUR_MS), to: clock(HOUR_MS), time_zone: 'UTC' }
  const first = await start({ quiet_hours })
  const call = await requestWrite(first)
  await untilChannel(first, 'hook', ({ pending }) => pending === 1)
  t.match((await first.post('/notifications/test', {})).results, [{ accepted: true }], 'a test is sent nevertheless')
  t.equal(parseBody(await service.next()).type, 'notification.test')
  await first.close()
  await start()
  t.equal(await nextId(), call.tool_call_id)
  t.equal(service.received.length, 2)
})

t.test('while a front end watches, nothing is sent', async t => {
  const { start, nextId, service } = await place(t)
  const app = await start({ when: 'unwatched' })
  const first = await requestWrite(app, 'first.txt')
  await app.events(`?tool_call_id=${first.tool_call_id}`)
  t.equal(await nextId(), first.tool_call_id, 'the stream of one call is that of its sender')
  await untilChannel(app, 'hook', isDelivered)
  const stream = await app.events('?types=tool.call,tool.decision')
  const decided = await requestWrite(app, 'a.txt')
  const waiting = await requestWrite(app, 'b.txt')
  await reject(app, decided)
  await stream.type('tool.decision')
  t.match(await readChannels(app), [{ pending: 0 }])
  stream.close()
  t.equal(await nextId(), waiting.tool_call_id, 'it is sent once the front end has gone')
  t.equal(service.received.length, 2)
})

t.test('the outbox is bounded: what has no room waits', async t => {
  const { service, start } = await place(t, ['hang'])
  const app = await start({ max_rows: 2, concurrency: 1 } as object)
  const calls: Json[] = []
  for (const name of ['a', 'b', 'c', 'd']) calls.push(await requestWrite(app, name))
  await service.next()
  t.match(await untilChannel(app, 'hook', ({ pending }) => pending === 2), { pending: 2 })
  await reject(app, calls[0])
  await app.close()
  await start()
  const ids = [await service.next(), await service.next(), await service.next()].map(
    request => parseBody(request).data.tool_call_id
  )
  t.same(
    ids.sort(),
    calls
      .slice(1)
      .map(({ tool_call_id }) => tool_call_id)
      .sort()
  )
})
