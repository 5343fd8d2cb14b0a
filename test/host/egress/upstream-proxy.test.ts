// Tests that web access and granted hosts of the sandbox go by the proxy that the environment names.
// tier: quick
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import { parseAuthority } from '../../../src/host/egress/parse-host.ts'
import { createFetch } from '../../../src/host/egress/proxied-fetch.ts'
import { UpstreamProxy } from '../../../src/host/egress/upstream-proxy.ts'
import { startApp } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'
import { once } from '../../support/wait.ts'

/** Starts a proxy that answers every plain request itself, and leads every tunnel to its own server. */
async function startProxy(t: Test, { password }: { password?: string } = {}) {
  const asked: string[] = []
  const sockets = new Set<Socket>()
  const isAllowed = ({ headers }: IncomingMessage) =>
    password === undefined ||
    headers['proxy-authorization'] === `Basic ${Buffer.from(`me:${password}`).toString('base64')}`
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    if (!isAllowed(request)) return response.writeHead(407).end()
    response.writeHead(200, { 'content-type': 'text/plain' }).end(`got ${request.url}`)
  })
  server.on('connection', socket => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  server.on('connect', (request, client: Socket) => {
    asked.push(`CONNECT ${request.url}`)
    if (!isAllowed(request)) return client.end('HTTP/1.1 407 No\r\n\r\n')
    const { port } = server.address() as AddressInfo
    const target = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connected\r\n\r\n')
      client.pipe(target).pipe(client)
    })
    target.on('error', () => client.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { asked, host: `127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const WEB = {
  ...defaultSettings().web,
  allow: ['public.toolgate-test.com', '*.toolgate-test.org', '10.0.0.1', 'intranet']
}

/** Starts an app whose environment has these variables besides those of this process. */
async function startBehind(t: Test, variables: Record<string, string>) {
  const environment = { PATH: process.env.PATH, HOME: process.env.HOME, ...variables }
  const app = await startApp(t, {}, { environment, settings: { web: WEB } })
  const get = async (url: string) => {
    const { status, result, error } = await app.call('web_fetch', { url })
    return status === 'success' ? result.data.body : `${error?.code}: ${error?.message}`
  }
  return { app, get }
}

t.test('plain requests go to the proxy, and others through a tunnel, by name', async t => {
  const proxy = await startProxy(t)
  const { get } = await startBehind(t, { HTTP_PROXY: `http://${proxy.host}`, HTTPS_PROXY: proxy.host })
  t.equal(await get('http://public.toolgate-test.com/a?b=1'), 'got http://public.toolgate-test.com/a?b=1')
  t.match(
    await get('https://public.toolgate-test.com/'),
    /TLS|HTTP|closed the connection|EPROTO|wrong version/i,
    'which speaks no TLS here'
  )
  t.same(proxy.asked, ['GET http://public.toolgate-test.com/a?b=1', 'CONNECT public.toolgate-test.com:443'])
})

t.test('credentials are sent to the proxy, and a refusal is explained', async t => {
  const proxy = await startProxy(t, { password: 'p@ss' })
  const open = await startBehind(t, { http_proxy: `http://me:p%40ss@${proxy.host}` })
  t.equal(await open.get('http://public.toolgate-test.com/'), 'got http://public.toolgate-test.com/')
  const shut = await startBehind(t, { all_proxy: `http://me:wrong@${proxy.host}` })
  const refused = await shut.get('https://public.toolgate-test.com/')
  t.match(
    refused,
    `NETWORK_ERROR: The proxy ${proxy.host} (all_proxy) does not connect to public.toolgate-test.com:443: the proxy requires credentials.`
  )
  t.notMatch(refused, 'wrong')
  const socks = await startBehind(t, { ALL_PROXY: 'socks5://127.0.0.1:1' })
  t.match(
    await socks.get('https://public.toolgate-test.com/'),
    /ALL_PROXY specifies a socks5 proxy: only http and https/
  )
})

t.test('addresses and names that are not of the internet are not left to the proxy', async t => {
  const proxy = await startProxy(t)
  const { get } = await startBehind(t, { HTTP_PROXY: `http://${proxy.host}`, HTTPS_PROXY: `http://${proxy.host}` })
  for (const url of ['http://10.0.0.1/', 'http://intranet/', 'https://intranet/'])
    t.match(await get(url), /^URL_BLOCKED/, url)
  t.same(proxy.asked, [])
})

t.test('endpoints of the user go by the same variables', async t => {
  const proxy = await startProxy(t)
  for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY']) {
    const answer = await createFetch({ [name]: `http://${proxy.host}` })('http://search.toolgate-test.com/q')
    t.equal(await answer.text(), 'got http://search.toolgate-test.com/q', name)
  }
  t.equal(createFetch({}), fetch, 'without a proxy, it is the fetch of the platform')
  t.same(UpstreamProxy.fromEnvironment({ ALL_PROXY: 'socks5://127.0.0.1:1', NO_PROXY: 'a.com' })?.settings(), {
    httpProxy: '',
    httpsProxy: '',
    noProxy: 'a.com,localhost,127.0.0.1,::1'
  })
})

t.test('NO_PROXY names hosts that are reached directly', t => {
  const by = (no_proxy: string, authority: string) => {
    const proxy = UpstreamProxy.fromEnvironment({ https_proxy: 'http://proxy:1', no_proxy })!
    const { host, port } = parseAuthority(authority, 443)
    return proxy.serverFor('https:', host, port)?.variable
  }
  for (const [list, host, expected] of [
    ['', 'a.com', 'https_proxy'],
    ['*', 'a.com', undefined],
    ['a.com', 'a.com', undefined],
    ['a.com', 'sub.a.com', undefined],
    ['a.com', 'ba.com', 'https_proxy'],
    ['.a.com, *.b.com', 'x.b.com', undefined],
    ['A.com:8443', 'a.com:8443', undefined],
    ['a.com:8443', 'a.com', 'https_proxy'],
    ['[2001:db8::1]', '[2001:db8::1]', undefined],
    ['93.184.215.14', '93.184.215.14', undefined]
  ] as const)
    t.equal(by(list, host), expected, `${list} and ${host}`)
  t.end()
})

t.test('granted hosts of a sandboxed command', needs('bwrap'), async t => {
  const proxy = await startProxy(t)
  const environment = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    HTTP_PROXY: `http://${proxy.host}`,
    HTTPS_PROXY: `http://${proxy.host}`
  }
  const sandbox = { ...defaultSettings().sandbox, level: 'workspace' as const }
  const app = await startApp(t, {}, { environment, settings: { sandbox } })
  const code = `
    const [proxy, url] = [new URL(process.env.HTTP_PROXY), process.argv[1]]
    require('http').get({ host: proxy.hostname, port: proxy.port, path: url, headers: { host: new URL(url).host } }, answer =>
      answer.pipe(process.stdout))`
  const run = async (source: string, url: string) => {
    const params = { command: `node -e "${source}" ${url}`, network: ['public.toolgate-test.com'] }
    const { tool_call_id, approval } = await app.call('shell_exec', params)
    const decision = { tool_call_id, digest: approval.digest, confirm: true }
    return (await app.post('/approve?wait_ms=120000', decision)).result.content
  }
  t.match(await run(code, 'http://public.toolgate-test.com/x'), 'got http://public.toolgate-test.com/x', 'plain')
  t.match(
    await run('fetch(process.argv[1]).then(r => r.text()).then(console.log)', 'http://public.toolgate-test.com/y'),
    'got /y',
    'through a tunnel'
  )
  t.same(proxy.asked, ['GET http://public.toolgate-test.com/x', 'CONNECT public.toolgate-test.com:80', 'GET /y'])
})
