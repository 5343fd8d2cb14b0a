// HTTP with a remote server: what it sends is read within bounds, and a server that a repository names is reached through
// the guard of the way out. One that the user names himself may be anywhere, on this machine too. But where it leads on to
// another place, by a redirect or as the one that lets people in, that is its own word: a server of the internet leads to
// nothing within this machine or its network.
import { isIPv6 } from 'node:net'
import type { FetchLike } from '@modelcontextprotocol/client'
import type { Dispatcher } from 'undici'
import type { ToolError } from '../../errors.ts'
import { readHost } from '../../text/url/hosts.ts'
import { connectOut, type Guarding, judgedAddresses } from '../egress/guarded-connect.ts'
import { hostName } from '../egress/parse-host.ts'
import type { Environment } from '../processes/environment.ts'

export interface Fetching {
  environment: Environment
  /** Address of the server. */
  home: string
  /** The address comes from somebody else than the user. */
  named_by_others: boolean
  guarding: Guarding
  max_bytes: number
}

const HEADERS_MS = 300_000

export interface Fetcher {
  fetch: FetchLike
  /** Breaks what is open. */
  close(): Promise<void>
}

export async function fetcher(fetching: Fetching): Promise<Fetcher> {
  const undici = await import('undici')
  const { own, away } = await ways(fetching, undici)
  const { origin } = new URL(fetching.home)
  const dispatcher = own.compose(
    dispatch => (options, handler) =>
      String(options.origin) === origin ? dispatch(options, handler) : away(options).dispatch(options, handler)
  )
  return {
    async fetch(url, init) {
      const response = await undici.fetch(url, { ...(init as object), dispatcher })
      return bounded(response as unknown as Response, fetching.max_bytes)
    },
    close: async () => {
      await Promise.all([own.destroy(), away.destroy()])
    }
  }
}

type Undici = typeof import('undici')

/** To the server itself, and to where it leads. */
async function ways({ environment, home, named_by_others, guarding }: Fetching, undici: Undici) {
  // A stream of events is quiet for as long as nothing happens.
  const options = { headersTimeout: HEADERS_MS, bodyTimeout: 0 }
  const secure = undici.buildConnector({})
  const judged = new undici.Agent({ ...options, connect: guarded(guarding, secure) })
  if (named_by_others) return { own: judged, away: going(() => judged, [judged]) }
  const { httpProxy, httpsProxy, noProxy } = proxies(environment)
  // Plain HTTP is forwarded by the proxy, as curl does it; only HTTPS is tunnelled.
  const proxying = { ...options, httpProxy, httpsProxy, proxyTunnel: false }
  const own = new undici.EnvHttpProxyAgent({ ...proxying, noProxy })
  // Nobody but the proxy can tell where a name leads.
  if (httpProxy !== '' || httpsProxy !== '') {
    if (await isNear(new URL(home), guarding)) return { own, away: going(() => own, []) }
    const proxied = new undici.EnvHttpProxyAgent({ ...proxying, noProxy: '' })
    const away = ({ origin }: Dispatcher.DispatchOptions) => {
      const { protocol, hostname } = new URL(String(origin))
      const goesByProxy = (protocol === 'https:' ? httpsProxy : httpProxy) !== '' && isName(hostname)
      return goesByProxy ? proxied : judged
    }
    return { own, away: going(away, [judged, proxied]) }
  }
  let near: Promise<boolean> | undefined
  const direct = new undici.Agent({
    ...options,
    connect: (to, callback) => {
      near ??= isNear(new URL(home), guarding)
      near.then(is => (is ? secure : guarded(guarding, secure))(to, callback))
    }
  })
  return { own, away: going(() => direct, [direct]) }
}

const isName = (hostname: string) => 'name' in (readHost(hostname) ?? {})

const going = (choose: (options: Dispatcher.DispatchOptions) => Dispatcher, all: readonly Dispatcher[]) =>
  Object.assign(choose, { destroy: () => Promise.all(all.map(each => each.destroy())) })

/** Whether the server is within this machine or its network itself: then it may lead to what is there too. */
async function isNear({ hostname }: URL, guarding: Guarding): Promise<boolean> {
  try {
    await judgedAddresses(hostName(hostname), ANY_PORT, { ...guarding, own_ports: [] })
    return false
  } catch (error) {
    return (error as ToolError).code === 'URL_BLOCKED'
  }
}
const ANY_PORT = 0

type Connector = import('undici').buildConnector.connector

/** Connects to no address but one that was judged. */
function guarded(guarding: Guarding, secure: Connector): Connector {
  const judged = async ({ hostname, protocol, port }: Parameters<Connector>[0]) => {
    // The library has taken the brackets off.
    const host = hostName(isIPv6(hostname) ? `[${hostname}]` : hostname)
    return connectOut(host, Number(port || (protocol === 'https:' ? 443 : 80)), guarding)
  }
  return (options, callback) => {
    judged(options).then(
      socket =>
        options.protocol === 'https:' ? secure({ ...options, httpSocket: socket }, callback) : callback(null, socket),
      error => callback(error, null)
    )
  }
}

/** As other programs of the user are told to reach the world. */
const proxies = (environment: Environment) => ({
  httpProxy: environment.http_proxy ?? environment.HTTP_PROXY ?? '',
  httpsProxy: environment.https_proxy ?? environment.HTTPS_PROXY ?? '',
  noProxy: [environment.no_proxy ?? environment.NO_PROXY, 'localhost,127.0.0.1,::1'].filter(Boolean).join(',')
})

const BODYLESS = new Set([101, 204, 205, 304])

/** A response that fails once it is too large; a stream of events once one of them is. */
function bounded(response: Response, max_bytes: number): Response {
  const { body, status, statusText, headers } = response
  if (!body || BODYLESS.has(status)) return response
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true
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
        if (bytes > max_bytes) controller.error(new Error(`the server sent more than ${max_bytes} bytes at once`))
        else controller.enqueue(chunk)
      }
    })
  )
  const made = new Response(counted, { status, statusText, headers })
  Object.defineProperty(made, 'url', { value: response.url })
  return made
}
