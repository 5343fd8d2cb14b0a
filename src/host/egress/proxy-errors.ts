// Error responses of the proxy itself.
import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { describeError } from '../../errors.ts'

const CONTENT_TYPE = 'text/plain; charset=utf-8'
const CLOSE_TIMEOUT_MS = 5_000
const STATUS_BY_CODE: Readonly<Record<string, number>> = { URL_BLOCKED: 403, OVERLOADED: 503 }

/** Returns the status and the reason of an error. */
export function toProxyResponse(error: unknown): { status: number; text: string } {
  const { code, message } = describeError(error)
  return { status: STATUS_BY_CODE[code] ?? 502, text: message }
}

/** Ends a response with an error; a started one is aborted. */
export function sendError(response: ServerResponse, error: unknown) {
  if (response.headersSent) return void response.destroy()
  const { status, text } = toProxyResponse(error)
  const content = body(text)
  const headers = { 'content-type': CONTENT_TYPE, 'content-length': Buffer.byteLength(content), connection: 'close' }
  response.writeHead(status, headers).end(content)
}

/** Sends an error without a response object. The client need not read it. */
export function endWithError(client: Duplex, { status, text }: { status: number; text: string }) {
  const content = body(text)
  const head = [
    `HTTP/1.1 ${status} ${status === 403 ? 'Forbidden' : 'Refused'}`,
    `Content-Type: ${CONTENT_TYPE}`,
    `Content-Length: ${Buffer.byteLength(content)}`,
    'Connection: close'
  ]
  client.on('error', () => {})
  client.resume()
  client.end(`${head.join('\r\n')}\r\n\r\n${content}`)
  setTimeout(() => client.destroy(), CLOSE_TIMEOUT_MS).unref()
}

const body = (text: string) => `Access from the sandbox denied: ${text}\n`
