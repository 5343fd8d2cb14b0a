// Event streams over HTTP (SSE). The plugin negotiates the media type and tracks the end of the connection; the frames are shared
// between readers and bypass it.
import type { IncomingHttpHeaders } from 'node:http'
import '@fastify/sse'
import type { FastifyReply } from 'fastify'
import { restrictedOwner } from '../../engine/call-owners.ts'
import type { EventFilter, Reader, Sink, Streams } from '../../events/event-streams.ts'
import { EVENT_TYPES, type EventType } from '../../protocol/events.ts'
import type { RequestCaller } from '../auth.ts'

/**
 * Returns the filter for the wanted events that a caller may receive. A call-only token receives those of the calls and
 * sessions that belong to it, and no delegations: they contain texts that no rule protects here.
 */
export function visibleEvents(
  caller: RequestCaller,
  wanted?: readonly EventType[]
): Pick<EventFilter, 'types' | 'owner'> {
  const owner = restrictedOwner(caller)
  if (owner === undefined) return wanted ? { types: wanted } : {}
  return { owner, types: (wanted ?? EVENT_TYPES).filter(type => type !== 'tool.delegate') }
}

/** Returns true if the client takes an event stream. */
export const acceptsStream = ({ accept = '*/*' }: IncomingHttpHeaders): boolean =>
  /text\/event-stream|text\/\*|\*\/\*/i.test(accept)

/** Responds with a stream. Resolves when it has ended. */
export const openEventStream = (
  streams: Streams,
  reply: FastifyReply,
  options: Parameters<Streams['open']>[1]
): Promise<void> => openReader(streams, reply, options).ended

/** Responds with a stream. Returns its reader, and a promise that resolves when it has ended. */
export function openReader(
  streams: Streams,
  reply: FastifyReply,
  options: Parameters<Streams['open']>[1]
): { reader: Reader; ended: Promise<void> } {
  const { raw, sse } = reply
  beginEventStream(reply)
  const { promise, resolve } = Promise.withResolvers<void>()
  const sink: Sink = {
    write: bytes => raw.write(bytes),
    get pending() {
      return raw.writableLength
    },
    onDrain: listener => raw.on('drain', listener),
    end: () => {
      raw.end()
      resolve()
    },
    destroy: () => {
      raw.destroy()
      resolve()
    }
  }
  const reader = streams.open(sink, options)
  sse.onClose(() => {
    reader.close()
    resolve()
  })
  return { reader, ended: promise }
}

/** Sends the headers of a stream; frames are then written to the raw response. */
export function beginEventStream({ raw, sse }: FastifyReply) {
  // Disable chunked encoding: the end of the connection ends the stream, and every reader gets identical bytes.
  raw.removeHeader('transfer-encoding')
  raw.shouldKeepAlive = false
  sse.keepAlive()
  sse.sendHeaders()
  raw.flushHeaders()
  raw.socket?.setNoDelay(true)
}
