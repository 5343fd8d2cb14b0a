// Fixture: an egress with a fake network behind it, and a client that sends bytes over its unix socket.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer as createWeb, type IncomingMessage } from 'node:http'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Test } from 'tap'
import { openEgress } from '../../../src/host/egress/egress.ts'
import type { ProxyLimits } from '../../../src/host/egress/proxy.ts'
import { within } from '../../support/wait.ts'
import { createFakeNetwork, type FakeNetwork, listen } from './fake-network.ts'

const ALLOWED_HOSTS = [
  'a.test',
  '*.b.test',
  'port.test:8443',
  'private.test',
  'rebound.test',
  'nowhere.test',
  '127.0.0.1'
]
const DNS_ANSWERS = {
  'private.test': [['10.0.0.1']],
  'rebound.test': [['93.184.215.14'], ['127.0.0.1']],
  'nowhere.test': [[]]
}

/** Starts an egress, and a web server that replaces all its hosts. */
export async function startEgress(
  t: Test,
  options: { upstream?: Server; limits?: Partial<ProxyLimits>; own_ports?: number[] } = {}
) {
  const requests: IncomingMessage['headers'][] = []
  const web = createWeb(async (request, response) => {
    requests.push(request.headers)
    let body = ''
    for await (const chunk of request) body += chunk
    response
      .setHeader('x-hop', '1')
      .setHeader('connection', 'close, x-hop')
      .end(`${request.method} ${request.url}${body && ` ${body}`}`)
  })
  const outside: FakeNetwork = createFakeNetwork(options.upstream ?? (await listen(t, web)), DNS_ANSWERS)
  const { limits, own_ports = [] } = options
  const folder = mkdtempSync(path.join(tmpdir(), 'egress-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const egress = await openEgress({
    folder,
    allow: ALLOWED_HOSTS,
    ownPorts: own_ports,
    network: outside,
    ...(limits && { limits })
  })
  t.teardown(() => egress.close())
  return { egress, outside, requests }
}

/** Sends these bytes, and returns the response until the other side closes. */
export async function sendBytes(socket: string, bytes: string): Promise<string> {
  const client = connect({ path: socket, allowHalfOpen: true })
  client.write(Buffer.from(bytes, 'latin1'))
  const answer = await readAll(client)
  client.destroy()
  return answer.toString()
}

export async function readAll(socket: Socket): Promise<Buffer> {
  const parts: Buffer[] = []
  socket.on('data', (part: Buffer) => parts.push(part)).on('error', () => {})
  await within('the end of the connection', new Promise(resolve => socket.once('end', resolve).once('close', resolve)))
  return Buffer.concat(parts)
}

export function createEchoServer(): Server {
  return createServer({ allowHalfOpen: true }, socket => {
    socket.on('error', () => {}).pipe(socket)
  })
}
