// Requests with `node:http`. Node's `fetch` takes longer to load than a small request takes; so does an import of `node:http`, whose
// exports for the web load it too.
import { once } from 'node:events'
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'

interface NodeRequest {
  method: string
  headers: OutgoingHttpHeaders
  body?: string | undefined
  signal?: AbortSignal | null | undefined
}

/**
 * Sends a request and resolves with the response once its head is there. Rejects if the server is unreachable; later errors
 * surface where the body is read. Follows no redirect.
 */
export async function sendNodeRequest(url: string, { method, headers, body, signal }: NodeRequest) {
  const { request } = process.getBuiltinModule(url.startsWith('https:') ? 'node:https' : 'node:http')
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  const sent = request(url, { method, headers: { ...headers, ...length }, ...(signal && { signal }) })
  // A body may break off before what awaits the response goes on.
  sent.on('error', () => {})
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return response
}
