// HTTP client for remote MCP servers: responses are bounded, and a server named by a repository is reached through the egress
// guard. A server named by the user may be anywhere, on this machine too. But locations that it names itself, by a redirect or as
// authorization server, are untrusted: a server on the internet leads nowhere within this machine or its network.
import { isIPv6 } from 'node:net'
import type { FetchLike } from '@modelcontextprotocol/client'
import type { Dispatcher } from 'undici'
import type { ToolError } from '../../errors.ts'
import { readHost } from '../../text/url/hosts.ts'
import { connectGuarded, type EgressPolicy, resolveAllowedAddresses } from '../egress/guarded-connect.ts'
import { parseHostName } from '../egress/parse-host.ts'
import { UpstreamProxy } from '../egress/upstream-proxy.ts'
import type { Environment } from '../processes/environment.ts'
import { markInexactNumbers } from './exact-numbers.ts'

interface McpHttpOptions {
  environment: Environment
  /** Address of the server. */
  serverUrl: string
  /** The address does not come from the user. */
  isUntrustedUrl: boolean
  egressPolicy: EgressPolicy
  maxBytes: number
}

const HEADERS_TIMEOUT_MS = 300_000

export interface McpHttpClient {
  fetch: FetchLike
  /** Closes all connections. */
  close(): Promise<void>
}

export async function createMcpHttpClient(fetching: McpHttpOptions): Promise<McpHttpClient> {
  const undici = await import('undici')
  const { own, away } = await createDispatchers(fetching, undici)
  const { origin } = new URL(fetching.serverUrl)
  const dispatcher = own.compose(
    dispatch => (options, handler) =>
      String(options.origin) === origin ? dispatch(options, handler) : away(options).dispatch(options, handler)
  )
  return {
    async fetch(url, init) {
      const response = await undici.fetch(url, { ...(init as object), dispatcher })
      return markNumbers(limitBody(response as unknown as Response, fetching.maxBytes))
    },
    close: async () => {
      await Promise.all([own.destroy(), away.destroy()])
    }
  }
}

type Undici = typeof import('undici')

/** undici reads its own environment where a setting is missing. */
const NO_PROXIES = { httpProxy: '', httpsProxy: '', noProxy: '' }

/** Creates dispatchers for the server itself, and for locations that it names. */
async function createDispatchers(
  { environment, serverUrl, isUntrustedUrl, egressPolicy }: McpHttpOptions,
  undici: Undici
) {
  // A stream of events is silent while nothing happens.
  const options = { headersTimeout: HEADERS_TIMEOUT_MS, bodyTimeout: 0 }
  const secure = undici.buildConnector({})
  const judged = new undici.Agent({ ...options, connect: guardedConnector(egressPolicy, secure) })
  if (isUntrustedUrl) return { own: judged, away: withDestroy(() => judged, [judged]) }
  const { httpProxy, httpsProxy, noProxy } = UpstreamProxy.fromEnvironment(environment)?.settings() ?? NO_PROXIES
  // Plain HTTP is forwarded by the proxy, as curl does it; only HTTPS is tunneled.
  const proxying = { ...options, httpProxy, httpsProxy, proxyTunnel: false }
  const own = new undici.EnvHttpProxyAgent({ ...proxying, noProxy })
  // Only the proxy resolves names.
  if (httpProxy !== '' || httpsProxy !== '') {
    if (await isPrivateServer(new URL(serverUrl), egressPolicy)) return { own, away: withDestroy(() => own, []) }
    const proxied = new undici.EnvHttpProxyAgent({ ...proxying, noProxy: '' })
    const away = ({ origin }: Dispatcher.DispatchOptions) => {
      const { protocol, hostname } = new URL(String(origin))
      const goesByProxy = (protocol === 'https:' ? httpsProxy : httpProxy) !== '' && isDomainName(hostname)
      return goesByProxy ? proxied : judged
    }
    return { own, away: withDestroy(away, [judged, proxied]) }
  }
  let near: Promise<boolean> | undefined
  const direct = new undici.Agent({
    ...options,
    connect: (to, callback) => {
      near ??= isPrivateServer(new URL(serverUrl), egressPolicy)
      near.then(is => (is ? secure : guardedConnector(egressPolicy, secure))(to, callback))
    }
  })
  return { own, away: withDestroy(() => direct, [direct]) }
}

const isDomainName = (hostname: string) => 'name' in (readHost(hostname) ?? {})

const withDestroy = (choose: (options: Dispatcher.DispatchOptions) => Dispatcher, all: readonly Dispatcher[]) =>
  Object.assign(choose, { destroy: () => Promise.all(all.map(each => each.destroy())) })

/** Checks if the server is on this machine or in its network: then it may lead to other private addresses. */
async function isPrivateServer({ hostname }: URL, guarding: EgressPolicy): Promise<boolean> {
  try {
    await resolveAllowedAddresses(parseHostName(hostname), ANY_PORT, { ...guarding, ownPorts: [] })
    return false
  } catch (error) {
    return (error as ToolError).code === 'URL_BLOCKED'
  }
}
const ANY_PORT = 0

type Connector = import('undici').buildConnector.connector

/** Connects only to addresses that passed the guard. */
function guardedConnector(guarding: EgressPolicy, secure: Connector): Connector {
  const judged = async ({ hostname, protocol, port }: Parameters<Connector>[0]) => {
    // The library has removed the brackets.
    const host = parseHostName(isIPv6(hostname) ? `[${hostname}]` : hostname)
    return connectGuarded(host, Number(port || (protocol === 'https:' ? 443 : 80)), guarding)
  }
  return (options, callback) => {
    judged(options).then(
      socket =>
        options.protocol === 'https:' ? secure({ ...options, httpSocket: socket }, callback) : callback(null, socket),
      error => callback(error, null)
    )
  }
}

const NULL_BODY_STATUSES = new Set([101, 204, 205, 304])

const EVENT_DATA = 'data:'

/** Marks the numbers of a message that the library's parser would change. An event's message is one line. */
function markNumbers(response: Response): Response {
  const type = response.headers.get('content-type') ?? ''
  const isStream = isEventStream(response)
  if (!response.body || (!isStream && !type.includes('json'))) return response
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  const markLine = (line: string) =>
    line.startsWith(EVENT_DATA) ? `${EVENT_DATA}${markInexactNumbers(line.slice(EVENT_DATA.length))}` : line
  let rest = ''
  const marked = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const text = rest + decoder.decode(chunk, { stream: true })
        const end = isStream ? text.lastIndexOf('\n') + 1 : 0
        rest = text.slice(end)
        if (end > 0) controller.enqueue(encoder.encode(text.slice(0, end).split('\n').map(markLine).join('\n')))
      },
      flush(controller) {
        const text = rest + decoder.decode()
        controller.enqueue(encoder.encode(isStream ? markLine(text) : markInexactNumbers(text)))
      }
    })
  )
  return withBody(response, marked)
}

const isEventStream = ({ headers }: Response) => headers.get('content-type')?.startsWith('text/event-stream') === true

/** Returns a response with another body. */
function withBody({ status, statusText, headers, url }: Response, body: ReadableStream<Uint8Array>): Response {
  const made = new Response(body, { status, statusText, headers })
  Object.defineProperty(made, 'url', { value: url })
  return made
}

/** Limits a response's size, or the size of each event in a stream of events. */
function limitBody(response: Response, max_bytes: number): Response {
  const { body, status } = response
  if (!body || NULL_BODY_STATUSES.has(status)) return response
  const isStream = isEventStream(response)
  let bytes = 0
  let newlines = 0
  const counted = body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        if (isStream)
          for (const byte of chunk) {
            if (byte === 0x0a) newlines += 1
            else if (byte !== 0x0d) newlines = 0
            bytes = newlines >= 2 ? 0 : bytes + 1
          }
        else bytes += chunk.length
        if (bytes > max_bytes) controller.error(new Error(`the server sent a message of more than ${max_bytes} bytes`))
        else controller.enqueue(chunk)
      }
    })
  )
  return withBody(response, counted)
}
