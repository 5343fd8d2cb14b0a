// Forwards HTTP requests to a port of a command, and WebSocket connections. Nothing is buffered, so that event streams arrive as
// they are sent.
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Duplex, pipeline } from 'node:stream'
import { ToolError } from '../../errors.ts'
import { endToEndHeaders } from '../egress/proxy-headers.ts'
import { request as openRequest } from '../http.ts'

interface ForwardTarget {
  /** An open connection to the port. */
  socket: Socket
  /** The headers of the request, as a flat list of names and values, without credentials of the server. */
  headers: readonly string[]
}

export type HttpForwarder = typeof forwardHttp
export type UpgradeForwarder = typeof forwardUpgrade

/** Maximum size of the headers of a response. */
const MAX_HEADER_BYTES = 65_536
const SWITCHING_PROTOCOLS = 101

/** Resolves once the response has ended. Rejects if the command gives none, and nothing was sent yet. */
export function forwardHttp(request: IncomingMessage, response: ServerResponse, target: ForwardTarget): Promise<void> {
  if (response.destroyed) {
    target.socket.destroy()
    return Promise.resolve()
  }
  const { headers } = request
  const chunked = headers['transfer-encoding'] !== undefined
  const out = openForwarded(request, target, [
    'Connection',
    'close',
    ...(chunked ? ['Transfer-Encoding', 'chunked'] : [])
  ])
  return new Promise((resolve, reject) => {
    const fail = () => {
      out.destroy()
      if (response.headersSent) response.destroy()
      reject(brokenOff())
    }
    response.once('close', () => {
      out.destroy()
      resolve()
    })
    out.on('error', fail)
    out.once('close', () => response.headersSent || fail())
    out.once('response', incoming => {
      if (incoming.statusCode === SWITCHING_PROTOCOLS) return fail()
      try {
        response.writeHead(incoming.statusCode ?? 0, incoming.statusMessage, endToEndHeaders(incoming.rawHeaders))
      } catch {
        // What the command answers may be invalid.
        return fail()
      }
      response.flushHeaders()
      pipeline(incoming, response, () => {})
    })
    if (chunked || headers['content-length'] !== undefined) request.pipe(out)
    else out.end()
  })
}

/** Connects a client to the command if that accepts the upgrade, else passes on its answer. Rejects as `forwardHttp`. */
export function forwardUpgrade(
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
  target: ForwardTarget
): Promise<void> {
  if (client.destroyed) {
    target.socket.destroy()
    return Promise.resolve()
  }
  const upgrade = ['Connection', 'Upgrade', 'Upgrade', request.headers.upgrade ?? '']
  const out = openForwarded(request, target, upgrade)
  return new Promise((resolve, reject) => {
    client.on('error', () => {})
    client.once('close', () => {
      out.destroy()
      target.socket.destroy()
      resolve()
    })
    out.on('error', () => reject(brokenOff()))
    out.once('upgrade', (incoming, upstream, rest) => {
      writeHead(client, incoming, upgrade)
      client.write(rest)
      upstream.write(head)
      join(client, upstream)
      join(upstream, client)
    })
    out.once('response', incoming => {
      // The connection ends with this answer: what follows on it was not authenticated.
      writeHead(client, incoming, ['Connection', 'close'])
      pipeline(incoming, client, () => client.destroy())
    })
    out.end()
  })
}

function openForwarded(
  { method, url }: IncomingMessage,
  { socket, headers }: ForwardTarget,
  own: string[]
): ClientRequest {
  const out = openRequest({
    createConnection: () => socket,
    method: method ?? 'GET',
    path: url ?? '/',
    headers: [...endToEndHeaders(headers), ...own],
    maxHeaderSize: MAX_HEADER_BYTES
  })
  // It is paused, so that nothing is lost until it is read here.
  return out.once('socket', () => socket.resume())
}

function writeHead(client: Duplex, { statusCode, statusMessage, rawHeaders }: IncomingMessage, own: readonly string[]) {
  const all = [...endToEndHeaders(rawHeaders), ...own]
  const lines = all.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${all[i + 1]}`] : []))
  client.write(`HTTP/1.1 ${statusCode} ${statusMessage}\r\n${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}

/** Passes one direction on, which may end before the other; a broken connection breaks the other. */
function join(from: Duplex, to: Duplex) {
  from.on('error', () => {})
  from.once('close', () => (from.readableEnded && from.writableFinished) || to.destroy())
  from.pipe(to)
}

const brokenOff = () =>
  new ToolError('NETWORK_ERROR', 'The command closed the connection before the end of its response.')
