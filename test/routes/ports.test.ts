// Tests of ports of jobs that are reachable through the server: over real connections, to real programs in the sandbox.
// tier: full
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'
import { createServer, type Socket } from 'node:net'
import type { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import { defaultSettings } from '../../src/config/merge.ts'
import { agentToken, CALL_TOKEN, type Json, startApp, type TestApp, TOKEN, toApproval } from '../start-app.ts'
import { needs } from '../support/needs.ts'
import { once, within } from '../support/wait.ts'
import { runApproved, startJob, waitForJobEnd, waitForOutput } from '../tools/commands/jobs.ts'

const settings = { sandbox: { ...defaultSettings().sandbox, level: 'workspace' as const } }
const PORT = 5_173

/** A server that answers with what it got, streams at /events, and echoes at an upgrade. */
const SERVER = `
import { createServer } from 'node:http'
const server = createServer((request, response) => {
  if (request.url === '/events') {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    return response.flushHeaders(), setImmediate(() => response.write('data: one\\n\\n'))
  }
  let body = ''
  request.setEncoding('utf8').on('data', chunk => (body += chunk))
  request.on('end', () => {
    const { method, url, headers } = request
    response.setHeader('set-cookie', ['a=1', 'b=2'])
    response.end(JSON.stringify({ method, url, headers, body }))
  })
})
server.on('upgrade', ({ url, headers }, socket) => {
  if (url === '/refused') return socket.end('HTTP/1.1 403 No\\r\\ncontent-length: 2\\r\\n\\r\\nno')
  socket.write('HTTP/1.1 101 Yes\\r\\nconnection: Upgrade\\r\\nupgrade: websocket\\r\\nx-own: 1\\r\\n\\r\\n')
  socket.write(JSON.stringify(headers) + '\\n')
  socket.pipe(socket)
})
server.listen(Number(process.argv[2]), process.argv[3] ?? '127.0.0.1', () => console.log('listening'))
`
const BEARER = { authorization: `Bearer ${TOKEN}` }
const UPGRADE = { connection: 'Upgrade', upgrade: 'websocket' }

/** Starts the server as a job; resolves when it listens. */
async function startServed(app: TestApp, more: object = {}): Promise<{ task_id: string; host: string }> {
  const task_id = await startJob(app, `node server.mjs ${PORT}`, { ports: [PORT], ...more })
  await waitForOutput(app, task_id, 'listening')
  return { task_id, host: hostOf(await app.get(`/jobs/${task_id}`)) }
}

const hostOf = ({ ports }: Json): string => new URL(ports[0].url).host

interface Answer {
  status: number | undefined
  headers: IncomingMessage['headers']
  text: string
}

/** Sends a request to a host of the server. */
async function visit(app: TestApp, host: string, path: string, options: VisitOptions = {}): Promise<Answer> {
  const response = await open(app, host, path, options)
  let text = ''
  // A character may be split between two chunks.
  response.setEncoding('utf8')
  for await (const chunk of response) text += chunk
  return { status: response.statusCode, headers: response.headers, text }
}

interface VisitOptions {
  method?: string
  headers?: OutgoingHttpHeaders
  body?: string
}

async function open(app: TestApp, host: string, path: string, { body, method, headers }: VisitOptions = {}) {
  const { hostname, port } = new URL(app.url)
  const sent = request({ hostname, port, path, method: method ?? 'GET', headers: { host, ...headers }, agent: false })
  sent.end(body)
  const [response] = await once(sent, 'response')
  return response as IncomingMessage
}

/** Opens an upgraded connection; resolves with what came first on it, or the answer that refused it. */
async function upgrade(t: Test, app: TestApp, host: string, path: string, headers: OutgoingHttpHeaders) {
  const { hostname, port } = new URL(app.url)
  const sent = request({ hostname, port, path, headers: { host, ...UPGRADE, ...headers }, agent: false })
  sent.end()
  const upgraded = new Promise<{ socket: Socket; head: Buffer; response: IncomingMessage }>(resolve =>
    sent.once('upgrade', (response, socket, head) => resolve({ socket, head, response }))
  )
  const refused = new Promise<{ refused: IncomingMessage }>(resolve =>
    sent.once('response', refused => resolve({ refused }))
  )
  const outcome = await within('the upgrade', Promise.race([upgraded, refused]))
  if ('refused' in outcome) return { status: outcome.refused.statusCode }
  const { socket, head, response } = outcome
  t.teardown(() => socket.destroy())
  return { status: 101, socket, head: head.toString(), headers: response.headers }
}

/** Resolves when the connection is closed. What is still unread would hold that back, so it is discarded. */
const closing = (socket: Socket) => once(socket.resume(), 'close')

async function readUntil(socket: Readable, text: string, start = ''): Promise<string> {
  let all = start
  while (!all.includes(text)) all += String((await once(socket, 'data'))[0])
  return all
}

t.test('a port in the sandbox', needs('bwrap'), async t => {
  const app = await startApp(t, { 'server.mjs': SERVER }, { settings })
  const { task_id, host } = await startServed(app)
  const get = (path: string, options?: VisitOptions) => visit(app, host, path, options)

  t.test('is named in the job', async t => {
    const ports = [{ port: PORT, url: `http://${host}/` }]
    t.match(host, /^5173-[0-9a-f]{20}\.localhost:\d+$/)
    t.match(await app.get('/jobs'), { jobs: [{ task_id, ports }] })
    t.match((await (await app.events('?after=0')).type('job.started')).at(-1), { task_id, ports })
    const call = await app.get(`/calls/${task_id}`)
    t.match(call.result.data, { task_id, ports })
    t.notOk('own_ports' in call.result.data)
    t.match(call.result.content, `Port 5173 is reachable at http://${host}/`)
  })

  t.test('answers a request with a token, which it does not get', async t => {
    const headers = { ...BEARER, cookie: 'mine=1; toolgate-port=x; other=2', 'x-own': 'yes', origin: `http://${host}` }
    const { status, headers: answered, text } = await get('/a?b=c', { method: 'POST', headers, body: 'text' })
    t.equal(status, 200)
    t.strictSame(answered['set-cookie'], ['a=1', 'b=2'])
    const got = JSON.parse(text)
    t.match(got, { method: 'POST', url: '/a?b=c', body: 'text' })
    t.strictSame(got.headers, {
      host,
      cookie: 'mine=1; other=2',
      'x-own': 'yes',
      origin: `http://${host}`,
      'content-length': '4',
      connection: 'close'
    })
  })

  t.test('streams', async t => {
    const response = await open(app, host, '/events', { headers: BEARER })
    t.equal(response.headers['content-type'], 'text/event-stream')
    t.equal(await readUntil(response, '\n\n'), 'data: one\n\n')
    response.destroy()
  })

  t.test('takes upgrades', async t => {
    const { status, socket, head, headers } = await upgrade(t, app, host, '/', { ...BEARER, cookie: 'toolgate-port=x' })
    t.equal(status, 101)
    t.match(headers, { upgrade: 'websocket', 'x-own': '1' })
    const got = await readUntil(socket!, '\n', head)
    t.notMatch(got, TOKEN)
    t.notMatch(got, 'toolgate-port')
    socket!.write('hello')
    t.equal(await readUntil(socket!, 'hello'), 'hello')
    t.match(await upgrade(t, app, host, '/refused', BEARER), { status: 403 })
  })

  t.test('carries many requests at once, and large bodies', async t => {
    const paths = Array.from({ length: 100 }, (_, n) => `/${n}`)
    const answers = await Promise.all(paths.map(path => get(path, { headers: BEARER })))
    t.strictSame(
      answers.map(({ text }) => JSON.parse(text).url),
      paths
    )
    const body = 'ü'.repeat(2_000_000)
    const { text } = await get('/', { method: 'PUT', headers: { ...BEARER, 'transfer-encoding': 'chunked' }, body })
    t.equal(JSON.parse(text).body, body)
  })

  t.test('refuses who has no token', async t => {
    t.match(await get('/'), { status: 401, headers: { 'www-authenticate': 'Bearer' }, text: /toolgate open tc_/ })
    t.match(await get('/', { headers: { authorization: 'Bearer no' } }), { status: 401 })
    t.match(await get('/', { headers: { cookie: 'toolgate-port=no' } }), { status: 401 })
    t.match(await get('/', { headers: { accept: 'text/html' } }), {
      status: 401,
      headers: { 'content-type': /html/, 'cache-control': 'no-store' },
      text: /<p>This port of a job/
    })
    t.match(await upgrade(t, app, host, '/', {}), { status: 401 })
  })

  t.test('refuses other sites and other hosts', async t => {
    const foreign = [
      { origin: 'http://evil.test' },
      { origin: app.url },
      { origin: `http://${host.replace(/:.*/, ':9')}` },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }
    ]
    for (const headers of foreign) {
      t.match(await get('/', { headers: { ...BEARER, ...headers } }), { status: 403 }, JSON.stringify(headers))
      t.match(await upgrade(t, app, host, '/', { ...BEARER, ...headers }), { status: 403 }, JSON.stringify(headers))
    }
    const other = `5173-${'0'.repeat(20)}.localhost`
    t.match(await visit(app, other, '/', { headers: BEARER }), { status: 404 })
    t.match(await upgrade(t, app, other, '/', BEARER), { status: 404 })
    t.match(await visit(app, 'evil.localhost', '/', { headers: BEARER }), { status: 403, text: /Host header/ })
    t.match(await visit(app, host, '/health', { headers: BEARER }), { text: /"url":"\/health"/ }, 'no route is there')
  })

  t.test('its pages do not reach the routes', async t => {
    const own = new URL(app.url).host
    const headers = { ...BEARER, origin: `http://${host}` }
    t.match(await visit(app, own, '/jobs', { headers }), { status: 403 })
    t.match(await visit(app, own, '/jobs', { headers: { ...BEARER, 'sec-fetch-site': 'cross-site' } }), { status: 403 })
    t.match(await upgrade(t, app, own, '/jobs', BEARER), { status: 200 }, 'a route takes no upgrade')
  })

  t.test('opens in a browser with a link that is valid once', async t => {
    const link = await app.request('POST', `/jobs/${task_id}/ports/${PORT}/link`)
    t.equal(link.status, 201)
    const { pathname, search, host: linked } = new URL(link.body.url)
    t.equal(linked, host)
    const page = await get(pathname + search)
    t.match(page, { status: 200, headers: { 'referrer-policy': 'no-referrer' }, text: /url=\/"/ })
    const [cookie = ''] = page.headers['set-cookie'] ?? []
    t.match(cookie, /^toolgate-port=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/)
    t.match(await get(pathname + search), { status: 401 })
    const session = cookie.split(';', 1)[0]!
    const own = await get('/', { headers: { cookie: `x=1; ${session}`, authorization: 'Bearer of-the-page' } })
    t.match(JSON.parse(own.text).headers, { cookie: 'x=1', authorization: 'Bearer of-the-page' })
    const sent = await get('/', { headers: { cookie: session, authorization: `bearer ${TOKEN}` } })
    t.strictSame(JSON.parse(sent.text).headers, { host, connection: 'close' })
    t.match(await upgrade(t, app, host, '/', { cookie: session, origin: `http://${host}` }), { status: 101 })
    t.match(await upgrade(t, app, host, '/', { cookie: session }), { status: 403 })
    t.match(await upgrade(t, app, host, '/', { cookie: session, origin: app.url }), { status: 403 })
    t.match(await app.request('POST', `/jobs/${task_id}/ports/80/link`), { status: 404 })
    t.match(await get('/.toolgate/other', { headers: BEARER }), { status: 404 })
  })

  t.test('ends with the token that opened it', async t => {
    const { token, token_id } = await app.post('/tokens', { name: 'n', rights: ['approve'] })
    const holder = { authorization: `Bearer ${token}` }
    const session = await openLink(app, task_id, holder)
    const opened = [{ cookie: session, origin: `http://${host}` }, holder]
    const connections = await Promise.all(opened.map(headers => upgrade(t, app, host, '/', headers)))
    const closed = Promise.all(connections.map(({ socket }) => closing(socket!)))
    await app.request('DELETE', `/tokens/${token_id}`)
    await closed
    for (const headers of [{ cookie: session }, holder]) t.match(await get('/', { headers }), { status: 401 })
  })

  t.test('no other port and no other command', async t => {
    const second = await startServed(app)
    const session = await openLink(app, second.task_id)
    t.match(await visit(app, second.host, '/', { headers: { cookie: session } }), { status: 200 })
    t.match(await get('/', { headers: { cookie: session } }), { status: 401 }, 'a session is for one port')
    const command =
      `node -e "fetch('http://127.0.0.1:${PORT}').then(() => console.log('reached'), ({ cause }) => console.log(cause.code))"` +
      '; ls /run/toolgate'
    const other = await runApproved(app, 'shell_exec', { command })
    t.match(other.result.data, { stdout: 'ECONNREFUSED\n', exit_code: 2 })
    t.match(await app.request('POST', `/jobs/${task_id}/ports/${PORT + 1}/link`), { status: 404 })
    await app.post(`/calls/${second.task_id}/cancel`, {})
  })

  t.test('ends with its job', async t => {
    const { socket } = await upgrade(t, app, host, '/', BEARER)
    const closed = closing(socket!)
    await app.post(`/calls/${task_id}/cancel`, {})
    await waitForJobEnd(app, task_id)
    await closed
    t.match(await get('/', { headers: BEARER }), { status: 404, text: /No running job/ })
    t.match(await app.request('POST', `/jobs/${task_id}/ports/${PORT}/link`), { status: 404 })
  })
})

async function openLink(app: TestApp, task_id: string, holder: Record<string, string> = BEARER): Promise<string> {
  const { url } = await app.post(`/jobs/${task_id}/ports/${PORT}/link`, undefined, holder)
  const { pathname, search, host } = new URL(url)
  const { headers } = await visit(app, host, pathname + search)
  return headers['set-cookie']![0]!.split(';', 1)[0]!
}

t.test('a port that nothing listens on yet, and one on ::1', needs('bwrap'), async t => {
  const app = await startApp(t, { 'server.mjs': SERVER }, { settings })
  const task_id = await startJob(app, `read; node server.mjs ${PORT} ::1`, { ports: [PORT], interactive: true })
  const host = hostOf(await app.get(`/jobs/${task_id}`))
  t.match(await visit(app, host, '/', { headers: BEARER }), {
    status: 502,
    headers: { 'retry-after': '1' },
    text: /The command does not listen on port 5173 yet/
  })
  t.match(await visit(app, host, '/', { headers: { ...BEARER, accept: 'text/html' } }), {
    status: 502,
    text: /http-equiv="refresh" content="1"/
  })
  await app.post(`/calls/${task_id}/input`, { text: '\n' })
  await waitForOutput(app, task_id, 'listening')
  t.match(await visit(app, host, '/', { headers: BEARER }), { status: 200 })
})

t.test('hosts and ports together, on a terminal', needs('bwrap'), async t => {
  const app = await startApp(t, { 'server.mjs': SERVER }, { settings })
  const { host } = await startServed(app, { network: ['example.com'], pty: {} })
  t.match(await visit(app, host, '/', { headers: BEARER }), { status: 200 })
})

t.test('a caller reaches the ports of the jobs that it started', needs('bwrap'), async t => {
  const app = await startApp(t, { 'server.mjs': SERVER }, { settings })
  const agent = { authorization: `Bearer ${agentToken('one')}` }
  const params = { command: `node server.mjs ${PORT}`, ports: [PORT] }
  const asked = await app.post('/calls', { tool: 'shell_background', params }, agent)
  const call = await app.post('/approve?wait_ms=120000', { ...toApproval(asked), confirm: true })
  const { task_id } = call.result.data
  await waitForOutput(app, task_id, 'listening')
  const host = hostOf(await app.get(`/jobs/${task_id}`))
  t.match(await visit(app, host, '/', { headers: agent }), { status: 200 })
  t.match(await visit(app, host, '/', { headers: BEARER }), { status: 200 })
  for (const other of [CALL_TOKEN, agentToken('two')]) {
    const headers = { authorization: `Bearer ${other}` }
    t.match(await visit(app, host, '/', { headers }), { status: 404 })
    t.match(await app.request('POST', `/jobs/${task_id}/ports/${PORT}/link`, undefined, headers), { status: 404 })
  }
  t.match(await app.request('POST', `/jobs/${task_id}/ports/${PORT}/link`, undefined, agent), { status: 201 })
})

t.test('is approved by name', needs('bwrap'), async t => {
  const app = await startApp(t, {}, { settings })
  const start = (params: object) => app.call('shell_background', { command: 'npm run dev', ...params })
  const { approval, status } = await start({ ports: [PORT, 3_000] })
  t.equal(status, 'awaiting_approval')
  t.equal(approval.reason, 'Makes ports 5173 and 3000 of the command reachable on this machine.')
  t.match(approval.preview.text, 'ports: 5173, 3000')
  t.match(approval.preview.notes.join('\n'), "The command's ports become reachable through this server")
  const always = approval.always_options[0]
  t.match(always, { label: /with ports 5173 and 3000 reachable/, rule: { match: { ports: [PORT, 3_000] } } })
  const decide = async (match: object, params: object) => {
    const rule = { effect: 'allow', match, scope: 'workspace', workspace: 'default' }
    const { rule_id } = await app.post('/rules', rule)
    const decision = await app.post('/policy/explain', {
      tool: 'shell_background',
      params: { command: 'npm run dev', ...params }
    })
    await app.request('DELETE', `/rules/${rule_id}`)
    return decision.verdict.decision
  }
  const command = { tool: 'shell_background', command: 'npm run dev' }
  t.equal(await decide({ ...command, ports: [PORT, 3_000] }, { ports: [PORT] }), 'allow')
  t.equal(await decide({ ...command, ports: [3_000] }, { ports: [PORT] }), 'ask')
  t.equal(await decide(command, { ports: [PORT] }), 'ask')
  t.equal(await decide(command, {}), 'allow')
  await app.post('/rules', { effect: 'deny', match: { ports: [3_000] }, scope: 'workspace', workspace: 'default' })
  t.match(await start({ ports: [PORT, 3_000] }), { status: 'rejected' })
  t.match(await start({ ports: [PORT] }), { status: 'awaiting_approval' })
  for (const ports of [[], [80], [65_536], [PORT, PORT], [1.5]])
    t.match(await start({ ports }), { status: 400, code: 'INVALID_PARAMS' }, JSON.stringify(ports))
})

t.test('without a sandbox, a port is reachable where the command itself listens', needs('linux'), async t => {
  const app = await startApp(t, { 'server.mjs': SERVER })
  const foreign = createServer(socket => socket.end('foreign')).listen(0, '127.0.0.1')
  await once(foreign, 'listening')
  t.teardown(() => foreign.close())
  const { port } = foreign.address() as { port: number }
  const task_id = await startJob(app, `read; exec node server.mjs ${port}`, { ports: [port], interactive: true })
  const host = hostOf(await app.get(`/jobs/${task_id}`))
  t.match(await visit(app, host, '/', { headers: BEARER }), { status: 502, text: /Another program listens/ })
  foreign.close()
  await once(foreign, 'close')
  t.match(await visit(app, host, '/', { headers: BEARER }), { status: 502, text: /The command does not listen/ })
  await app.post(`/calls/${task_id}/input`, { text: '\n' })
  await waitForOutput(app, task_id, 'listening')
  t.match(await visit(app, host, '/', { headers: BEARER }), { status: 200 })
  t.match(await upgrade(t, app, host, '/', BEARER), { status: 101 })
})
