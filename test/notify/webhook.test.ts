// Webhooks: their signature, and what is in them.
// tier: quick
import { createHmac, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import t from 'tap'
import { Value } from 'typebox/value'
import { WaitingCallNotification } from '../../src/protocol/notifications.ts'
import { CALL_TOKEN, TOKEN } from '../start-app.ts'
import { parseBody, type ReceivedRequest, startHttpService } from './http-service.ts'
import { readChannels, requestWrite, startNotifying, untilChannel, writeSecret } from './notify-fixture.ts'

const KEY = randomBytes(32)
const SECRET = `whsec_${KEY.toString('base64')}`

/** Computes the signature as the specification says. */
const sign = ({ headers, body }: ReceivedRequest) => {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp } = headers
  return `v1,${createHmac('sha256', KEY).update(`${id}.${timestamp}.${body}`).digest('base64')}`
}

t.test('sends a signed message about a call that waits', async t => {
  const service = await startHttpService(t)
  const webhook = { kind: 'webhook' as const, url: `${service.url}/hook?x=1`, secret_file: writeSecret(t, SECRET) }
  const app = await startNotifying(t, { channels: { hook: webhook }, base_url: 'https://toolgate.example/' })
  const call = await requestWrite(app, 'a.txt', { session_id: 's', agent: 'coder' })

  const request = await service.next()
  t.match(request, { method: 'POST', path: '/hook?x=1', headers: { 'content-type': 'application/json' } })
  t.equal(request.headers['webhook-signature'], sign(request))
  t.match(request.headers['webhook-timestamp'], /^\d{10}$/)
  t.match(request.headers['webhook-id'], /^msg_[0-9a-f]{32}$/)
  const message = parseBody(request)
  t.ok(Value.Check(WaitingCallNotification, message))
  t.match(message, {
    type: 'approval.waiting',
    data: {
      tool_call_id: call.tool_call_id,
      title: call.approval.preview.title,
      tool: 'write_file',
      level: 'ask',
      reason: call.approval.reason,
      session_id: 's',
      workspace: 'default',
      agent: 'coder',
      expires_at: call.approval.expires_at,
      url: `https://toolgate.example/#/approvals/${call.tool_call_id}`
    }
  })
  t.notOk('preview' in message.data)
  t.match(await untilChannel(app, 'hook', ({ last_success }) => last_success !== undefined), {
    kind: 'webhook',
    pending: 0
  })
  t.equal(
    (await app.request('GET', '/notifications', undefined, { authorization: `Bearer ${CALL_TOKEN}` })).status,
    403
  )
})

t.test('texts are redacted, escaped and bounded', async t => {
  const service = await startHttpService(t)
  const webhook = { kind: 'webhook' as const, url: service.url, secret_file: writeSecret(t, SECRET) }
  const app = await startNotifying(t, { channels: { hook: webhook }, detail: 'preview' })
  await app.call('shell_exec', { command: `echo ${TOKEN} \u202e\u0007 ${'long '.repeat(2_000)}` })
  const { data } = parseBody(await service.next())
  t.notMatch(JSON.stringify(data), TOKEN)
  t.match(data.title, /\[masked: /)
  t.match(data.preview, /\\u\{202e\}\\u\{7\}/)
  t.ok(data.preview.length <= 2_000 && data.title.length <= 200)
  const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
  app.write('a.txt', 'one\n')
  await app.call('write_file', { path: 'a.txt', content: `token = ${secret}\nhttps://ada:hunter22@example.com/\n` })
  const edit = JSON.stringify(parseBody(await service.next()))
  t.match(edit, /token = /)
  t.notMatch(edit, /ghp_a1|hunter22/, 'credentials in a diff, which the approver sees')
})

t.test('no answer shows the secret, and a redirect is not followed', async t => {
  const service = await startHttpService(t, [
    { status: 307, headers: { location: '/other' }, body: `moved ${SECRET}` },
    { status: 400, body: 'no' }
  ])
  const file = writeSecret(t, SECRET)
  const lines: string[] = []
  const app = await startNotifying(t, { channels: { hook: { kind: 'webhook', url: service.url, secret_file: file } } })
  const test = async () => (await app.post('/notifications/test', { channel: 'hook' })).results
  t.match(await test(), [
    { channel: 'hook', kind: 'webhook', accepted: false, error: /returned status 307: moved \[masked/ }
  ])
  t.match(await test(), [{ error: /returned status 400: no$/ }])
  t.match(await test(), [{ accepted: true }])
  t.match(parseBody(service.received.at(-1)!), { type: 'notification.test', data: { channel: 'hook' } })
  t.same(
    service.received.map(({ path }) => path),
    ['/', '/', '/']
  )
  writeFileSync(file, 'whsec_short\n')
  t.match(await test(), [{ accepted: false, error: /must be whsec_ followed by 24 to 64 bytes/ }])
  t.match(await readChannels(app), [{ problem: /must be whsec_/ }])
  t.notMatch(JSON.stringify([await readChannels(app), lines]), SECRET.slice(6))
  t.match(await app.request('POST', '/notifications/test', { channel: 'other' }), {
    status: 404,
    body: { details: { known: ['hook'] } }
  })
})
