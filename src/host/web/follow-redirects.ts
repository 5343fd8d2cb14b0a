// Follows redirects to the final answer: each address on the way is checked by the guard and by policy.
import { isUtf8 } from 'node:buffer'
import { ToolError } from '../../errors.ts'
import type { TraceHeaders } from '../../protocol/trace-context.ts'
import { coversHost } from '../../text/url/hosts.ts'
import { ConnectionPool } from './connection-pool.ts'
import { ACCEPT_ENCODING } from './decode-body.ts'
import { type CachedPage, conditionalHeaders } from './page-cache.ts'
import { type HttpRequest, type HttpResponse, isRedirect, sendRequest } from './send-request.ts'
import { inheritsPermission, resolveRedirect, stripFragment, type UrlPolicy, type WebAddress } from './web-address.ts'
import type { WebRequest, WebService } from './web-service.ts'

const MAX_REDIRECTS = 5
const ACCEPT_HEADER = 'text/html, application/xhtml+xml;q=0.9, text/markdown;q=0.9, */*;q=0.8'
/** Caller's headers that are sent to another site too. */
const CROSS_ORIGIN_HEADERS: ReadonlySet<string> = new Set(['accept', 'accept-language'])

interface FetchContext {
  start: WebAddress
  reach: UrlPolicy
  signal: AbortSignal
  cached: CachedPage | undefined
  trace: TraceHeaders | undefined
}

/** Fetches an address and follows redirects. */
export async function followRedirects(machine: WebService, request: WebRequest, way: FetchContext) {
  const connections = new ConnectionPool(machine.egressPolicy)
  try {
    return await new RedirectFollower(machine, connections, way).fetch(request)
  } finally {
    await connections.close()
  }
}

class RedirectFollower {
  readonly #service: WebService
  readonly #connections: ConnectionPool
  readonly #context: FetchContext

  constructor(machine: WebService, connections: ConnectionPool, way: FetchContext) {
    this.#service = machine
    this.#connections = connections
    this.#context = way
  }

  async fetch(given: WebRequest): Promise<{ answer: HttpResponse; hops: string[] }> {
    const { start, signal } = this.#context
    const request: HttpRequest = { ...given, maxBytes: this.#service.settings.max_bytes, signal }
    const hops: string[] = []
    let [address, now] = [start, request]
    for (;;) {
      const href = stripFragment(address.url)
      hops.push(href)
      const answer = await sendRequest(this.#connections, address, {
        ...now,
        headers: this.#headers(now, address, href)
      })
      if (!isRedirect(answer)) return { answer, hops: [...hops.slice(0, -1), address.url.href] }
      if (hops.length > MAX_REDIRECTS)
        throw new ToolError('EXECUTION_ERROR', `The URL has more than ${MAX_REDIRECTS} redirects.`, { hops })
      const next = resolveRedirect(address.url, decodeHeader(answer.headers.location!), this.#service.extraPorts)
      now = redirectRequest(now, answer.status, { from: address, to: next })
      this.#assertMayFollow(next, address, now.method)
      address = next
    }
  }

  #headers({ headers, method }: HttpRequest, { host, port }: WebAddress, href: string): Record<string, string> {
    const { cached, trace } = this.#context
    const isTraced = this.#service.propagateTo.some(pattern => coversHost(pattern, host, port))
    const isCached = cached && method === 'GET' && stripFragment(new URL(cached.hops.at(-1)!)) === href
    return {
      'user-agent': this.#service.userAgent,
      accept: ACCEPT_HEADER,
      'accept-encoding': ACCEPT_ENCODING,
      ...(isCached && conditionalHeaders(cached)),
      ...(isTraced && trace),
      ...headers
    }
  }

  /** Permission for an address does not include all its redirect targets. */
  #assertMayFollow(next: WebAddress, from: WebAddress, method: HttpRequest['method']) {
    const access = this.#context.reach(next.url.href)
    const mayFollow = access === 'allow' || (access === 'ask' && inheritsPermission(this.#context, next))
    // A request body is only for the approved address.
    if (mayFollow && (method === 'GET' || next.url.origin === from.url.origin)) return
    const because = access === 'deny' ? 'which a rule denies' : 'which is not allowed'
    throw new ToolError(
      'PERMISSION_DENIED',
      `${from.url.host} redirects to ${next.url.href}, ${because}. To follow the redirect, fetch that URL.`,
      { reason: 'redirect', redirect: next.url.href, from: from.url.href }
    )
  }
}

/** Headers arrive as Latin-1; an address with other characters is sent in UTF-8 by many servers, and browsers read it so. */
function decodeHeader(value: string): string {
  const bytes = Buffer.from(value, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : value
}

/** Builds the request for a redirect target. */
function redirectRequest(
  request: HttpRequest,
  status: number,
  { from, to }: { from: WebAddress; to: WebAddress }
): HttpRequest {
  const becomesGet = request.method === 'POST' && status !== 307 && status !== 308
  const mayGo = (name: string) =>
    (CROSS_ORIGIN_HEADERS.has(name) || from.url.origin === to.url.origin) &&
    !(becomesGet && name.startsWith('content-'))
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => mayGo(name)))
  const { body, ...rest } = request
  return becomesGet ? { ...rest, headers, method: 'GET' } : { ...rest, headers, ...(body !== undefined && { body }) }
}
