// Handing on one request for plain http, over a connection made for it, and its answer.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { pipeline } from 'node:stream'
import { ToolError } from '../../errors.ts'
import { request as openRequest } from '../http.ts'
import { sendError } from './proxy-errors.ts'
import { endToEndHeaders } from './proxy-headers.ts'

interface Target {
  /** As judged, whatever the request says beside. */
  host: string
  path: string
}

/** The most that the headers of a message may be. */
export const MAX_PROXY_HEADER_BYTES = 16_384
/** Nobody was asked to: whoever waited for what follows would wait for long. */
const SWITCHING_PROTOCOLS = 101

/** The authority and the path of an absolute http URL, as written. */
export function parseAbsoluteUrl(url: string): Target {
  const { host, path = '' } = /^http:\/\/(?<host>[^/?#\\]*)(?<path>[^#]*)/is.exec(url)?.groups ?? {}
  if (host === undefined)
    throw new ToolError('URL_BLOCKED', 'It is no http URL; for https a proxy is asked to CONNECT.')
  return { host, path: path.startsWith('/') ? path : `/${path}` }
}

/** Throws where the request cannot be put to the other end. */
export function forwardRequest(
  request: IncomingMessage,
  response: ServerResponse,
  upstream: Socket,
  { host, path }: Target
) {
  const { method = 'GET', rawHeaders, headers } = request
  const chunked = headers['transfer-encoding'] !== undefined
  const out = openRequest({
    createConnection: () => upstream,
    method,
    path,
    headers: [...forwardedHeaders(rawHeaders, host), ...(chunked ? ['Transfer-Encoding', 'chunked'] : [])],
    maxHeaderSize: MAX_PROXY_HEADER_BYTES
  })
  const broken = () => {
    out.destroy()
    sendError(response, new ToolError('NETWORK_ERROR', `${host} broke off.`))
  }
  response.once('close', () => out.destroy())
  out.on('error', broken)
  // Who answers by another protocol ends it without an error.
  out.once('close', () => response.headersSent || broken())
  out.once('response', incoming => {
    if (incoming.statusCode === SWITCHING_PROTOCOLS) return broken()
    try {
      response.writeHead(incoming.statusCode ?? 0, endToEndHeaders(incoming.rawHeaders))
    } catch {
      // What the other end says may be no answer that anybody could be given.
      return broken()
    }
    pipeline(incoming, response, () => {})
  })
  if (chunked || headers['content-length'] !== undefined) request.pipe(out)
  else out.end()
}

function forwardedHeaders(headers: readonly string[], host: string): string[] {
  const kept = endToEndHeaders(headers)
  const others = kept.filter((_, i) => kept[i - (i % 2)]?.toLowerCase() !== 'host')
  return ['Host', host, ...others, 'Connection', 'close']
}
