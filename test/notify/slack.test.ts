// Messages in Slack.
// tier: quick
import t from 'tap'
import { parseBody, startHttpService } from './http-service.ts'
import { startNotifying, writeSecret } from './notify-fixture.ts'

t.test('an incoming webhook gets the text without markup, and no error shows its URL', async t => {
  const service = await startHttpService(t, [{ status: 404, body: 'no_service' }], 'ok')
  const secret = `${service.url}/services/T0/B0/a-secret-path`
  const app = await startNotifying(t, { channels: { chat: { kind: 'slack', url_file: writeSecret(t, secret) } } })
  const [refused] = (await app.post('/notifications/test', {})).results
  t.match(refused, { accepted: false, error: /^127\.0\.0\.1:\d+ returned status 404: no_service$/ })
  await app.call('shell_exec', { command: 'echo "<!channel> & <https://a.example|b>"' })
  await service.next()
  const request = await service.next()
  t.match(request, { path: '/services/T0/B0/a-secret-path', headers: { authorization: undefined } })
  const { text, mrkdwn, channel } = parseBody(request)
  t.match(text, /^Approval needed: .*&lt;!channel&gt; &amp; &lt;https/)
  t.same([mrkdwn, channel], [false, undefined])
})

t.test('a bot posts to a channel, and refusals of the API are errors', async t => {
  const answers = [
    { status: 200, body: '{"ok":false,"error":"channel_not_found"}' },
    { status: 200, body: 'hello' }
  ]
  const service = await startHttpService(t, answers)
  const chat = {
    kind: 'slack' as const,
    token_file: writeSecret(t, 'xoxb-0123456789'),
    channel: 'C012',
    api_url: `${service.url}/api`
  }
  const app = await startNotifying(t, { channels: { chat } })
  const test = async () => (await app.post('/notifications/test', {})).results
  t.match(await test(), [{ accepted: false, error: 'Slack returned channel_not_found' }])
  t.match(await test(), [{ accepted: false, error: 'Slack returned an answer that is not JSON' }])
  t.match(await test(), [{ accepted: true }])
  const request = service.received.at(-1)!
  t.match(request, { path: '/api/chat.postMessage', headers: { authorization: 'Bearer xoxb-0123456789' } })
  t.match(parseBody(request), { channel: 'C012', text: 'Toolgate: test notification\nThe channel chat works.' })
})

t.test('without a webhook and a bot it has a problem', async t => {
  const app = await startNotifying(t, { channels: { chat: { kind: 'slack' } } })
  t.match(await app.get('/notifications'), { channels: [{ problem: /needs url_file or url_env, or a token/ }] })
})
