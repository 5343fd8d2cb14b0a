// Tests of the shares of connections and event streams, through sockets.
// tier: quick
import { connect, type Socket } from 'node:net'
import path from 'node:path'
import t, { type Test } from 'tap'
import { defaultSettings } from '../../src/config/merge.ts'
import { listenOnSocket } from '../../src/server/unix-socket.ts'
import { agentToken, CALL_TOKEN, startApp, type TestApp, TOKEN } from '../start-app.ts'
import { once, waitUntil, within } from '../support/wait.ts'

const { limits } = defaultSettings()
const MAX_STREAMS = 64

const startWith = (t: Test, connections: number) =>
  startApp(t, {}, { settings: { limits: { ...limits, connections } } })

/** A keep-alive connection. */
class Line {
  readonly socket: Socket
  readonly closed: Promise<void>
  readonly #host: string
  #received = ''

  static async open(t: Test, app: TestApp, file?: string): Promise<Line> {
    const { hostname, port } = new URL(app.url)
    const socket = file === undefined ? connect(Number(port), hostname) : connect(file)
    t.teardown(() => socket.destroy())
    socket.on('error', () => {})
    await once(socket, 'connect')
    return new Line(socket, file === undefined ? `${hostname}:${port}` : 'localhost')
  }

  private constructor(socket: Socket, host: string) {
    this.socket = socket
    this.#host = host
    this.closed = new Promise(resolve => socket.once('close', () => resolve()))
    socket.setEncoding('latin1').on('data', text => {
      this.#received += text
    })
  }

  /** Sends a request and returns the start of its response: up to the body, or with a problem document. */
  async get(target: string, token?: string): Promise<string> {
    this.#received = ''
    const authorization = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`
    this.socket.write(`GET ${target} HTTP/1.1\r\nHost: ${this.#host}\r\n${authorization}\r\n`)
    return waitUntil('the response', () => {
      if (this.socket.destroyed && this.#received === '') throw new Error('the connection was closed')
      const length = /content-length: (\d+)/i.exec(this.#received)?.[1]
      const body = this.#received.indexOf('\r\n\r\n') + 4
      return body > 4 && this.#received.length >= body + Number(length ?? 0) && this.#received
    })
  }
}

async function openAll(t: Test, app: TestApp, count: number, file?: string): Promise<Line[]> {
  const lines: Line[] = []
  for (let i = 0; i < count; i++) lines.push(await Line.open(t, app, file))
  return lines
}

t.test('a token that may not approve holds a share of the connections', async t => {
  const app = await startWith(t, 40)
  const own = await openAll(t, app, 10)
  const [first, second] = own as [Line, Line]
  const further = await Line.open(t, app)
  for (const line of own) t.match(await line.get('/calls', CALL_TOKEN), /^HTTP\/1\.1 200 /)
  const refusal = await further.get('/calls', CALL_TOKEN)
  t.match(refusal, /^HTTP\/1\.1 429 /)
  t.match(refusal, /^retry-after: 1\r$/im)
  t.match(refusal, /^connection: close\r$/im)
  t.match(JSON.parse(refusal.slice(refusal.indexOf('{'))), {
    code: 'QUOTA_EXCEEDED',
    detail: 'This token already has 10 open connections, which is the maximum. Close one first.',
    recoverable: true,
    details: { limit: 'connections', max: 10, retry_after_s: 1 }
  })
  await within('the end of the connection', further.closed)
  t.match(await first.get('/calls', CALL_TOKEN), /^HTTP\/1\.1 200 /, 'those it has go on')
  const others = await openAll(t, app, 4)
  for (const line of others) t.match(await line.get('/calls', TOKEN), /^HTTP\/1\.1 200 /, 'approvers have no share')

  second.socket.destroy()
  await second.closed
  await waitUntil('the share to be free', async () => {
    const next = await Line.open(t, app)
    return (await next.get('/calls', CALL_TOKEN)).startsWith('HTTP/1.1 200 ')
  })
})

t.test('all tokens that may not approve leave connections for others', async t => {
  const app = await startWith(t, 8)
  const held = await openAll(t, app, 6)
  for (const [i, line] of held.entries())
    t.match(await line.get('/events', agentToken(`a${Math.floor(i / 2)}`)), /^HTTP\/1\.1 200 /)
  const one = await Line.open(t, app)
  t.match(await one.get('/calls', agentToken('b')), /"max":6,/)
  const approver = await Line.open(t, app)
  t.match(await approver.get('/calls', TOKEN), /^HTTP\/1\.1 200 /)
})

t.test('a new connection displaces an idle one', async t => {
  for (const kind of ['tcp', 'unix'])
    await t.test(kind, async t => {
      const app = await startWith(t, 8)
      const file = kind === 'tcp' ? undefined : path.join(app.folder, 'run', 's')
      if (file !== undefined) {
        const listener = await listenOnSocket(file, socket => app.app.http.server.emit('connection', socket))
        t.teardown(() => listener.close())
      }
      const approving = await openAll(t, app, 3, file)
      for (const line of approving) await line.get('/calls', TOKEN)
      const [busy, idle, other] = (await openAll(t, app, 3, file)) as [Line, Line, Line]
      await other.get('/calls', agentToken('a'))
      await busy.get('/events', agentToken('b'))
      await idle.get('/calls', agentToken('b'))
      const [silent, open] = (await openAll(t, app, 2, file)) as [Line, Line]
      await open.get('/health')

      const incoming: Line[] = []
      for (const displaced of [silent, open, idle, other]) {
        const line = await Line.open(t, app, file)
        t.match(await line.get('/calls', TOKEN), /^HTTP\/1\.1 200 /)
        await within('the end of the displaced connection', displaced.closed)
        incoming.push(line)
      }
      const last = await Line.open(t, app, file)
      await within('the end of a connection that cannot displace another', last.closed)
      for (const line of [...approving, ...incoming]) t.match(await line.get('/calls', TOKEN), /^HTTP\/1\.1 200 /)
      t.notOk(busy.socket.destroyed)
    })
})

t.test('a token that may not approve opens a bounded number of event streams', async t => {
  const app = await startApp(t)
  const streams = await openAll(t, app, MAX_STREAMS)
  await Promise.all(streams.map(line => line.get('/events', CALL_TOKEN)))
  const headers = { authorization: `Bearer ${CALL_TOKEN}`, accept: 'text/event-stream' }
  const refused = {
    status: 429,
    body: { code: 'QUOTA_EXCEEDED', details: { limit: 'event_streams', max: MAX_STREAMS, retry_after_s: 1 } }
  }
  t.match(await app.request('GET', '/events', undefined, headers), refused)
  t.match(await app.request('POST', '/calls', { tool: 'glob', params: { pattern: '*' } }, headers), refused)
  t.match(await app.get('/calls'), { calls: [] }, 'the refused call was not made')
  const { headers: answered, body: call } = await app.request(
    'POST',
    '/calls',
    { tool: 'glob', params: { pattern: '*' } },
    { authorization: `Bearer ${CALL_TOKEN}` }
  )
  t.match(call, { status: 'success' }, 'other requests are answered')
  t.notOk(answered.get('retry-after'))
  t.match(await app.request('GET', `/calls/${call.tool_call_id}/output`, undefined, headers), refused)
  const mcp = { ...headers, accept: 'application/json, text/event-stream' }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'me', version: '1' } }
  const opened = await app.request('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'initialize', params }, mcp)
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id')! }
  t.match(await app.request('GET', '/mcp', undefined, { ...headers, ...session }), refused)
  await app.events()

  streams[0]!.socket.destroy()
  await waitUntil('a stream to be free', async () => {
    const line = await Line.open(t, app)
    return (await line.get('/events', CALL_TOKEN)).startsWith('HTTP/1.1 200 ')
  })
})
