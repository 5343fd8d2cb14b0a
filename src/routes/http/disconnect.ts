// Detects that the client of a running call hangs up (disconnects) before the response is complete, so that the call can be
// cancelled or left to run. A request counts as closed once its body is read, so neither its end nor its signal is reliable; only
// the response is.
import type { FastifyReply } from 'fastify'

interface DisconnectWatch {
  /** Resolves when the client has disconnected; otherwise never. */
  disconnected: Promise<void>
  /** Aborts when the client has disconnected. */
  signal: AbortSignal
}

export function watchDisconnect({ raw }: FastifyReply): DisconnectWatch {
  const gone = new AbortController()
  const { promise, resolve } = Promise.withResolvers<void>()
  const closed = () => {
    if (raw.writableFinished) return
    gone.abort()
    resolve()
  }
  // It may have disconnected while its body was read and authenticated.
  if (raw.destroyed) closed()
  else raw.once('close', closed)
  return { disconnected: promise, signal: gone.signal }
}
