// Requests of the CLI with `node:http`: loading Node's `fetch` takes longer than the requests of most commands.
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { json, text } from 'node:stream/consumers'
import type { Fetch, FetchResponse } from '../client/http-transport.ts'
import { sendNodeRequest } from '../node-client/node-request.ts'

/** Sends a request as `fetch` does, but follows no redirect. A body that is not a text is sent by `fetch`. */
export const httpFetch: Fetch = async (url, init) => {
  const { method = 'GET', headers, body, signal } = init
  if (body !== undefined && typeof body !== 'string') return fetch(url, init)
  return toResponse(
    await sendNodeRequest(url, { method, headers: headers as OutgoingHttpHeaders, body, signal }),
    signal
  )
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
