// Messages of a Telegram bot.
// tier: quick
import t from 'tap'
import { parseBody, startHttpService } from './http-service.ts'
import { requestWrite, startNotifying, untilChannel, writeSecret } from './notify-fixture.ts'

const TOKEN = '123456:AAsecret-part_of_token'

t.test('sends text to a chat, and pauses as long as the answer says', async t => {
  const flood = { ok: false, error_code: 429, description: 'Too Many Requests', parameters: { retry_after: 0 } }
  const service = await startHttpService(t, [{ status: 429, body: JSON.stringify(flood) }])
  const bot = { kind: 'telegram' as const, token_file: writeSecret(t, TOKEN), chat_id: -100123, api_url: service.url }
  const app = await startNotifying(t, { channels: { bot }, detail: 'preview' })
  const call = await requestWrite(app)
  await service.next()
  const request = await service.next()
  t.equal(request.path, `/bot${TOKEN}/sendMessage`)
  const { chat_id, text, parse_mode } = parseBody(request)
  t.same([chat_id, parse_mode], [-100123, undefined])
  t.ok(text.startsWith(`Approval needed: ${call.approval.preview.title}\n${call.approval.reason}\n`))
  t.match(text, /-before\n\+x/, 'the diff is the preview of an edit')
  const channel = await untilChannel(app, 'bot', ({ last_success }) => last_success !== undefined)
  t.match(channel, { last_error: { message: /returned status 429/ } })
})

t.test('no error shows the token', async t => {
  const service = await startHttpService(t, [{ status: 401, body: `{"description":"Unauthorized ${TOKEN}"}` }])
  const token_file = writeSecret(t, TOKEN)
  const gone = 'http://127.0.0.1:1'
  const channels = {
    bot: { kind: 'telegram' as const, token_file, chat_id: '@c', api_url: service.url },
    gone: { kind: 'telegram' as const, token_file, chat_id: '@c', api_url: gone },
    wrong: { kind: 'telegram' as const, token_file: writeSecret(t, 'wrong'), chat_id: '@c' }
  }
  const app = await startNotifying(t, { channels })
  const { results } = await app.post('/notifications/test', {})
  t.match(results, [
    { error: /status 401: .*Unauthorized \[masked/ },
    { error: /^127\.0\.0\.1:1 could not be reached/ },
    { error: /must have the form/ }
  ])
  t.notMatch(JSON.stringify(results), TOKEN)
})
