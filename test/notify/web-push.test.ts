// Web push to registered browsers.
// tier: quick
import { createPublicKey, verify } from 'node:crypto'
import { statSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { CALL_TOKEN, startApp } from '../start-app.ts'
import { type ReceivedRequest, startHttpService } from './http-service.ts'
import { requestWrite, startNotifying, untilChannel } from './notify-fixture.ts'
import { createBrowser } from './push-browser.ts'

/** Verifies the token of RFC 8292, and returns its claims. */
function readVapid({ headers }: ReceivedRequest, publicKey: string) {
  const [, token = '', key] = /^vapid t=([^,]+), k=(.+)$/.exec(headers.authorization!)!
  const [head, claims, signature] = token.split('.') as [string, string, string]
  const point = Buffer.from(publicKey, 'base64url')
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url')
  }
  const isValid = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url')
  )
  return { isValid, key, claims: JSON.parse(Buffer.from(claims, 'base64url').toString()) }
}

const channels = { browsers: { kind: 'web-push' as const, contact: 'me@example.com' } }

t.test('encrypts the message for each registered browser', async t => {
  const service = await startHttpService(t)
  const app = await startNotifying(t, { channels })
  const { vapid_public_key, subscriptions } = await app.get('/notifications')
  t.same(subscriptions, [])
  t.equal(statSync(path.join(app.folder, 'state/web-push-keys.json')).mode & 0o777, 0o600)
  const browsers = ['one', 'two'].map(name => createBrowser(`${service.url}/${name}`))
  for (const { subscription } of browsers)
    t.match(await app.post('/notifications/subscriptions', subscription), { subscription_id: /^[\w-]{22}$/ })
  const call = await requestWrite(app)
  const requests = [await service.next(), await service.next()].sort((a, b) => a.path.localeCompare(b.path))
  for (const [index, request] of requests.entries()) {
    t.match(browsers[index]!.read(request), {
      id: /^msg_/,
      title: `Approval needed: ${call.approval.preview.title}`,
      tool_call_id: call.tool_call_id
    })
    t.match(request.headers, {
      'content-encoding': 'aes128gcm',
      ttl: '43200',
      urgency: 'high',
      topic: /^[0-9a-f]{32}$/
    })
    t.match(readVapid(request, vapid_public_key), {
      isValid: true,
      key: vapid_public_key,
      claims: { aud: service.url, sub: 'mailto:me@example.com' }
    })
  }
  await untilChannel(app, 'browsers', ({ last_success }) => last_success !== undefined)
})

t.test('a browser that is gone, or was removed, gets nothing', async t => {
  const service = await startHttpService(t, [{ status: 410 }])
  const app = await startNotifying(t, { channels })
  const test = async () => (await app.post('/notifications/test', {})).results
  const none = [{ accepted: false, error: /^No browser is registered/ }]
  t.match(await test(), none)
  const { subscription } = createBrowser(`${service.url}/gone`)
  await app.post('/notifications/subscriptions', subscription)
  await app.post('/notifications/subscriptions', subscription)
  t.match(await app.get('/notifications'), { subscriptions: [{}] }, 'a browser is registered once')
  t.match(await test(), [{ accepted: false, error: /returned status 410/ }])
  t.match(await test(), none)

  const other = createBrowser(`${service.url}/other`)
  const { subscription_id } = await app.post('/notifications/subscriptions', other.subscription)
  t.match(await test(), [{ accepted: true }])
  t.equal(other.read(service.received.at(-1)!).title, 'Toolgate: test notification')
  t.match(await app.request('DELETE', `/notifications/subscriptions/${subscription_id}`), {
    status: 200,
    body: { subscriptions: [] }
  })
  t.match(await app.request('DELETE', `/notifications/subscriptions/${subscription_id}`), { status: 404 })
})

t.test('subscriptions outlive the server, and end with a revoked token', async t => {
  const service = await startHttpService(t)
  const first = await startNotifying(t, { channels })
  const { token, token_id } = await first.post('/tokens', { name: 'phone', rights: ['call', 'approve'] })
  const { subscription } = createBrowser(`${service.url}/one`)
  const bearer = { authorization: `Bearer ${token}` }
  t.match(await first.request('POST', '/notifications/subscriptions', subscription, bearer), { status: 200 })
  const { vapid_public_key } = await first.get('/notifications')
  await first.close()
  const { settings } = first
  const second = await startApp(t, {}, { settings, folder: first.folder })
  t.match(await second.get('/notifications'), { vapid_public_key, subscriptions: [{ client: 'phone' }] })
  await second.request('DELETE', `/tokens/${token_id}`)
  t.match((await second.get('/notifications')).subscriptions, [])
})

t.test('refuses what is no browser', async t => {
  const app = await startNotifying(t, { channels })
  const subscribe = (subscription: object, headers = {}) =>
    app.request('POST', '/notifications/subscriptions', subscription, headers)
  const { subscription } = createBrowser('https://push.example')
  t.match(await subscribe({ ...subscription, endpoint: 'http://10.0.0.1/' }), {
    status: 400,
    body: { code: 'INVALID_PARAMS' }
  })
  t.match(await subscribe({ ...subscription, keys: { p256dh: 'x', auth: 'y' } }), { status: 400 })
  t.match(await subscribe(subscription, { authorization: `Bearer ${CALL_TOKEN}` }), { status: 403 })
  for (let n = 0; n < 32; n += 1) await subscribe({ ...subscription, endpoint: `https://push.example/${n}` })
  t.match(await subscribe(subscription), { status: 409, body: { detail: /32 browsers are registered/ } })
  const without = await startNotifying(t, { channels: {} })
  t.match(await without.request('POST', '/notifications/subscriptions', subscription), {
    status: 409,
    body: { detail: /No channel of the kind web-push/ }
  })
  t.notOk('vapid_public_key' in (await without.get('/notifications')))
})

t.test('with decide_links each browser gets a link of its person, which ends with the browser', async t => {
  const service = await startHttpService(t)
  const decide = { browsers: { ...channels.browsers, decide_links: true } }
  const app = await startNotifying(t, { channels: decide, base_url: 'https://toolgate.example' })
  const browser = createBrowser(`${service.url}/phone`)
  const { subscription_id } = await app.post('/notifications/subscriptions', browser.subscription)
  const { tool_call_id } = await requestWrite(app)
  const { link } = browser.read(await service.next())
  t.ok(link.startsWith('https://toolgate.example/#decide=tgl_'))
  const authorization = `Bearer ${new URL(link).hash.slice('#decide='.length)}`
  const get = async () => (await app.request('GET', `/calls/${tool_call_id}`, undefined, { authorization })).status
  t.equal(await get(), 200)
  await app.request('DELETE', `/notifications/subscriptions/${subscription_id}`)
  t.equal(await get(), 401)
})
