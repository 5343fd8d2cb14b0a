// Authentication of requests: one hook, before any body is read, for every route and for unknown paths. It never sends a CORS
// header, sets a cookie or reads a token from a URL.
import type { IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ToolError } from '../errors.ts'
import type { DecisionLinks } from '../notify/decision-links.ts'
import { ERRORS } from '../protocol/error-codes.ts'
import type { FieldError, Problem } from '../protocol/problem.ts'
import type { Right } from '../protocol/tokens.ts'
import type { DecisionLink, Principal, Tokens } from '../server/tokens.ts'
import { type ParentSpan, parseTraceContext } from '../text/trace-context.ts'
import { toClientLabel } from './http/client-label.ts'
import { parseJsonBody } from './http/json-body.ts'
import { sendProblem } from './http/problem.ts'
import type { PortProxy } from './ports/port-proxy.ts'

/** The sender of a request, as authenticated. An `agent` overrides what the request claims. */
export interface RequestCaller extends Principal {
  /** The client's name for itself; a label for people, never a proof. */
  client: string
  /** The span that the request came from, as it says. */
  trace?: ParentSpan
}

export interface AuthOptions {
  tokens: Pick<Tokens, 'authenticate'>
  /** Links of notifications; without them, only tokens are accepted. */
  links?: Pick<DecisionLinks, 'authenticate' | 'assertPermits'> | undefined
  /** Returns the allowed Host header values, including the port; called per request, since the port is known late. */
  hosts: () => readonly string[]
  /** Additional allowed origins: those of pages behind a proxy. They get no CORS header either. */
  origins: readonly string[]
  body_bytes: number
  /** The only listener for upgrades: it serves other hosts than the routes, and authenticates them itself. */
  onUpgrade?: PortProxy['upgrade']
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: RequestCaller
    /** Numbers of the body that were rounded, if the route takes them. */
    inexactNumbers: readonly FieldError[] | undefined
  }
  interface FastifyContextConfig {
    /** Requires no token. The self-check permits this for OPEN_ROUTES alone. */
    open?: boolean
    /** A link to the call `:id` permits requests to the route, too. Other routes do not accept links. */
    byLink?: boolean
    /** A static page that contains no data, so that any site may link to it. */
    page?: boolean
    /** The right that the token must have; `call` by default. */
    right?: Right
    /** The body is bytes of any type, which the route reads as they come; else it is JSON. */
    bytes?: boolean
    /** The route decides on numbers of the body that would be rounded, which are refused elsewhere. */
    takesInexactNumbers?: boolean
  }
}

/**
 * Routes without a token: health, the console's files, which contain no data, the exchange of its code for a token, and requests of
 * Slack, which its signature authenticates.
 */
const OPEN_ROUTES: readonly string[] = [
  '/health',
  '/',
  '/docs',
  '/web/:file',
  '/session',
  '/notifications/slack/:channel'
]

/** Security-relevant headers: if repeated, two parsers could disagree on which one counts. */
const SINGLE_VALUE_HEADERS: ReadonlyMap<string, number> = new Map(
  [
    'accept',
    'authorization',
    'content-encoding',
    'content-length',
    'content-type',
    'host',
    'idempotency-key',
    'last-event-id',
    'mcp-method',
    'mcp-name',
    'mcp-protocol-version',
    'mcp-session-id',
    'origin',
    'sec-fetch-site',
    'transfer-encoding',
    'x-toolgate-agent',
    'x-toolgate-client'
  ].map((name, index) => [name, 1 << index])
)
const JSON_TYPE = /^application\/json(?:; ?charset="?utf-8"?)?$/i
const BEARER = /^Bearer ([\x21-\x7e]+)$/i
const ANONYMOUS: Principal = { rights: new Set() }

/** Options for Fastify: apply the same limits and error format to slow and malformed requests. */
export const httpServerOptions = {
  http: { headersTimeout: 10_000, connectionsCheckingInterval: 2_000, requireHostHeader: false },
  /** Bodies have limits by route: see body-timeouts.ts. Responses, streams and long waits are not limited. */
  requestTimeout: 0,
  /** An idle socket is valid: it may carry a stream or a delayed response. */
  connectionTimeout: 0,
  keepAliveTimeout: 72_000,
  exposeHeadRoutes: false,
  forceCloseConnections: true,
  // Malformed paths never reach a hook, so they are authenticated here.
  frameworkErrors: handleFrameworkError,
  clientErrorHandler: handleClientError
} as const

export function registerAuth(app: FastifyInstance, options: AuthOptions): void {
  const { tokens, links, hosts, origins } = options
  const opened: string[] = []

  app.decorateRequest('caller')
  app.decorateRequest('inexactNumbers')
  app.decorate('passDoor', passDoor)
  app.addHook('onRequest', door)
  app.addHook('onRoute', route => {
    if (route.config?.open) opened.push(route.url)
  })
  app.addHook('onReady', async () => assertRoutesProtected(app, opened, options.onUpgrade))
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: options.body_bytes },
    async (request: FastifyRequest, body: Buffer) => {
      if (!request.routeOptions.config?.takesInexactNumbers) return parseJsonBody(body)
      return parseJsonBody(body, errors => {
        request.inexactNumbers = errors
      })
    }
  )

  function door(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) {
    try {
      passDoor(request)
      closeWhenTokenEnds(request, reply)
      done()
    } catch (error) {
      done(error as Error)
    }
  }

  const tokensAndLinks = {
    authenticate: (bearer: string) => tokens.authenticate(bearer) ?? links?.authenticate(bearer)
  }

  function checkLink(link: DecisionLink, { params, query }: FastifyRequest) {
    links?.assertPermits(link, (params as { id?: string }).id)
    const other = Object.keys(query as object).find(name => !LINK_PARAMETERS.includes(name))
    if (other !== undefined)
      throw new ToolError('FORBIDDEN', `The parameter ${other} is not allowed with a link of a notification.`)
  }

  function passDoor(request: FastifyRequest) {
    const { raw } = request
    const { open, page, bytes, byLink, right = 'call' } = request.routeOptions.config ?? {}
    checkRequest(raw, { hosts: hosts(), origins, page })
    const holder = open ? ANONYMOUS : authenticateToken(raw, byLink ? tokensAndLinks : tokens)
    if (!open && !holder.rights.has(right))
      throw new ToolError(
        'FORBIDDEN',
        `This token does not have the right "${right}". Use a token with the right to ${right}.`
      )
    if (holder.link) checkLink(holder.link, request)
    checkBodyHeaders(raw, bytes)
    const trace = parseTraceContext(raw.headers.traceparent, raw.headers.tracestate)
    request.caller = { client: readClientName(raw), ...holder, ...(trace && { trace }) }
  }
}

/** Query parameters that a link permits: it never returns what a call has done. */
const LINK_PARAMETERS: readonly string[] = ['digest']

interface RequestChecks {
  /** Allowed Host header values, and additional allowed origins. */
  hosts: readonly string[]
  origins: readonly string[]
  /** A static page: see the configuration of routes. */
  page?: boolean | undefined
}

/** Refuses a request that is ambiguous, or was made by a page of another site. */
export function checkRequest(raw: IncomingMessage, { hosts, origins, page }: RequestChecks) {
  checkFraming(raw)
  checkOrigin(raw, hosts, origins)
  if (!(page && isTopLevelNavigation(raw))) checkFetchSite(raw)
}

/** Closes streams and delayed responses when their token expires or is revoked. */
function closeWhenTokenEnds({ caller, raw }: FastifyRequest, reply: FastifyReply) {
  const over = caller.issued?.revoked
  if (!over) return
  const end = () => raw.socket.destroy()
  over.addEventListener('abort', end, { once: true })
  reply.raw.once('close', () => over.removeEventListener('abort', end))
}

/**
 * Returns the allowed Host values for a bound server: the address itself, and the names of loopback if it is bound to loopback or
 * to all interfaces.
 */
export function listAllowedHosts(addresses: readonly AddressInfo[], settings: HostSettings): readonly string[] {
  const names = addresses.flatMap(({ address, family, port }) => {
    const literal = family === 'IPv6' ? `[${address}]` : address
    const hosts = LOOPBACK_OR_ANY.test(address) ? ['127.0.0.1', 'localhost', '[::1]', literal] : [literal]
    return hosts.flatMap(host => (port === 80 ? [host, `${host}:80`] : [`${host}:${port}`]))
  })
  return [...new Set([...names, ...settings.allowed_hosts])]
}
interface HostSettings {
  allowed_hosts: readonly string[]
}
const LOOPBACK_OR_ANY = /^(?:127\.\d+\.\d+\.\d+|::1|0\.0\.0\.0|::)$/

function checkFraming({ url, rawHeaders }: IncomingMessage) {
  if (url?.[0] !== '/')
    throw new ToolError('INVALID_PARAMS', 'The request target must be a path such as /health, not a whole URL.')
  let seen = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const bit = SINGLE_VALUE_HEADERS.get(rawHeaders[i]!.toLowerCase()) ?? 0
    if (seen & bit) throw new ToolError('INVALID_PARAMS', `The header ${rawHeaders[i]} was sent twice. Send it once.`)
    seen |= bit
  }
}

function checkOrigin({ headers, socket }: IncomingMessage, hosts: readonly string[], origins: readonly string[]) {
  // On a unix socket, which has no port, only `localhost` is allowed.
  const right = socket.localAddress === undefined ? [...hosts, 'localhost'] : hosts
  if (headers.host === undefined || !right.includes(headers.host.toLowerCase()))
    throw new ToolError(
      'FORBIDDEN',
      'The Host header is not an address of this server. If the host is yours, add it to the setting allowed_hosts.'
    )
  const { origin } = headers
  // Only a same-origin page has the address of this server as its origin.
  if (origin !== undefined && origin !== `http://${headers.host.toLowerCase()}` && !origins.includes(origin))
    throw new ToolError(
      'FORBIDDEN',
      'Web pages of this origin cannot send requests to this server. If the origin is yours, add it to the setting allowed_origins.'
    )
}

/** Returns true for a top-level navigation: the page that it left cannot read the response. */
const isTopLevelNavigation = ({ headers }: IncomingMessage) =>
  headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'

function checkFetchSite({ headers }: IncomingMessage) {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    throw new ToolError('FORBIDDEN', 'Requests from other websites are not allowed.')
}

/** Returns the token of a request. */
export const readBearer = ({ headers }: IncomingMessage): string | undefined =>
  BEARER.exec(headers.authorization ?? '')?.[1]

/** Returns the principal of a request's token. The error is the same for every kind of invalid token. */
export function authenticateToken<P>(raw: IncomingMessage, tokens: { authenticate(bearer: string): P | undefined }): P {
  const bearer = readBearer(raw)
  const holder = bearer ? tokens.authenticate(bearer) : undefined
  if (!holder) throw new ToolError('UNAUTHORIZED', 'Send a valid token as "Authorization: Bearer <token>".')
  return holder
}

/** Refuses a body that is encoded, or is not JSON unless the route takes any bytes. */
export function checkBodyHeaders({ headers }: IncomingMessage, bytes: boolean | undefined) {
  if (headers['content-encoding'] !== undefined)
    throw new ToolError('INVALID_PARAMS', 'Send the body uncompressed: Content-Encoding is not supported.')
  if (bytes) return
  const type = headers['content-type']
  const hasBody = headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
  if (type === undefined ? hasBody : !JSON_TYPE.test(type))
    throw new ToolError('INVALID_PARAMS', 'Send the body uncompressed: Content-Encoding is not supported.')
}

function readClientName({ headers }: IncomingMessage) {
  const given = headers['x-toolgate-client'] ?? headers['user-agent']?.split(' ', 1)[0]
  return (typeof given === 'string' && toClientLabel(given)) || 'unknown'
}

/** Checks the hooks that the router holds, so that no route can bypass authentication. */
function assertRoutesProtected(app: FastifyInstance, opened: readonly string[], onUpgrade: AuthOptions['onUpgrade']) {
  const errors = opened.filter(url => !OPEN_ROUTES.includes(url)).map(url => `the route ${url} requires no token`)
  const lines = app.printRoutes({ commonPrefix: false, includeMeta: ['onRequest'] }).split('\n')
  for (const [index, line] of lines.entries()) {
    // A second route of the same path is on a line without a branch.
    const route = /^[\u2500-\u257f ]*(.+ \([A-Z, -]+\))/u.exec(line)
    if (route && !/\(onRequest\) \["door\(\)"/.test(lines[index + 1] ?? ''))
      errors.push(`the route ${route[1]} does not check the token`)
  }
  for (const event of ['upgrade', 'connect', 'checkContinue'])
    if (app.server.listeners(event).some(listener => listener !== onUpgrade))
      errors.push(`another listener handles the event "${event}"`)
  if (errors.length > 0) throw new Error(`Some requests would not be authenticated: ${errors.join('; ')}.`)
}

function handleFrameworkError(error: Error, request: FastifyRequest, reply: FastifyReply) {
  try {
    request.server.passDoor(request)
    sendProblem(
      new ToolError('INVALID_PARAMS', 'The path is malformed or too long.', undefined, { cause: error }),
      reply
    )
  } catch (refusal) {
    sendProblem(refusal, reply)
  }
}

const MALFORMED_RESPONSES = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'TIMEOUT', 'The request took too long to arrive.'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'TOO_LARGE', 'The headers are too large.'],
  other: ['400 Bad Request', 'INVALID_PARAMS', 'The request is not well-formed HTTP.']
} as const

/** Answers errors of the HTTP parser: no request exists yet, so the response is written by hand. */
function handleClientError(error: NodeJS.ErrnoException, socket: Socket) {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const [status, code, detail] =
    MALFORMED_RESPONSES[error.code as keyof typeof MALFORMED_RESPONSES] ?? MALFORMED_RESPONSES.other
  const problem: Problem = {
    type: 'about:blank',
    title: status.slice(4),
    status: Number.parseInt(status, 10),
    detail,
    code,
    recoverable: ERRORS[code].recoverable
  }
  const body = JSON.stringify(problem)
  const head = `Content-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close`
  if (socket.writable) socket.write(`HTTP/1.1 ${status}\r\n${head}\r\n\r\n${body}`)
  socket.destroy()
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Authenticates the request: throws on refusal, else sets its caller. */
    passDoor(request: FastifyRequest): void
  }
}
