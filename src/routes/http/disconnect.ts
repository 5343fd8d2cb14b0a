// Whoever goes before the answer is whole. A request counts as closed once its body is read, so that only the answer
// knows: neither the request's own end nor its signal tells.
import type { FastifyReply } from 'fastify'

interface DisconnectWatch {
  /** Resolves when the sender has gone. Otherwise never. */
  disconnected: Promise<void>
  /** Aborts when it has. */
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
  // It may have gone while its body was read and its right was looked at.
  if (raw.destroyed) closed()
  else raw.once('close', closed)
  return { disconnected: promise, signal: gone.signal }
}
