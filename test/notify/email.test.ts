// Email by SMTP.
// tier: quick
import t from 'tap'
import { requestWrite, startNotifying, untilChannel, writeSecret } from './notify-fixture.ts'
import { startSmtpService } from './smtp-service.ts'

const addresses = { from: 'toolgate@example.com', to: ['a@example.com', 'b@example.org'] }

t.test('sends a plain message with the login, and again with the same id', async t => {
  const { host, port, received } = await startSmtpService(t, ['450 4.2.0 later', '450 4.2.0 later'])
  const login = { user: 'me', password_file: writeSecret(t, 'a-mail-password') }
  const mail = { kind: 'email' as const, host, port, security: 'none' as const, ...login, ...addresses }
  const app = await startNotifying(t, { channels: { mail }, base_url: 'https://toolgate.example' })
  const call = await requestWrite(app)
  t.match(await untilChannel(app, 'mail', ({ last_success }) => last_success !== undefined), {
    pending: 0,
    last_error: { message: /450 4\.2\.0 later/ }
  })
  t.match(received, [
    { from: 'toolgate@example.com', to: ['a@example.com', 'b@example.org'], login: 'me a-mail-password' }
  ])
  const { text } = received[0]!
  t.match(text, /^Subject: Approval needed: /m)
  t.match(text, /^Message-ID: <msg_[0-9a-f]{32}@example\.com>$/m)
  t.match(text, /^Auto-Submitted: auto-generated$/m)
  t.ok(text.replaceAll('=\n', '').includes(`/#/approvals/${call.tool_call_id}`))
})

t.test('a refusal is an error without the password, which is never sent in the clear', async t => {
  const { host, port } = await startSmtpService(t, ['550 5.1.1 no such user', '550 5.1.1 no such user'])
  const password_file = writeSecret(t, 'a-mail-password')
  const channels = {
    mail: { kind: 'email' as const, host, port, security: 'none' as const, ...addresses },
    clear: {
      kind: 'email' as const,
      host: 'a.example',
      security: 'none' as const,
      user: 'u',
      password_file,
      ...addresses
    },
    half: { kind: 'email' as const, host, port, user: 'u', ...addresses },
    plain: { kind: 'email' as const, host, port, ...addresses }
  }
  const app = await startNotifying(t, { channels })
  const { results } = await app.post('/notifications/test', {})
  t.match(results, [
    { channel: 'mail', error: /550 5\.1\.1 no such user/ },
    { channel: 'clear', error: /only over TLS/ },
    { channel: 'half', error: /both user and password/ },
    { channel: 'plain', error: /STARTTLS/ }
  ])
})
