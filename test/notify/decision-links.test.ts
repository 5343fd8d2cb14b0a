// Links by which a person decides on one call without a token, and what they do not permit.
// tier: full
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import path from 'node:path'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import type { NotificationSettings } from '../../src/config/notifications.ts'
import { TokenSeal } from '../../src/server/token-seal.ts'
import type { Json, StartOptions, TestApp } from '../start-app.ts'
import { parseBody, startHttpService } from './http-service.ts'
import { readChannels, requestWrite, startNotifying, untilChannel, writeSecret } from './notify-fixture.ts'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

/** Starts a server with a channel of Ana, and its service. */
async function startWithLinks(t: Test, more: Partial<NotificationSettings> = {}, options: StartOptions = {}) {
  const service = await startHttpService(t)
  const hook = { kind: 'webhook' as const, url: service.url, secret_file: writeSecret(t, SECRET), decide_as: 'Ana' }
  const settings = { channels: { hook }, base_url: 'https://toolgate.example/', ...more }
  const app = await startNotifying(t, settings, options)
  /** Returns the link of the next message. */
  const nextLink = async (): Promise<string> => {
    const { data } = parseBody(await service.next())
    return new URL(data.decide_url).hash.slice('#decide='.length)
  }
  return { app, hook, service, nextLink }
}

/** Sends a request with a link in place of a token. */
const by =
  (app: TestApp, link: string) =>
  (method: string, target: string, body?: unknown): Promise<{ status: number; body: Json }> =>
    app.request(method, target, body, { authorization: `Bearer ${link}` })

t.test('shows one call with its preview, and approves it once', async t => {
  const { app, service } = await startWithLinks(t)
  const call = await requestWrite(app)
  const id = call.tool_call_id
  const { data } = parseBody(await service.next())
  t.match(data.decide_url, /^https:\/\/toolgate\.example\/#decide=tgl_[\w-]+\.[\w-]+$/)
  t.equal(data.decide_until, call.approval.expires_at)
  t.ok(data.url.endsWith(`/#/approvals/${id}`))
  const send = by(app, new URL(data.decide_url).hash.slice('#decide='.length))

  t.match(await send('GET', `/calls/${id}`), { status: 200, body: { status: 'awaiting_approval', tool_call_id: id } })
  const { digest } = call.approval
  t.match(await send('GET', `/calls/${id}/preview?digest=${digest}`), { status: 200, body: { digest } })
  t.match(await send('GET', `/calls/${id}/digest`), { status: 200, body: { digest } })
  t.match(await send('GET', `/calls/${id}/preview/0/before?digest=${digest}`), { status: 200, body: 'before\n' })

  const approved = await send('POST', `/calls/${id}/approve`, { digest, reason: 'on my phone' })
  t.match(approved, { status: 202, body: { status: 'queued' } })
  t.same(
    { ...approved.body.approved_by, at: undefined },
    {
      source: 'user',
      token: { id: 'link:hook', name: 'Ana' },
      via: 'notification',
      channel: 'hook',
      reason: 'on my phone',
      at: undefined,
      digest
    }
  )
  t.match(await app.get(`/calls/${id}?wait_ms=120000`), { status: 'success', approved_by: { channel: 'hook' } })
  for (const [method, target, body] of [
    ['GET', `/calls/${id}`],
    ['POST', `/calls/${id}/approve`, { digest }],
    ['POST', `/calls/${id}/reject`, {}]
  ] as const)
    t.match(await send(method, target, body), {
      status: 409,
      body: { code: 'CONFLICT', detail: /^The call of this link does not wait for approval/ }
    })
})

t.test('rejects with a message', async t => {
  const { app, nextLink } = await startWithLinks(t)
  const { tool_call_id } = await requestWrite(app)
  const send = by(app, await nextLink())
  const answer = await send('POST', `/calls/${tool_call_id}/reject`, { user_message: 'Not now.' })
  t.match(answer, {
    status: 200,
    body: { status: 'rejected', rejected_by: { token: { name: 'Ana' }, channel: 'hook' }, user_message: 'Not now.' }
  })
})

t.test('permits nothing but the decision on its call', async t => {
  const { app, nextLink } = await startWithLinks(t)
  const call = await requestWrite(app)
  const id = call.tool_call_id
  const send = by(app, await nextLink())
  const other = await requestWrite(app, 'b.txt')
  const { digest, always_options } = call.approval

  for (const target of [`/calls/${other.tool_call_id}`, `/calls/${other.tool_call_id}/preview`])
    t.match(await send('GET', target), { status: 403, body: { detail: 'This link is for another call.' } })
  const foreign = { digest: other.approval.digest }
  t.match(await send('POST', `/calls/${other.tool_call_id}/approve`, foreign), { status: 403 })
  t.match(await send('GET', `/calls/${id}?wait_ms=1`), { status: 403 })
  t.match(await send('POST', `/calls/${id}/approve?wait_ms=1`, { digest }), { status: 403 })
  for (const more of [
    { always: always_options[0].id },
    { modified_params: { path: 'a.txt', content: 'other\n' } },
    { modifiedArgs: { path: 'a.txt', content: 'other\n' } }
  ])
    t.match(await send('POST', `/calls/${id}/approve`, { digest, ...more }), { status: 403 }, JSON.stringify(more))
  t.match(await send('POST', `/calls/${id}/approve`, {}), { status: 400 }, 'without the digest')

  const { paths } = parse(readFileSync('openapi.yaml', 'utf8')) as { paths: Record<string, object> }
  const accepting: string[] = []
  for (const [route, operations] of Object.entries(paths))
    for (const method of Object.keys(operations).filter(name => /^(?:get|post|put|patch|delete)$/.test(name))) {
      const target = route.replace('{id}', id).replaceAll(/\{\w+\}/g, '0')
      const hasBody = method !== 'get' && method !== 'delete'
      const { status } = await send(method.toUpperCase(), target, hasBody ? { digest: 'none' } : undefined)
      if (status !== 401) accepting.push(`${method} ${route}`)
    }
  t.same(accepting.sort(), [
    'get /calls/{id}',
    'get /calls/{id}/digest',
    'get /calls/{id}/preview',
    'get /calls/{id}/preview/{file}/{side}',
    'get /health',
    'post /calls/{id}/approve',
    'post /calls/{id}/reject',
    'post /session'
  ])
})

t.test('links that were altered, are of another server or have expired do nothing', async t => {
  const { app, nextLink } = await startWithLinks(t)
  const { tool_call_id: id, approval } = await requestWrite(app)
  const link = await nextLink()
  const [payload = '', mac = ''] = link.slice('tgl_'.length).split('.')
  const fields = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const otherServer = await startWithLinks(t)
  await requestWrite(otherServer.app)
  for (const [name, forged] of Object.entries({
    'another person': `tgl_${encode({ ...fields, person: 'Eve' })}.${mac}`,
    'a later end': `tgl_${encode({ ...fields, expires_at: '2999-01-01T00:00:00.000Z' })}.${mac}`,
    'no signature': `tgl_${payload}`,
    'an empty signature': `tgl_${payload}.`,
    'a part of the signature': `tgl_${payload}.${mac.slice(0, -2)}`,
    'something behind it': `${link}.x`,
    'a changed signature': `tgl_${payload}.${mac.startsWith('A') ? 'B' : 'A'}${mac.slice(1)}`,
    'another server': await otherServer.nextLink(),
    'a long text': `tgl_${'A'.repeat(10_000)}.${mac}`
  }))
    t.equal((await by(app, forged)('GET', `/calls/${id}`)).status, 401, name)

  const seal = new TokenSeal({ XDG_CONFIG_HOME: path.join(app.folder, 'config') })
  const sign = (value: object) => {
    const text = encode(value)
    return `tgl_${text}.${seal.sign('decision link', text)}`
  }
  t.equal((await by(app, sign(fields))('GET', `/calls/${id}`)).status, 200, 'signed like the server does')
  const expired = sign({ ...fields, expires_at: '2026-01-01T00:00:00.000Z' })
  t.match(await by(app, expired)('POST', `/calls/${id}/approve`, { digest: approval.digest }), {
    status: 403,
    body: { detail: /^This link expired at 2026-01-01/ }
  })
  t.equal((await app.get(`/calls/${id}`)).status, 'awaiting_approval')
})

t.test('a changed preview voids the link, and the next notification has another', async t => {
  const { app, nextLink } = await startWithLinks(t)
  const { tool_call_id: id, approval } = await requestWrite(app)
  const send = by(app, await nextLink())
  app.write('a.txt', 'meanwhile\n')
  const refused = await send('POST', `/calls/${id}/approve`, { digest: approval.digest })
  t.match(refused, { status: 409, body: { code: 'PREVIEW_CHANGED' } })
  const { digest } = refused.body.details.approval
  const voided = { status: 409, body: { detail: /^The preview of the call has changed since this link was sent/ } }
  t.match(await send('POST', `/calls/${id}/approve`, { digest }), voided)
  t.match(await send('POST', `/calls/${id}/reject`, {}), voided)
  const again = by(app, await nextLink())
  t.match(await again('POST', `/calls/${id}/approve`, { digest }), { status: 202 })
})

t.test('a link is valid after a restart, and not after the channel is another person’s', async t => {
  const { app, hook, nextLink } = await startWithLinks(t)
  const { tool_call_id: id } = await requestWrite(app)
  const link = await nextLink()
  await app.close()
  const start = (channels: NotificationSettings['channels']) =>
    startNotifying(t, { channels, base_url: 'https://toolgate.example' }, { folder: app.folder })
  for (const [channels, status] of [
    [{ hook }, 200],
    [{ hook: { ...hook, decide_as: 'Ben' } }, 401],
    [{ other: hook }, 401],
    [{}, 401]
  ] as const) {
    const next = await start(channels)
    t.equal((await by(next, link)('GET', `/calls/${id}`)).status, status)
    await next.close()
  }
})

t.test('without base_url a message has no link, and the channel says so', async t => {
  const { app, service } = await startWithLinks(t, { base_url: undefined as never })
  await requestWrite(app)
  const { data } = parseBody(await service.next())
  t.notOk('decide_url' in data)
  await untilChannel(app, 'hook', ({ last_success }) => last_success !== undefined)
  t.match(await readChannels(app), [{ problem: /set notifications\.base_url\.$/ }])
})

t.test('a strict call needs the confirmation, and a shortened preview the digest of the whole', async t => {
  const { app, nextLink } = await startWithLinks(t)
  const strict = await app.call('shell_exec', { command: 'rm -rf ~/x' })
  t.equal(strict.approval.level, 'strict')
  const decide = by(app, await nextLink())
  const refused = (pointer: string) => ({ status: 400, body: { errors: [{ pointer }] } })
  const at = `/calls/${strict.tool_call_id}/approve`
  t.match(await decide('POST', at, { digest: strict.approval.digest }), refused('/confirm'))

  const lines = Array.from({ length: 6_000 }, (_, i) => `: line ${i}\n`).join('')
  app.write('big.sh', `${lines}echo the end\n`)
  const cut = await app.call('shell_exec', { command: 'sh big.sh' })
  t.equal(cut.approval.preview.cut, true)
  const send = by(app, await nextLink())
  const { digest } = cut.approval
  t.match(await send('POST', `/calls/${cut.tool_call_id}/approve`, { digest }), refused('/whole_digest'))
  const { whole_digest } = (await send('GET', `/calls/${cut.tool_call_id}/preview?digest=${digest}`)).body
  t.match(await send('POST', `/calls/${cut.tool_call_id}/approve`, { digest, whole_digest }), { status: 202 })
})

t.test('the links of one person count as one of several approvals', async t => {
  const { app, hook, service } = await startWithLinks(t)
  await app.close()
  const channels = { hook, mail: hook, ben: { ...hook, decide_as: 'Ben' } }
  const settings = { channels, base_url: 'https://toolgate.example' }
  const next = await startNotifying(t, settings, { folder: app.folder })
  await next.post('/rules', { effect: 'ask', match: { tool: 'write_file' }, scope: 'workspace', approvals: 2 })
  const { tool_call_id, approval } = await requestWrite(next)
  const links = new Map<string, string>()
  for (let i = 0; i < 3; i++) {
    const { decide_url } = parseBody(await service.next()).data
    const link = new URL(decide_url).hash.slice('#decide='.length)
    const { channel } = JSON.parse(Buffer.from(link.slice(4).split('.')[0]!, 'base64url').toString())
    links.set(channel, link)
  }
  const approve = (channel: string) =>
    by(next, links.get(channel)!)('POST', `/calls/${tool_call_id}/approve`, { digest: approval.digest })
  t.match(await approve('hook'), {
    body: { status: 'awaiting_approval', approval: { approvals: [{ channel: 'hook' }] } }
  })
  for (const channel of ['hook', 'mail'])
    t.match(await approve(channel), { status: 409, body: { detail: /this one has already approved it/ } }, channel)
  const again = parseBody(await service.next())
  t.match(again.data, { tool_call_id, approvals: '1 of 2 approvals' }, 'people are notified again')
  t.match(await approve('ben'), {
    body: { status: 'queued', approved_by: { earlier_approvals: [{ channel: 'hook' }] } }
  })
})

t.test('the address of base_url is accepted as host and origin, and no other', async t => {
  const { app } = await startWithLinks(t)
  const statusOf = (headers: Record<string, string>) =>
    new Promise<number>((resolve, reject) => {
      request(`${app.url}/health`, { headers }, response => resolve(response.resume().statusCode!))
        .on('error', reject)
        .end()
    })
  t.equal(await statusOf({ host: 'toolgate.example', origin: 'https://toolgate.example' }), 200)
  t.equal(await statusOf({ host: 'toolgate.example', origin: 'https://other.example' }), 403)
  t.equal(await statusOf({ host: 'other.example' }), 403)
})

t.test('a test message links to a page that tests the device', async t => {
  const { app, service } = await startWithLinks(t)
  await app.post('/notifications/test', {})
  t.match(parseBody(await service.next()), { data: { channel: 'hook', url: 'https://toolgate.example/#decide=test' } })
})

t.test('a link to a call that does not expire ends after a day', async t => {
  const { app, service } = await startWithLinks(t, {}, { settings: { approval: { ttl_ms: 0, mode: 'ask' } } })
  const { approval } = await requestWrite(app)
  t.equal(approval.expires_at, null)
  const { timestamp, data } = parseBody(await service.next())
  const ms = Date.parse(data.decide_until) - Date.parse(timestamp)
  t.ok(Math.abs(ms - 86_400_000) < 60_000, `${ms} ms`)
})
