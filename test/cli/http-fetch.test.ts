// Tests of the CLI's requests: they end as those of `fetch` do, except that no redirect is followed.
// tier: full
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import t, { type Test } from 'tap'
import { httpFetch } from '../../src/cli/http-fetch.ts'
import { connect } from '../../src/client/client.ts'
import { getJson } from '../../src/node-client/get-json.ts'
import { startApp, TOKEN } from '../start-app.ts'
import { LIMIT_MS, once, within } from '../support/wait.ts'
import { serveProject } from './toolgate.ts'

async function listen(t: Test, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const clientOf = (url: string) => connect({ url, token: 'secret', fetch: httpFetch })

t.test('calls, refusals and events are those of fetch', async t => {
  const app = await startApp(t, { 'a.txt': 'ü\n' })
  const [ours, other] = [{ fetch: httpFetch }, {}].map(options => connect({ url: app.url, token: TOKEN, ...options }))
  t.same(await ours!.health(), await other!.health())
  t.match(await ours!.call('read_file', { path: 'a.txt' }), { status: 'success', result: { data: { content: 'ü\n' } } })
  const refusals = await Promise.all(
    [ours, other].map(client =>
      client!.call('none', {}).catch(({ code, status, message }) => ({ code, status, message }))
    )
  )
  t.same(refusals[0], refusals[1])
  t.equal(await (await ours!.downloadFile('a.txt')).text(), 'ü\n')
  const streamed: string[] = []
  for await (const event of ours!.stream('read_file', { path: 'a.txt' })) streamed.push(event.type)
  t.same(streamed, ['stream.snapshot', 'tool.call', 'tool.result'])
})

t.test('a response that ends early is none', async t => {
  const url = await listen(t, (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 })
    response.write('{"pending":[]')
    setImmediate(() => response.destroy())
  })
  await t.rejects(clientOf(url).state(), {
    code: 'BAD_ANSWER',
    message: `${url} returned a response that is not JSON.`
  })
})

t.test('a response that breaks off within its first bytes is none', async t => {
  const server = createTcpServer(socket => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nno length\r\n'))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await t.rejects(within('the response to end', clientOf(url).state()), { code: 'BAD_ANSWER' })
  await t.rejects(within('the response to end', getJson({ url }, '/health', LIMIT_MS)))
})

t.test('follows no redirect, so that the token stays with the server', async t => {
  let hasFollowed = false
  const elsewhere = await listen(t, (_, response) => {
    hasFollowed = true
    response.end('{}')
  })
  const url = await listen(t, (_, response) => response.writeHead(302, { location: elsewhere }).end())
  await t.rejects(clientOf(url).state(), { code: 'BAD_ANSWER', status: 302 })
  t.notOk(hasFollowed)
})

t.test('rejects with the reason of the signal, before and after the head of the response', async t => {
  const [reason, abort] = [new Error('no longer needed'), [new AbortController(), new AbortController()]]
  const [silent, slow] = abort as [AbortController, AbortController]
  const url = await listen(t, (request, response) => {
    if (request.url === '/health') return silent.abort(reason)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write('{"pending":')
    slow.abort(reason)
  })
  await t.rejects(within('the request to end', clientOf(url).health({ signal: silent.signal })), reason)
  await t.rejects(within('the response to end', clientOf(url).state({ signal: slow.signal })), reason)
})

t.test('nothing is there', async t => {
  await t.rejects(clientOf('http://127.0.0.1:1').state(), { code: 'UNREACHABLE', status: 0 })
})

/** Reports at the end what takes long to load: `fetch`, and what segments text to measure it. */
const REPORT_LOADED = `
  Intl.Segmenter = class extends Intl.Segmenter { constructor() { super(); console.error('has a segmenter') } }
  process.on('exit', () => {
    if (process.moduleLoadList.includes('NativeModule internal/deps/undici/undici')) console.error('has fetch')
  })`

t.test('commands load neither fetch nor what measures text without need', async t => {
  const { program } = await serveProject(t, { 'a.txt': 'one\n', '漢.txt': 'two\n' })
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(REPORT_LOADED)}` }
  for (const argv of [['call', 'read_file', 'path=a.txt'], ['call', 'read_file', 'path=漢.txt'], ['tools'], ['status']])
    t.match(await program(argv, { env }), { code: 0, stderr: '' }, argv.join(' '))
  t.match(await program(['api', '/health'], { env }), { code: 0, stderr: 'has fetch\n' }, 'by its own fetch')
  await program(['call', 'write_file', 'path=漢.txt', 'content=x', '--no-wait'], { env })
  t.match(await program(['approvals'], { env }), { code: 0, stderr: /^has a segmenter\n/ }, 'for wide characters')
})
