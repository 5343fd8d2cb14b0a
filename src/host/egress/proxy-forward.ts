// Forwards one plain HTTP request over a new connection, and its answer.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import { ToolError } from '../../errors.ts'
import { request as openRequest } from '../http.ts'
import type { Route } from './guarded-connect.ts'
import { sendError } from './proxy-errors.ts'
import { endToEndHeaders } from './proxy-headers.ts'
import { proxyAuthorization } from './upstream-proxy.ts'

export interface UpstreamConnection extends Route {
  /** The host as checked, with the port if it is not the default one. */
  host: string
}

interface Target {
  host: string
  path: string
}

/** Maximum size of a message's headers. */
export const MAX_PROXY_HEADER_BYTES = 16_384
/** Not requested: a client waiting for the other protocol would wait for long. */
const SWITCHING_PROTOCOLS = 101

/** Parses the authority and the path of an absolute http URL, unmodified. */
export function parseAbsoluteUrl(url: string): Target {
  const { host, path = '' } = /^http:\/\/(?<host>[^/?#\\]*)(?<path>[^#]*)/is.exec(url)?.groups ?? {}
  if (host === undefined) throw new ToolError('URL_BLOCKED', 'The URL is not an http URL. For https, use CONNECT.')
  return { host, path: path.startsWith('/') ? path : `/${path}` }
}

/** Throws if the request cannot be forwarded. A proxy of the machine is given the absolute address. */
export function forwardRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { socket, host, proxy }: UpstreamConnection,
  path: string
) {
  const { method = 'GET', rawHeaders, headers } = request
  const chunked = headers['transfer-encoding'] !== undefined
  const out = openRequest({
    createConnection: () => socket,
    method,
    path: proxy ? `http://${host}${path}` : path,
    headers: [
      ...forwardedHeaders(rawHeaders, host),
      ...(chunked ? ['Transfer-Encoding', 'chunked'] : []),
      ...(proxy ? Object.entries(proxyAuthorization(proxy)).flat() : [])
    ],
    maxHeaderSize: MAX_PROXY_HEADER_BYTES
  })
  const broken = () => {
    out.destroy()
    sendError(response, new ToolError('NETWORK_ERROR', `${host} closed the connection.`))
  }
  response.once('close', () => out.destroy())
  out.on('error', broken)
  // An upgraded connection ends the request without an error.
  out.once('close', () => response.headersSent || broken())
  out.once('response', incoming => {
    if (incoming.statusCode === SWITCHING_PROTOCOLS) return broken()
    try {
      response.writeHead(incoming.statusCode ?? 0, endToEndHeaders(incoming.rawHeaders))
    } catch {
      // The upstream answer may be invalid.
      return broken()
    }
    pipeline(incoming, response, () => {})
  })
  if (chunked || headers['content-length'] !== undefined) request.pipe(out)
  else out.end()
}

function forwardedHeaders(headers: readonly string[], host: string): string[] {
  const forwarded = endToEndHeaders(headers)
  const others = forwarded.filter((_, i) => forwarded[i - (i % 2)]?.toLowerCase() !== 'host')
  return ['Host', host, ...others, 'Connection', 'close']
}
