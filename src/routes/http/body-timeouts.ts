// Time limits for bodies: a client that stops sending does not hold its connection. Bodies of bytes may take as long as these keep
// coming. Node's own limit is for all requests alike.
import type { IncomingMessage, Server } from 'node:http'

/** Limit for receiving a whole body, and for the time between two pieces of a long one. */
const LIMIT_MS = 30_000

const longBodies = new WeakSet<IncomingMessage>()

/** Lifts the limit for the whole body of this request; its sender may still not stop sending. */
export const allowLongBody = (request: IncomingMessage) => longBodies.add(request)

/** Restores the limit for the whole body, from now on. */
export const endLongBody = (request: IncomingMessage) => longBodies.delete(request)

/** Answers with 408 and closes the connection if the body does not arrive in time. */
export function limitBody(request: IncomingMessage, server: Server) {
  const { headers, socket } = request
  if (headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0') return
  let received = socket.bytesRead
  const timer = setInterval(check, LIMIT_MS).unref()
  const stop = () => clearInterval(timer)
  request.once('end', stop)
  request.once('close', stop)

  function check() {
    const before = received
    received = socket.bytesRead
    if (longBodies.has(request) && received > before) return
    stop()
    if (!request.complete) server.emit('clientError', timeoutError(), socket)
  }
}

/** As Node reports a request that took too long. */
const timeoutError = () =>
  Object.assign(new Error('The request body took too long to arrive.'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
