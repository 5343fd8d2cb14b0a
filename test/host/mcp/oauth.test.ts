// Tests of login to a remote server: against our own authorization server, and the library's server behind it.
// tier: quick
import { createHash, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import t, { type Test } from 'tap'
import { startApp } from '../../start-app.ts'
import { once } from '../../support/wait.ts'
import { waitForState, waitUntilReady, withMcpServers } from './scripted-settings.ts'

const SECRET = 'a-secret-of-forty-characters-or-a-bit-more'

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const part of request) text += part
  return text
}

interface GuardedOptions {
  /** Path of the metadata of the protected resource. */
  metadata?: string
  /** Scopes that it names when it refuses a request without a token, and a call of its tool. */
  scope?: string
  scopeOfTool?: string
}

/** A server with one tool, and its authorization server. */
async function guardedServer(
  t: Test,
  { metadata = '/.well-known/oauth-protected-resource/mcp', scope, scopeOfTool }: GuardedOptions = {}
) {
  const tokens = new Map<string, string>()
  const requested: (string | null)[] = []
  const refreshes = new Set<string>()
  const codes = new Map<string, string>()
  const seen: string[] = []
  const http = createServer(async (request, response) => {
    const url = new URL(request.url!, base())
    const json = (status: number, body: unknown, headers = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
    const body = await textOf(request)
    if (url.pathname === metadata) return json(200, { resource: `${base()}/mcp`, authorization_servers: [base()] })
    if (url.pathname.startsWith('/.well-known/oauth-authorization-server'))
      return json(200, {
        issuer: base(),
        authorization_endpoint: `${base()}/authorize`,
        token_endpoint: `${base()}/token`,
        registration_endpoint: `${base()}/register`,
        response_types_supported: ['code'],
        grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none', 'client_secret_basic']
      })
    if (url.pathname === '/register') return json(201, { ...JSON.parse(body), client_id: 'registered' })
    if (url.pathname === '/authorize') {
      const code = randomUUID()
      codes.set(code, url.searchParams.get('code_challenge')!)
      requested.push(url.searchParams.get('scope'))
      const back = new URL(url.searchParams.get('redirect_uri')!)
      back.search = new URLSearchParams({ code, state: url.searchParams.get('state')! }).toString()
      return response.writeHead(302, { location: back.href }).end()
    }
    if (url.pathname === '/token') {
      const form = new URLSearchParams(body)
      const grant = form.get('grant_type')!
      seen.push(grant)
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url')
      const basic = `Basic ${Buffer.from(`robot:${SECRET}`).toString('base64')}`
      const fits: Record<string, boolean> = {
        authorization_code: codes.get(form.get('code') ?? '') === challenge,
        refresh_token: refreshes.delete(form.get('refresh_token') ?? ''),
        client_credentials: request.headers.authorization === basic
      }
      if (!fits[grant]) return json(400, { error: 'invalid_grant' })
      const [access_token, refresh_token] = [randomUUID(), randomUUID()]
      tokens.set(access_token, requested.at(-1) ?? '')
      refreshes.add(refresh_token)
      return json(200, { access_token, token_type: 'Bearer', expires_in: 3600, refresh_token })
    }
    const granted = tokens.get((request.headers.authorization ?? '').replace('Bearer ', ''))
    const refuse = (status: number, parameters: string) =>
      json(status, {}, { 'www-authenticate': `Bearer resource_metadata="${new URL(metadata, base())}"${parameters}` })
    if (granted === undefined) return refuse(401, scope === undefined ? '' : `, scope="${scope}"`)
    if (request.method !== 'POST') return response.writeHead(405).end()
    const { id, method } = JSON.parse(body)
    if (method === 'tools/call' && scopeOfTool !== undefined && !granted.split(' ').includes(scopeOfTool))
      return refuse(403, `, error="insufficient_scope", scope="${scopeOfTool}"`)
    if (id === undefined) return response.writeHead(202).end()
    const results: Record<string, unknown> = {
      initialize: {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'guarded', version: '1' }
      },
      'tools/list': { tools: [{ name: 'who', inputSchema: { type: 'object' } }] },
      'tools/call': {
        content: [
          { type: 'resource', resource: { uri: `me://${request.headers.authorization}`, blob: 'AAAA' } },
          { type: 'text', text: `you, ${SECRET}, ${request.headers.authorization}` }
        ]
      }
    }
    const result = results[method]
    return json(200, { jsonrpc: '2.0', id, ...(result ? { result } : { error: { code: -32601, message: 'no' } }) })
  }).listen(0, '127.0.0.1')
  await once(http, 'listening')
  const base = () => `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  t.teardown(() => {
    http.closeAllConnections()
    http.close()
  })
  return { url: `${base()}/mcp`, tokens, refreshes, seen, requested }
}

const effects = { '*': 'read' as const }

/** A server echoes the credentials: all are redacted. */
const SHOWN = { status: 'success', result: { content: /, Bearer \[[^\]]+\]$/ } }

t.test('a user logs in once', async t => {
  const guarded = await guardedServer(t)
  const app = await startApp(t, {}, { settings: withMcpServers({ one: { url: guarded.url, effects } }) })
  t.match(await waitForState(app, 'one', 'needs_login'), {
    reason: 'the server requires a login: toolgate mcp login one'
  })
  t.match((await app.call('mcp_tool', { server: 'one', tool: 'who' })).error, {
    code: 'MCP_ERROR',
    message: /toolgate mcp login one/
  })

  t.match(await app.request('POST', '/mcp-servers/none/login', {}), { status: 404 })
  const { authorization_url } = await app.post('/mcp-servers/one/login', {})
  const address = new URL(authorization_url)
  t.match(address.searchParams.get('redirect_uri'), /^http:\/\/127\.0\.0\.1:\d+\/callback$/)
  t.equal(address.searchParams.get('code_challenge_method'), 'S256')
  const stray = new URL(address.searchParams.get('redirect_uri')!)
  stray.search = '?code=x&state=y'
  t.equal((await fetch(stray)).status, 404, 'nobody else comes back in its place')
  t.equal(await (await fetch(authorization_url)).text(), 'Logged in to one. You can close this page.')
  await waitUntilReady(app, 'one')
  t.match(await app.call('mcp:one:who', {}), SHOWN)

  const folder = path.join(app.settings.state_dir, 'mcp')
  const [file] = readdirSync(folder)
  t.equal(statSync(path.join(folder, file!)).mode & 0o777, 0o600)
  t.equal(statSync(folder).mode & 0o777, 0o700)

  guarded.tokens.clear()
  t.match(await app.call('mcp:one:who', {}), SHOWN, 'what has run out is refreshed, and hidden at once')
  t.strictSame(guarded.seen, ['authorization_code', 'refresh_token'])
  guarded.tokens.clear()
  guarded.refreshes.clear()
  t.match(await app.call('mcp:one:who', {}), { error: { code: 'MCP_ERROR', message: /toolgate mcp login one/ } })
  await waitForState(app, 'one', 'needs_login')
  t.match(await app.post('/mcp-servers/one/logout', {}), { servers: [{ name: 'one', state: 'needs_login' }] })
  t.notMatch(
    readdirSync(folder)
      .map(name => readFileSync(path.join(folder, name), 'utf8'))
      .join(),
    'access_token'
  )
})

t.test('a login asks for what the server names, where it says', async t => {
  const guarded = await guardedServer(t, { metadata: '/elsewhere/resource', scope: 'read list', scopeOfTool: 'use' })
  const settings = withMcpServers({
    one: { url: guarded.url, effects },
    two: { url: guarded.url, effects, oauth: { scope: 'mine' } }
  })
  const app = await startApp(t, {}, { settings })
  const logIn = async (name: string) => {
    const { authorization_url } = await app.post(`/mcp-servers/${name}/login`, {})
    t.equal(await (await fetch(authorization_url)).text(), `Logged in to ${name}. You can close this page.`)
  }
  for (const name of ['one', 'two']) {
    await waitForState(app, name, 'needs_login')
    await logIn(name)
    await waitUntilReady(app, name)
    t.match(await app.call(`mcp:${name}:who`, {}), {
      error: {
        code: 'MCP_ERROR',
        message: `The MCP server ${name} requires scopes that were not granted: the server requires a login: toolgate mcp login ${name}`,
        recoverable: false
      }
    })
    t.match(await app.get('/mcp-servers'), { servers: [{ state: /ready|needs_login/ }, {}] })
    await logIn(name)
    await waitUntilReady(app, name)
    t.match(await app.call(`mcp:${name}:who`, {}), SHOWN)
  }
  t.strictSame(guarded.requested, ['read list', 'read list use', 'mine', 'mine use'])
})

t.test('redacts the page of a server without logins', async t => {
  const listening = createServer((_, response) => response.writeHead(404).end('<!DOCTYPE html>\n<p>Cannot POST</p>'))
  await once(listening.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => listening.close())
  const { port } = listening.address() as AddressInfo
  const app = await startApp(t, {}, { settings: withMcpServers({ one: { url: `http://127.0.0.1:${port}/mcp` } }) })
  const { status, body } = await app.request('POST', '/mcp-servers/one/login', {})
  t.equal(status, 502)
  t.match(body.detail, /^The login to one could not be started: .*404\)\.$/)
})

t.test('a configured secret authenticates, and is redacted', async t => {
  const guarded = await guardedServer(t)
  process.env.ROBOT_SECRET = SECRET
  t.teardown(() => delete process.env.ROBOT_SECRET)
  const oauth = {
    grant: 'client_credentials',
    client_id: 'robot',
    issuer: new URL(guarded.url).origin,
    client_secret: '$' + '{env:ROBOT_SECRET}'
  } as const
  const settings = withMcpServers({
    one: { url: guarded.url, effects, oauth },
    two: { url: guarded.url, oauth: { grant: 'client_credentials' } },
    three: { url: guarded.url, headers: { Authorization: 'Bearer wrong-key-of-some-length' } },
    four: { command: process.execPath }
  })
  const app = await startApp(t, {}, { settings })
  await waitUntilReady(app, 'one')
  const told = await app.call('mcp:one:who', {})
  t.match(told, SHOWN)
  t.notMatch(JSON.stringify(told), SECRET)
  t.notOk(
    [...guarded.tokens.keys()].some(token => JSON.stringify(told).includes(token)),
    'beside bytes neither'
  )
  t.match(await waitForState(app, 'two', 'failed'), { reason: /needs `client_id`/ })
  t.match(await waitForState(app, 'three', 'needs_login'), { reason: /rejects the configured credentials/ })
  for (const name of ['one', 'four'])
    t.match(await app.request('POST', `/mcp-servers/${name}/login`, {}), { status: 409 })
  t.match(await app.post('/mcp-servers/one/restart', {}), { servers: [{ state: 'ready', restarts: 1 }] })
})
