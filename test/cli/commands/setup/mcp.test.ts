// Tests of `toolgate mcp`: the protocol over stdio, by a running server or a new one.
// tier: full
// run: waiting (for servers of their own to start and to end)
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { json, text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { findLiveServers } from '../../../../src/node-client/discover.ts'
import { type Json, TOKEN } from '../../../start-app.ts'
import { once, within } from '../../../support/wait.ts'
import { createProject, serveProject } from '../../toolgate.ts'

/** A client that has started the program as a process, which may start a server. */
function talkToProgram(t: Test, { start }: Pick<ReturnType<typeof createProject>, 'start'>) {
  const child = start(['mcp'])
  const { stdin, stdout, stderr } = child
  return talk(t, { stdin, stdout, stderr, ended: new Promise(resolve => child.once('exit', resolve)) })
}

/** A client that has started the command for a running server. */
const talkToCommand = (t: Test, { begin }: Pick<ReturnType<typeof createProject>, 'begin'>, ...flags: string[]) =>
  talk(t, begin(['mcp', ...flags]))

interface Started {
  stdin: Writable
  stdout: Readable
  stderr: Readable
  ended: Promise<number | null>
}

/** Writes lines and reads the messages that come back. */
function talk(t: Test, { stdin, ...started }: Started) {
  const lines = createInterface({ input: started.stdout })[Symbol.asyncIterator]()
  const stderr = text(started.stderr)
  t.teardown(() => stdin.end())
  const say = (message: Json) => stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`)
  const next = async (): Promise<Json> => {
    const { done, value } = await lines.next()
    if (done) throw new Error(`it has ended: ${await stderr}`)
    return JSON.parse(value)
  }
  /** Returns the response and the messages before it. */
  async function until(id: number): Promise<{ before: Json[]; response: Json }> {
    const before: Json[] = []
    for (;;) {
      const message = await next()
      if (message.id === id && !message.method) return { before, response: message }
      before.push(message)
    }
  }
  const ask = async (id: number, method: string, params: Json = {}) => {
    say({ jsonrpc: '2.0', id, method, params })
    return (await until(id)).response
  }
  const initialize = (capabilities: object = {}) =>
    ask(0, 'initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'talker', version: '1' } })
  const end = async () => {
    stdin.end()
    const code = await within('it to end', started.ended)
    return { code, stderr: await stderr, rest: await lines.next() }
  }
  return { say, next, until, ask, initialize, end }
}

const read = { name: 'read_file', arguments: { path: 'a.txt' } }
const write = { name: 'write_file', arguments: { path: 'a.txt', content: 'new\n' }, _meta: { progressToken: 1 } }
const waiting = (before: Json[]) => /id is (tc_\w+)\.$/.exec(before[0].params.message)![1]!

t.test('without a server starts one, which exits with it', async t => {
  const here = createProject(t, { 'a.txt': 'hello\n' })
  const talker = talkToProgram(t, here)
  talker.say('{"jsonrpc": 1, ')
  t.match(await talker.next(), { id: null, error: { code: -32_700 } })
  t.match(await talker.initialize(), { result: { serverInfo: { name: 'toolgate' }, instructions: /approval/ } })
  t.match(await talker.ask(1, 'tools/call', read), { result: { structuredContent: { content: 'hello\n' } } })
  t.match(await talker.ask(2, 'nothing/like/it'), { error: { code: -32_601 } })
  const env = { HOME: here.home, PATH: '' }
  t.equal((await findLiveServers(env)).length, 1)
  t.same(await talker.end(), { code: 0, stderr: '', rest: { value: undefined, done: true } })
  t.same(await findLiveServers(env), [])
})

const shared = await serveProject(t)

t.test('connects to the running server with call-only rights; cancelling cancels', async t => {
  const here = shared
  const talker = talkToCommand(t, here, '--agent', 'reviewer', '--timeout', '600s')
  await talker.initialize({ elicitation: {} })
  talker.say({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: write })
  const id = waiting([await talker.next()])
  t.match(await here.client.get(id), { status: 'awaiting_approval', agent: 'reviewer', client: 'talker' })
  t.equal((await here.toolgate(['approve', id, '--yes'])).code, 0)
  t.match((await talker.until(1)).response, { result: { structuredContent: { path: 'a.txt' } } })

  const again = { ...write, arguments: { path: 'a.txt', content: 'other\n' } }
  talker.say({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: again })
  const other = waiting([await talker.next()])
  talker.say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } })
  t.match((await here.client.get(other, { wait_ms: 120_000 })).status, 'cancelled')
  await talker.end()
  t.equal((await here.client.state()).pending.length, 0)
})

t.test('cancelling cancels a request of the generation without sessions', async t => {
  const here = shared
  const talker = talkToCommand(t, here)
  writeFileSync(`${here.project}/a.txt`, 'hello\n')
  const { head } = await here.client.state()
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'talker', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {}
  }
  talker.say({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { ...write, _meta } })
  const findCall = async () => {
    for await (const event of here.client.events({ after: head, types: ['tool.call'] }))
      if (event.type === 'tool.call' && event.tool_call_id) return event.tool_call_id
    throw new Error('the stream has ended')
  }
  const tool_call_id = await within('the call', findCall())
  talker.say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } })
  t.match((await here.client.get(tool_call_id, { wait_ms: 120_000 })).status, 'cancelled')
  t.match(await talker.ask(3, 'tools/call', { ...read, _meta }), { result: { structuredContent: {} } })
  await talker.end()
})

t.test('notifications keep no connection open', async t => {
  const here = await serveProject(t, { '.toolgate/config.jsonc': '{ "limits": { "connections": 8 } }' })
  const talker = talkToCommand(t, here)
  await talker.initialize()
  for (let id = 1; id <= 20; id++) {
    talker.say({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' })
    t.match(await talker.ask(id, 'ping'), { result: {} })
  }
  t.equal((await talker.end()).stderr, '')
})

/** Starts a server that answers a notification only on demand, and the command for it. */
async function beginWithSlowServer(t: Test) {
  const notification = Promise.withResolvers<{ method: string; answer: () => void }>()
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const { id, method } = (await json(request)) as Json
    if (id === undefined) return notification.resolve({ method, answer: () => response.writeHead(202).end() })
    const headers = { 'content-type': 'application/json', 'mcp-session-id': 'one' }
    response.writeHead(200, headers).end(JSON.stringify({ jsonrpc: '2.0', id, result: {} }))
  })
  server.listen(0, '127.0.0.1')
  t.teardown(() => server.close().closeAllConnections())
  await once(server, 'listening')
  const { folder, begin } = createProject(t)
  const env = {
    TOOLGATE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    TOOLGATE_TOKEN_FILE: path.join(folder, 'token')
  }
  writeFileSync(env.TOOLGATE_TOKEN_FILE, TOKEN, { mode: 0o600 })
  const command = begin(['mcp'], env)
  return { command, notification: within('the notification', notification.promise) }
}

t.test('its end awaits the answer to a notification', async t => {
  const { command, notification } = await beginWithSlowServer(t)
  const talker = talk(t, command)
  await talker.initialize()
  talker.say({ jsonrpc: '2.0', method: 'notifications/initialized' })
  const { method, answer } = await notification
  t.equal(method, 'notifications/initialized')
  const ending = talker.end()
  await once(command.stdin, 'close')
  answer()
  t.same(await ending, { code: 0, stderr: '', rest: { value: undefined, done: true } })
})

t.test('an interrupt ends the wait for the answer to a notification', async t => {
  const { command, notification } = await beginWithSlowServer(t)
  const talker = talk(t, command)
  await talker.initialize()
  talker.say({ jsonrpc: '2.0', method: 'notifications/initialized' })
  await notification
  command.interrupt()
  t.match(await talker.end(), { code: 0, stderr: /^toolgate: A message to the server was lost: / })
})

t.test('with --approve the user at the client decides', async t => {
  const here = shared
  writeFileSync(`${here.project}/a.txt`, 'hello\n')
  const talker = talkToCommand(t, here, '--approve')
  await talker.initialize({ elicitation: {} })
  talker.say({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...write, _meta: {} } })
  const { id, method, params } = await talker.next()
  t.equal(method, 'elicitation/create')
  t.match(params.message, '+new')
  talker.say({ jsonrpc: '2.0', id, result: { action: 'accept', content: { decision: 'approve' } } })
  t.match((await talker.until(1)).response, { result: { structuredContent: { path: 'a.txt' } } })
  t.equal(readFileSync(`${here.project}/a.txt`, 'utf8'), 'new\n')
})

t.test('a pending call survives a killed server', async t => {
  const here = await serveProject(t)
  const talker = talkToProgram(t, here)
  await talker.initialize()
  talker.say({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: write })
  const id = waiting([await talker.next()])
  here.server.process.kill('SIGKILL')
  await here.server.ended
  // It has started a server, which restores the call from the journal; the client need not know.
  t.match(await talker.next(), { params: { message: /The call waits for approval/ } })
  t.equal((await here.toolgate(['approve', id, '--yes'])).code, 0)
  t.match((await talker.until(1)).response, {
    result: { structuredContent: { path: 'a.txt' }, _meta: { 'toolgate/tool_call_id': id } }
  })
  t.match(await talker.ask(2, 'tools/call', read), { result: { structuredContent: { content: 'new\n' } } })
  t.match((await talker.end()).stderr, /Starting a new session/)
})
