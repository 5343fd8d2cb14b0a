// Responses of the hub that are streams of server-sent events.
import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'

const HEARTBEAT_MS = 15_000

/** Responds with a stream that `write` writes until its signal aborts: when the reader is gone or may read no longer, or the hub stops. */
export async function sendEventStream(
  reply: FastifyReply,
  closing: AbortSignal,
  write: (raw: ServerResponse, signal: AbortSignal) => Promise<void>
) {
  const gone = new AbortController()
  const { signal: ended, release } = reply.request.followAccess()
  const { raw } = reply.hijack()
  raw.once('close', () => gone.abort())
  raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
  raw.flushHeaders()
  const heartbeat = setInterval(() => raw.write(': \n\n'), HEARTBEAT_MS).unref()
  try {
    await write(raw, AbortSignal.any([gone.signal, ended, closing]))
    raw.end()
  } catch (error) {
    reply.log.warn({ err: error }, 'an event stream ended')
    raw.destroy()
  } finally {
    clearInterval(heartbeat)
    release()
  }
}
