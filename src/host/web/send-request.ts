// Sends one request without following redirects.
import { ToolError } from '../../errors.ts'
import { hostText } from '../../text/url/hosts.ts'
import type { ConnectionPool } from './connection-pool.ts'
import { decodeBody } from './decode-body.ts'
import type { WebAddress } from './web-address.ts'

export interface HttpRequest {
  method: 'GET' | 'POST'
  headers: Readonly<Record<string, string>>
  body?: string | undefined
  /** Maximum size of the answer's body in bytes. */
  maxBytes: number
  signal: AbortSignal
}

export interface HttpResponse {
  status: number
  /** By lower-case name; repeated headers are joined. */
  headers: Record<string, string>
  bytes: Buffer
  /** The body was longer. */
  truncated: boolean
}

const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Checks if an answer is a redirect; its body is not read then. */
export const isRedirect = ({ status, headers }: Pick<HttpResponse, 'status' | 'headers'>) =>
  REDIRECT_STATUSES.has(status) && headers.location !== undefined

export async function sendRequest(
  connections: ConnectionPool,
  address: WebAddress,
  request: HttpRequest
): Promise<HttpResponse> {
  const { method, headers, body, maxBytes, signal } = request
  try {
    const answer = await connections.request(address, { method, headers, body: body ?? null, signal })
    const head = { status: answer.statusCode, headers: joinHeaders(answer.headers) }
    if (isRedirect(head)) {
      answer.body.on('error', () => {}).destroy()
      return { ...head, bytes: Buffer.alloc(0), truncated: false }
    }
    return { ...head, ...(await decodeBody(answer.body, head.headers['content-encoding'] ?? '', maxBytes)) }
  } catch (error) {
    signal.throwIfAborted()
    throw toHttpError(error as NodeJS.ErrnoException, hostText(address.host))
  }
}

function joinHeaders(raw: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(raw).map(([name, value = '']) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(', ') : value
    ])
  )
}

/** Maps the library's error codes to tool errors. */
const LIBRARY_ERRORS: readonly [code: RegExp, createError: (host: string, code: string) => ToolError][] = [
  [
    /HEADERS?_OVERFLOW/,
    host => new ToolError('TOO_LARGE', `${host} returned more than the limit of 64 KiB of headers.`)
  ],
  [
    /^HPE_|^HTTPParserError$/,
    host => new ToolError('EXECUTION_ERROR', `${host} returned a response that is not HTTP.`)
  ],
  [
    /CERT|SELF_SIGNED|ISSUER|TLS|SSL/,
    (host, code) => new ToolError('EXECUTION_ERROR', `The TLS certificate of ${host} is not valid: ${code}.`)
  ],
  [
    /^(?:Z_|ERR_BROTLI|ERR_.*ZSTD|ZSTD_|ERR__ERROR_FORMAT)/i,
    host => new ToolError('EXECUTION_ERROR', `The response of ${host} cannot be decompressed.`)
  ]
]

function toHttpError(error: NodeJS.ErrnoException, host: string): ToolError {
  if (error instanceof ToolError) return error
  const { code = error.name } = error
  const known = LIBRARY_ERRORS.find(([pattern]) => pattern.test(code))
  return known?.[1](host, code) ?? new ToolError('NETWORK_ERROR', `${host} closed the connection: ${code}.`)
}
