// Push notifications by ntfy.
// tier: quick
import t from 'tap'
import { parseBody, startHttpService } from './http-service.ts'
import { requestWrite, startNotifying, untilChannel, writeSecret } from './notify-fixture.ts'

t.test('publishes to the topic, with a priority, a link and the token', async t => {
  const service = await startHttpService(t)
  const channels = {
    plain: { kind: 'ntfy' as const, url: `${service.url}/ntfy/my-topic` },
    private: {
      kind: 'ntfy' as const,
      url: `${service.url}/other`,
      priority: 'max' as const,
      token_file: writeSecret(t, 'tk_0123456789abcdef')
    }
  }
  const app = await startNotifying(t, { channels, base_url: 'https://toolgate.example' })
  const call = await requestWrite(app)
  const requests = [await service.next(), await service.next()].sort((a, b) => a.path.length - b.path.length)
  t.match(requests, [
    { path: '/', headers: { authorization: 'Bearer tk_0123456789abcdef' } },
    { path: '/ntfy/', headers: { authorization: undefined } }
  ])
  const click = `https://toolgate.example/#/approvals/${call.tool_call_id}`
  const title = `Approval needed: ${call.approval.preview.title}`
  t.match(requests.map(parseBody), [
    { topic: 'other', title, priority: 5, click },
    { topic: 'my-topic', title, priority: 4, click, message: /Tool write_file, .*\nWaiting for \d+ s$/ }
  ])
  await untilChannel(app, 'private', ({ pending }) => pending === 0)
})

t.test('a URL without a topic is a problem of the channel', async t => {
  const app = await startNotifying(t, { channels: { phone: { kind: 'ntfy', url: 'https://ntfy.sh' } } })
  t.match(await app.get('/notifications'), { channels: [{ problem: /must end with its topic/ }] })
})
