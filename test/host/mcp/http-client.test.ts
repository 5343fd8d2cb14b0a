// Tests of redirects and links given by a remote MCP server.
// tier: quick
import { createServer, get } from 'node:http'
import t, { type Test } from 'tap'
import { createMcpHttpClient } from '../../../src/host/mcp/http-client.ts'
import { getPort, listen } from '../egress/fake-network.ts'

const FAR = 'http://far.example/mcp'
const dns: Record<string, string[]> = { 'far.example': ['93.184.216.34'], 'near.example': ['10.0.0.1'] }

/** A server on all hosts: `/on?to` redirects to that address. */
async function place(t: Test) {
  const seen: string[] = []
  const server = createServer((request, response) => {
    const { url = '', headers } = request
    seen.push(`${headers.host}${url}`)
    const to = url.startsWith('/on?') && decodeURIComponent(url.slice('/on?'.length))
    response.writeHead(to ? 307 : 200, to ? { location: to } : {}).end('here')
  })
  const port = getPort(await listen(t, server))
  return { seen, port, here: `http://127.0.0.1:${port}` }
}

/** A proxy that maps every name to that port. */
async function proxy(t: Test, port: number) {
  const asked: string[] = []
  const server = createServer(({ url = '', headers }, response) => {
    const { host, pathname, search } = new URL(url)
    asked.push(host)
    get({ port, host: '127.0.0.1', path: pathname + search, headers: { ...headers, host } }, answer => {
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    })
  })
  return { asked, http_proxy: `http://127.0.0.1:${getPort(await listen(t, server))}` }
}

async function from(t: Test, serverUrl: string, environment = {}) {
  const network = {
    lookup: async (name: string) => dns[name] ?? [],
    dial: () => Promise.reject(new Error('nothing is there'))
  }
  const egressPolicy = { ownPorts: [], network }
  const made = await createMcpHttpClient({
    environment,
    serverUrl,
    isUntrustedUrl: false,
    egressPolicy,
    maxBytes: 1_000
  })
  t.teardown(() => made.close())
  return async (url: string) => {
    try {
      return await (await made.fetch(url)).text()
    } catch (error) {
      return ((error as Error).cause as Error).message
    }
  }
}

t.test('a public server cannot redirect to internal addresses', async t => {
  const { here, port, seen } = await place(t)
  const { http_proxy, asked } = await proxy(t, port)
  const got = await from(t, FAR, { http_proxy })
  t.equal(await got(FAR), 'here')
  t.equal(await got('http://far.example/on?/mcp'), 'here', 'to itself')
  t.equal(await got('http://far.example/on?http://other.example/x'), 'here', 'to another name, by the proxy')
  seen.length = 0
  for (const within of [here, `http://[::ffff:7f00:1]:${port}`, 'http://169.254.169.254'])
    t.match(await got(`http://far.example/on?${within}/latest`), / is .*(?:loopback|metadata) address/)
  t.match(await got(`${here}/.well-known/x`), /loopback/, 'as the one that lets people in')
  await got(`http://far.example/on?http://localhost:${port}/x`)
  t.ok(asked.includes(`localhost:${port}`), 'a name of this machine is one of the proxy')
  t.notOk(seen.some(one => one.startsWith('127.0.0.1')))
})

t.test('evaluates names without a proxy too', async t => {
  const { here } = await place(t)
  const got = await from(t, FAR)
  t.match(await got('http://near.example/'), /near\.example resolves to a private address/)
  t.match(await got(here), /loopback/)
})

t.test('an internal server may redirect to internal addresses', async t => {
  const { here, port, seen } = await place(t)
  for (const home of [here, 'http://near.example/mcp']) {
    for (const environment of [{}, { http_proxy: 'http://127.0.0.1:9', no_proxy: 'localhost' }]) {
      const got = await from(t, home, environment)
      t.equal(await got(`http://localhost:${port}/x`), 'here')
    }
  }
  const got = await from(t, here)
  t.equal(await got(`${here}/on?http://localhost:${port}/y`), 'here')
  t.equal(seen.at(-1), `localhost:${port}/y`)
})
