// Requests of the CLI with `node:http`: loading Node's `fetch` takes longer than the requests of most commands.
import { once } from 'node:events'
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { json, text } from 'node:stream/consumers'
import type { Fetch, FetchResponse } from '../client/http-transport.ts'

/** Sends a request as `fetch` does, but follows no redirect. A body that is not a text is sent by `fetch`. */
export const httpFetch: Fetch = async (url, init) => {
  const { method, headers, body, signal } = init
  if (body !== undefined && typeof body !== 'string') return fetch(url, init)
  const { request } = process.getBuiltinModule(url.startsWith('https:') ? 'node:https' : 'node:http')
  const sent = request(url, {
    method: method ?? 'GET',
    headers: {
      ...(headers as OutgoingHttpHeaders),
      ...(body !== undefined && { 'content-length': Buffer.byteLength(body) })
    },
    ...(signal && { signal })
  })
  // Errors surface in the awaited response, and later ones where its body is read.
  sent.on('error', () => {})
  sent.end(body)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return toResponse(answer, signal)
}

function toResponse(answer: IncomingMessage, signal: AbortSignal | null | undefined): FetchResponse {
  const status = answer.statusCode!
  const chunks = readChunks(answer, signal)
  return {
    status,
    ok: status >= 200 && status < 300,
    json: () => json(chunks),
    text: () => text(chunks),
    body: {
      getReader: () => ({
        read: async () => {
          const { done, value } = await chunks.next()
          return done ? { done } : { done: false, value }
        },
        cancel: async () => void answer.destroy()
      })
    }
  }
}

/** Yields the body to its end. Throws if it is aborted or ends early, which a stream of Node may report as its end. */
async function* readChunks(
  answer: IncomingMessage,
  signal: AbortSignal | null | undefined
): AsyncGenerator<Uint8Array> {
  for await (const chunk of answer) yield chunk as Uint8Array
  signal?.throwIfAborted()
  if (!answer.complete) throw new Error('The connection was closed before the end of the response.')
}
