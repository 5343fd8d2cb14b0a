// Routes for captured output: a range by byte offset, all of it as plain text, or a live stream.
import '@fastify/sse'
import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import type { Calls } from '../engine/calls.ts'
import { DEFAULT_OUTPUT_BYTES, OutputHeaders, OutputPage, OutputQuery } from '../protocol/output.ts'
import { CallIdParams } from '../protocol/request-params.ts'
import { eventStreamContent, plainTextContent } from '../protocol/response-content.ts'
import { sendJson } from './calls.ts'
import { watchDisconnect } from './http/disconnect.ts'
import { beginEventStream } from './http/sse-reply.ts'
import { problemResponses } from './schema.ts'

/** Maximum output bytes per frame; as JSON it may be several times longer. */
const MAX_FRAME_BYTES = 16_384
/** Interval of keep-alives on an idle stream. */
const HEARTBEAT_MS = 15_000

export const outputRoutes: FastifyPluginAsyncTypebox<{ calls: Calls }> = async (app, { calls }) => {
  app.get(
    '/calls/:id/output',
    {
      sse: 'dual',
      schema: {
        operationId: 'readOutput',
        summary: 'Read the output of a command from a byte offset. The request can wait for more output.',
        description:
          'With Accept: text/plain, the text from the offset to the current end. With Accept: text/event-stream, frames `output` with {stream, text, offset, next_offset}, and `end` after the last. The id of a frame is the next offset, so Last-Event-ID resumes.',
        tags: ['calls'],
        params: CallIdParams,
        querystring: OutputQuery,
        headers: OutputHeaders,
        response: {
          200: {
            description: 'Part of the output as JSON or text, or a stream of the output.',
            content: {
              'application/json': { schema: OutputPage },
              ...plainTextContent,
              ...eventStreamContent
            }
          },
          ...problemResponses('NOT_FOUND')
        }
      }
    },
    async ({ params: { id }, query, headers }, reply) => {
      const { limit = DEFAULT_OUTPUT_BYTES } = query
      const { signal } = watchDisconnect(reply)
      const streamed = reply.sse || prefersPlainText(headers.accept)
      if (!streamed) return sendJson(reply, 200, JSON.stringify(await calls.output(id, { ...query, limit, signal })))
      if (reply.sse) reply.reserveEventStream()
      // Report a missing call before anything is sent.
      await calls.output(id, { ...query, limit: 1, wait_ms: 0 })
      if (reply.sse)
        return streamOutput(reply, calls, id, { ...query, offset: headers['last-event-id'] ?? query.offset }, signal)
      return sendText(reply, Readable.from(readText(calls, id, query)))
    }
  )
}

const sendText = (reply: FastifyReply, text: Readable) => reply.type('text/plain; charset=utf-8').send(text)

/** Returns true if the client prefers plain text, rather than merely accepting it. */
const prefersPlainText = (accept: string | undefined) => /^\s*text\/plain\b/.test(accept ?? '')

/** Yields the text that is available now, up to the limit. */
async function* readText(calls: Calls, id: string, { stream, offset, limit = Number.MAX_SAFE_INTEGER }: OutputQuery) {
  const until = offset + limit
  for (let at = offset; at < until; ) {
    const part = await calls.output(id, {
      stream,
      offset: at,
      limit: Math.min(DEFAULT_OUTPUT_BYTES, until - at),
      wait_ms: 0
    })
    if (part.dropped) yield `\n[${part.dropped.bytes} bytes were dropped, from byte ${part.dropped.from}]\n`
    yield part.text
    if (part.text === '') return
    at = part.next_offset
  }
}

/** Resolves when all output has been sent, or the client has disconnected. */
async function streamOutput(reply: FastifyReply, calls: Calls, id: string, query: OutputQuery, signal: AbortSignal) {
  const { stream } = query
  const { raw } = reply
  beginEventStream(reply)
  // `events.once` would reject on a connection error, after which there is no client to notify.
  const happens = (event: 'close' | 'drain') => new Promise<void>(resolve => raw.once(event, () => resolve()))
  const gone = happens('close')
  const write = async (frame: string) => {
    if (!raw.write(frame)) await Promise.race([happens('drain'), gone])
  }
  for (let { offset } = query; !signal.aborted && !raw.destroyed; ) {
    const part = await calls.output(id, { stream, offset, limit: MAX_FRAME_BYTES, wait_ms: HEARTBEAT_MS, signal })
    const { ended, ...chunk } = part
    offset = part.next_offset
    if (part.text !== '') await write(formatFrame('output', offset, { stream, ...chunk }))
    else if (!ended) await write(':\n\n')
    if (!ended) continue
    await write(formatFrame('end', offset, { stream, offset }))
    break
  }
  raw.end()
}

const formatFrame = (event: string, id: number, data: object) =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
