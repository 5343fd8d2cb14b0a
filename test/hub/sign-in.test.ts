// People sign in at the hub, with a provider or a token, and what they may do there; and attempts to come in otherwise.
// tier: full
import t, { type Test } from 'tap'
import { OidcSignIn } from '../../src/hub/people/oidc.ts'
import { parseAllowEntry } from '../../src/hub/people/roles.ts'
import { findFreePort } from '../support/free-port.ts'
import { openEmbedded } from './embedded-database.ts'
import { HubBrowser } from './hub-browser.ts'
import { startProvider } from './provider.ts'
import { caughtUp, sameDatabase, startHub, startServer } from './start-hub.ts'

const ADA = { sub: 'ada-1', name: 'Ada', email: 'Ada@Example.com', email_verified: true }
const ALLOW = ['ada@example.com=approver', '@example.com', 'groups:hub-admins=admin']

async function startHubWithProvider(t: Test, allow = ALLOW) {
  const provider = await startProvider(t)
  const port = await findFreePort()
  const createOidc = (entries: readonly string[]) =>
    new OidcSignIn({
      issuer: provider.issuer,
      clientId: 'hub',
      clientSecret: 'a-secret-of-the-client',
      publicUrl: new URL(`http://127.0.0.1:${port}`),
      allow: entries.map(parseAllowEntry),
      fetch
    })
  const database = await openEmbedded()
  const hub = await startHub(t, database, port, { oidc: createOidc(allow) })
  /** Signs a person in, in a new browser. */
  const signIn = async (claims: Record<string, unknown>) => {
    provider.claims = claims
    const browser = new HubBrowser(port)
    const { location } = await browser.fromPage('GET', '/sign-in')
    const answer = await browser.navigate(await provider.signIn(location!))
    return { browser, answer }
  }
  return { provider, hub, database, port, createOidc, signIn }
}

const SESSION_COOKIE = (port: number) => `toolgate-hub-${port}-session`

t.test('a person signs in with a provider, decides by name, and signs out', async t => {
  const { hub, port, signIn } = await startHubWithProvider(t)
  t.match(await hub.get('/health'), { hub: { sign_in: ['oidc', 'token'] } })
  t.match(await new HubBrowser(port).send('GET', '/health'), { status: 200 }, 'without signing in')
  const { browser, answer } = await signIn(ADA)
  t.match(answer, { status: 303, location: '/' })
  t.match(answer.setCookies, [
    /^toolgate-hub-\d+-sign-in=; Path=\/; HttpOnly; SameSite=Lax; Max-Age=0$/,
    /^toolgate-hub-\d+-session=session_[\w-]{32}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/
  ])
  const { body } = await browser.fromPage('GET', '/session')
  t.match(body, { person: { name: 'Ada (ada@example.com)' }, role: 'approver' })
  t.match(body.person.id, /^oidc:http:\/\/localhost:\d+#ada-1$/)

  const server = await startServer(t, hub, 'desk')
  const { tool_call_id, approval } = await server.call('shell_exec', { command: 'touch b.txt' })
  await caughtUp(server)
  const decision = { server_id: server.server_id, tool_call_id, digest: approval.digest }
  t.match(await browser.fromPage('POST', '/approve', decision), { status: 202 })
  const call = await server.get(`/calls/${tool_call_id}?wait_ms=60000`)
  t.match(call.approved_by, { token: { id: `hub:${body.person.id}`, name: 'Ada (ada@example.com)' }, via: 'hub' })

  t.equal((await browser.fromPage('POST', '/enrolments', {})).status, 403, 'she does not enroll')
  t.match(await browser.fromPage('DELETE', '/session'), { status: 204 })
  t.notOk(browser.cookies.has(SESSION_COOKIE(port)))
  browser.cookies.set(SESSION_COOKIE(port), /session_[\w-]+/.exec(answer.setCookies[1]!)![0])
  t.equal((await browser.fromPage('GET', '/session')).status, 401, 'the session has ended')
})

t.test('the list says who comes in, and as what', async t => {
  const { signIn } = await startHubWithProvider(t)
  const rows: [string, Record<string, unknown>, string | undefined][] = [
    ['another person of the domain', { ...ADA, email: 'bob@example.com' }, 'viewer'],
    ['a group', { sub: 'x', groups: ['dev', 'hub-admins'] }, 'admin'],
    ['the most that an entry gives', { ...ADA, groups: ['hub-admins'] }, 'admin'],
    ['an address that is not verified', { ...ADA, email_verified: false }, undefined],
    ['an address with nothing about that', { sub: 'x', email: 'ada@example.com' }, undefined],
    ['another domain with the same end', { ...ADA, email: 'ada@evil-example.com' }, undefined],
    ['a subdomain', { ...ADA, email: 'ada@a.example.com' }, undefined],
    ['an address with two signs', { ...ADA, email: '"@example.com"@evil.test' }, undefined],
    ['a group that only begins so', { sub: 'x', groups: ['hub-admins-2'] }, undefined],
    ['a group as a text', { sub: 'x', groups: 'hub-admins' }, 'admin'],
    ['a name that is not a person', { ...ADA, name: 'System' }, 'approver']
  ]
  for (const [title, claims, role] of rows) {
    const { browser, answer } = await signIn(claims)
    t.equal(answer.location, role === undefined ? '/#sign-in=not-allowed' : '/', title)
    const { status, body } = await browser.fromPage('GET', '/session')
    if (role === undefined) t.equal(status, 401, title)
    else t.equal(body.role, role, title)
    if (claims.name === 'System') t.equal(body.person.name, 'ada@example.com')
  }
})

t.test('an answer that is forged, replayed or meant for another is not accepted', async t => {
  const { provider, port, signIn } = await startHubWithProvider(t)
  const begin = async (claims: Record<string, unknown> = ADA) => {
    provider.claims = claims
    const browser = new HubBrowser(port)
    const { location } = await browser.fromPage('GET', '/sign-in')
    return { browser, url: location!, back: await provider.signIn(location!) }
  }
  const refused = async (title: string, browser: HubBrowser, target: string) => {
    const { location, status } = await browser.navigate(target)
    t.same({ status, location }, { status: 303, location: '/#sign-in=failed' }, title)
    t.equal((await browser.fromPage('GET', '/session')).status, 401, title)
  }

  const forged = await begin()
  await refused('another state', forged.browser, forged.back.replace(/state=[^&]+/, 'state=abc'))
  const none = await begin()
  await refused('no state', none.browser, none.back.replace(/&state=[^&]+/, ''))
  const victim = new HubBrowser(port)
  await refused("an attacker's answer in another browser", victim, (await begin()).back)
  const both = await begin()
  await refused("an attacker's answer in a browser that signs in", both.browser, (await begin()).back)
  const swapped = await begin()
  const other = await begin()
  const state = /state=([^&]+)/.exec(swapped.back)![0]
  await refused("another sign-in's code", swapped.browser, other.back.replace(/state=[^&]+/, state))

  for (const [title, claims] of [
    ['another nonce', { nonce: 'of-another-sign-in' }],
    ['another issuer in the token', { iss: 'https://evil.test' }],
    ['a token for another client', { aud: 'another-client' }],
    ['a token that has expired', { exp: 1_000_000_000 }],
    ['a token without a subject', { sub: undefined }]
  ] as const) {
    const { browser, back } = await begin({ ...ADA, ...claims })
    await refused(title, browser, back)
  }
  provider.changeTokens = tokens => {
    const [head, , signature] = tokens.id_token!.split('.')
    const { nonce } = JSON.parse(Buffer.from(tokens.id_token!.split('.')[1]!, 'base64url').toString())
    const now = Math.floor(Date.now() / 1_000)
    const claims = { ...ADA, iss: provider.issuer.origin, aud: 'hub', nonce, iat: now, exp: now + 60 }
    tokens.id_token = [head, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.')
  }
  const unsigned = await begin({ ...ADA, email: 'eve@evil.test' })
  await refused('a token that was changed after it was signed', unsigned.browser, unsigned.back)
  provider.changeTokens = () => {}
  provider.changeRedirect = url => url.searchParams.set('iss', 'https://evil.test')
  const mixed = await begin()
  await refused('an answer of another issuer', mixed.browser, mixed.back)
  provider.changeRedirect = url => url.searchParams.set('error', 'access_denied')
  const denied = await begin()
  await refused('an error of the provider', denied.browser, denied.back)
  provider.changeRedirect = () => {}

  const { browser } = await signIn(ADA)
  t.equal((await browser.fromPage('GET', '/session')).status, 200)
  const once = await begin()
  const kept = new Map(once.browser.cookies)
  t.equal((await once.browser.navigate(once.back)).location, '/')
  const replay = new HubBrowser(port)
  for (const [name, value] of kept) replay.cookies.set(name, value)
  await refused('a code that was used', replay, once.back)
})

t.test('a sign-in begins one session, also where the provider takes its code twice', async t => {
  const { provider, hub, database, createOidc } = await startHubWithProvider(t)
  const person = { id: 'oidc:x#1', name: 'Ada', grantedBy: [...createOidc(ALLOW).grants.keys()][0]! }
  const { HubAccess } = await import('../../src/hub/access.ts')
  const access = await HubAccess.open(database, { people: [], grants: createOidc(ALLOW).grants })
  t.teardown(() => access.close())
  await access.signIn(person, 'state-1')
  await t.rejects(access.signIn(person, 'state-1'), { code: 'CONFLICT' })
  t.ok(provider.issuer)
  t.match(await hub.get('/servers'), { servers: [] })
})

t.test('a session ends with its time, its account, and its entry', async t => {
  const { hub, database, port, createOidc, signIn } = await startHubWithProvider(t)
  const { browser } = await signIn(ADA)
  const second = await startHub(t, sameDatabase(database), 0, { oidc: createOidc(ALLOW) })
  const elsewhere = new HubBrowser(second.port)
  elsewhere.cookies.set(SESSION_COOKIE(second.port), browser.cookies.get(SESSION_COOKIE(port))!)
  t.match(await elsewhere.fromPage('GET', '/session'), { status: 200 }, 'another process of the hub knows it')

  const without = await startHub(t, sameDatabase(database), 0, {
    oidc: createOidc(['@example.com'])
  })
  const later = new HubBrowser(without.port)
  later.cookies.set(SESSION_COOKIE(without.port), browser.cookies.get(SESSION_COOKIE(port))!)
  t.equal((await later.fromPage('GET', '/session')).status, 401, 'the entry was taken from the list')

  const { token } = (await hub.request('POST', '/accounts', { name: 'Bob', role: 'approver' })).body
  const bob = new HubBrowser(port)
  t.match(await bob.fromPage('POST', '/session', { token }), { status: 201, body: { person: { name: 'Bob' } } })
  const stream = await fetch(`${hub.url}/events`, { headers: { cookie: [...bob.cookies][0]!.join('=') } })
  const reader = stream.body!.getReader()
  t.equal((await hub.request('DELETE', '/accounts/Bob')).status, 204)
  for (let done = false; !done; ) done = (await reader.read()).done
  t.equal((await bob.fromPage('GET', '/session')).status, 401, 'the account was removed, and its stream has ended')
  t.equal((await hub.request('GET', '/session', undefined, token)).status, 401)

  await database.query("UPDATE sessions SET expires_at = now() + interval '1 second'")
  await database.query("SELECT pg_notify('toolgate_access', '')")
  const open = await fetch(`${hub.url}/events`, { headers: { cookie: [...browser.cookies][0]!.join('=') } })
  const events = open.body!.getReader()
  for (let done = false; !done; ) done = (await events.read()).done
  t.equal((await browser.fromPage('GET', '/session')).status, 401, 'its time is over')
})

t.test('accounts have roles, and only an administrator has a say about them', async t => {
  const hub = await startHub(t, await openEmbedded())
  t.match(await hub.get('/health'), { hub: { sign_in: ['token'] } })
  const add = (body: object, token?: string) => hub.request('POST', '/accounts', body, token)
  const viewer = (await add({ name: 'Vera', role: 'viewer' })).body.token
  const approver = (await add({ name: 'Alan', role: 'approver' })).body.token
  const admin = (await add({ name: 'Anne', role: 'admin' })).body.token
  t.match(await add({ name: 'Vera', role: 'admin' }), { status: 409 })
  t.match(await add({ name: 'system', role: 'admin' }), { status: 400 })
  t.match(await add({ name: 'Eve\u202e', role: 'viewer' }), { status: 400 })
  const decision = { server_id: 'sv_none', tool_call_id: 'call_none', digest: 'a'.repeat(64) }
  const rows: [string, string, object | undefined, number, number, number][] = [
    ['GET', '/servers', undefined, 200, 200, 200],
    ['GET', '/approvals', undefined, 200, 200, 200],
    ['POST', '/approve', decision, 403, 404, 404],
    ['POST', '/reject', decision, 403, 404, 404],
    ['POST', '/cancel', { server_id: 'sv_none', tool_call_id: 'call_none' }, 403, 404, 404],
    ['GET', '/rules', undefined, 200, 200, 200],
    ['PUT', '/rules', { rules: [], replaces: null }, 403, 403, 200],
    ['POST', '/enrolments', {}, 403, 403, 201],
    ['DELETE', '/servers/sv_none', undefined, 403, 403, 404],
    ['GET', '/accounts', undefined, 403, 403, 200],
    ['POST', '/accounts', { name: 'Eve', role: 'admin' }, 403, 403, 201],
    ['DELETE', '/accounts/Eve', undefined, 403, 403, 204],
    ['GET', '/uplink/decisions', undefined, 403, 403, 403]
  ]
  for (const [method, target, body, ...wanted] of rows) {
    const got = []
    for (const token of [viewer, approver, admin]) got.push((await hub.request(method, target, body, token)).status)
    t.same(got, wanted, `${method} ${target}`)
  }
})

t.test('a person has some sessions, and the oldest ends with a further one', async t => {
  const database = await openEmbedded()
  const hub = await startHub(t, database)
  const { token } = (await hub.request('POST', '/accounts', { name: 'Anne', role: 'viewer' })).body
  const browsers = Array.from({ length: 20 }, () => new HubBrowser(hub.port))
  for (const browser of browsers) t.equal((await browser.fromPage('POST', '/session', { token })).status, 201)
  const statuses = []
  for (const browser of browsers) statuses.push((await browser.fromPage('GET', '/session')).status)
  t.same(
    statuses,
    browsers.map((_, i) => (i < 4 ? 401 : 200))
  )
  const [stored] = await database.query<{ total: number }>('SELECT count(*) AS total FROM sessions')
  t.ok(stored!.total <= 17, 'and those that have ended take no room')
})

t.test('no other site uses a session', async t => {
  const hub = await startHub(t, await openEmbedded())
  const { token } = (await hub.request('POST', '/accounts', { name: 'Anne', role: 'admin' })).body
  const browser = new HubBrowser(hub.port)
  const post = (headers: Record<string, string>, body: object = { name: 'Eve', role: 'admin' }) =>
    browser.send('POST', '/accounts', body, headers)
  const foreign = { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }
  t.equal((await browser.send('POST', '/session', { token }, foreign)).status, 403, 'login CSRF')
  t.equal(
    (await browser.send('POST', '/session', { token }, { 'content-type': 'text/plain' })).status,
    400,
    'no form signs in'
  )
  t.equal((await browser.fromPage('POST', '/session', { token: 'person_wrong' })).status, 401)
  t.equal((await browser.fromPage('POST', '/session', { token })).status, 201)
  t.equal((await post(foreign)).status, 403)
  t.equal((await post({ origin: 'null' })).status, 403)
  t.equal((await post({ origin: `http://127.0.0.1:${hub.port + 1}` })).status, 403, 'another port')
  t.equal((await post({ 'sec-fetch-site': 'same-site', origin: browser.origin })).status, 403)
  t.equal((await post({})).status, 403, 'no origin')
  t.equal((await browser.send('GET', '/approvals', undefined, { 'sec-fetch-site': 'cross-site' })).status, 403)
  t.equal((await browser.navigate('/approvals')).status, 403, 'a link from another site')
  t.equal((await browser.send('DELETE', '/session', undefined, foreign)).status, 403)
  t.equal((await post({ origin: browser.origin })).status, 201, 'its own page')
  const [name, secret] = [...browser.cookies][0]!
  t.equal((await hub.request('GET', '/session', undefined, secret)).status, 401, 'a session is no token')
  browser.cookies.set(name, token)
  t.equal((await browser.fromPage('GET', '/session')).status, 401, 'a token is no session')
  const twice = await browser.send('GET', '/session', undefined, { cookie: `${name}=${secret}; ${name}=other` })
  t.equal(twice.status, 401, 'a cookie of the same name, set by another site of the domain')

  const remote = new HubBrowser(hub.port, 'hub.example.com')
  const { setCookies } = await remote.fromPage('POST', '/session', { token })
  t.match(setCookies, [
    /^__Host-toolgate-hub-session=session_[\w-]{32}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200; Secure$/
  ])
  t.equal((await remote.fromPage('GET', '/session')).status, 200)
})

t.test('a sign-in leads nowhere but to the console', async t => {
  const { port } = await startHubWithProvider(t)
  const browser = new HubBrowser(port)
  for (const target of ['/sign-in?to=//evil.test', '/sign-in?return_to=https://evil.test']) {
    const { location } = await browser.fromPage('GET', target)
    t.notMatch(location, /evil/)
  }
  t.equal((await browser.navigate('/sign-in/callback?to=//evil.test')).location, '/#sign-in=failed')
  t.equal((await browser.navigate('/sign-in')).status, 403, 'another site cannot begin one')
  const hub = await startHub(t, await openEmbedded())
  t.equal((await new HubBrowser(hub.port).fromPage('GET', '/sign-in')).location, '/#sign-in=failed', 'no provider')
})

t.test('a provider that is away is asked again later', async t => {
  const { provider, port, signIn } = await startHubWithProvider(t)
  const { port: address } = provider.server.address() as { port: number }
  await provider.server.stop()
  t.equal((await new HubBrowser(port).fromPage('GET', '/sign-in')).location, '/#sign-in=unavailable')
  await provider.server.start(address, '127.0.0.1')
  t.equal((await signIn(ADA)).answer.location, '/')
})
