// The proxy of the machine, as the environment names it: HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY, also in small letters, which
// come first. Behind such a proxy a machine often reaches nothing by itself, and resolves no names of the internet.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import { ToolError } from '../../errors.ts'
import { type HostName, hostText } from '../../text/url/hosts.ts'
import type { Environment } from '../processes/environment.ts'

const CONNECT_TIMEOUT_MS = 10_000
const LOOPBACK = ['localhost', '127.0.0.1', '::1']
const MAX_REPLY_BYTES = 16_384
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }
const HEAD_END = '\r\n\r\n'

export type Scheme = 'http:' | 'https:'

/** A proxy, as one variable names it. */
export interface ProxyServer {
  url: URL
  /** The variable that names it. */
  variable: string
}

export class UpstreamProxy {
  readonly #servers: Partial<Record<Scheme, ProxyServer>>
  readonly #direct: readonly string[]

  /** Returns undefined if the environment names no proxy. */
  static fromEnvironment(environment: Environment): UpstreamProxy | undefined {
    const all = readServer(environment, 'ALL_PROXY')
    const plain = readServer(environment, 'HTTP_PROXY') ?? all
    const secure = readServer(environment, 'HTTPS_PROXY') ?? all
    if (!plain && !secure) return undefined
    const direct = readVariable(environment, 'NO_PROXY')?.value ?? ''
    return new UpstreamProxy(
      { ...(plain && { 'http:': plain }), ...(secure && { 'https:': secure }) },
      direct
        .toLowerCase()
        .split(/[\s,]+/)
        .filter(Boolean)
    )
  }

  private constructor(servers: Partial<Record<Scheme, ProxyServer>>, direct: readonly string[]) {
    this.#servers = servers
    this.#direct = direct
  }

  /** Returns the proxy by which a host is reached; undefined if it is reached directly. */
  serverFor(scheme: Scheme, host: HostName, port: number): ProxyServer | undefined {
    return this.#direct.some(entry => coversDirectly(entry, hostText(host), port)) ? undefined : this.#servers[scheme]
  }

  /** Returns the settings as undici takes them, which has no proxies of other schemes; empty texts for none. */
  settings(): { httpProxy: string; httpsProxy: string; noProxy: string } {
    const addressFor = (scheme: Scheme) => {
      const url = this.#servers[scheme]?.url
      return url && url.protocol in DEFAULT_PORTS ? url.href : ''
    }
    const noProxy = [...this.#direct, ...LOOPBACK].join(',')
    return { httpProxy: addressFor('http:'), httpsProxy: addressFor('https:'), noProxy }
  }

  /** Describes the proxies for a person, without their credentials. */
  describe(): string[] {
    return Object.entries(this.#servers).map(
      ([scheme, { url, variable }]) => `${scheme}// by ${url.host} (${variable})`
    )
  }
}

function readVariable(environment: Environment, name: string): { name: string; value: string } | undefined {
  for (const each of [name.toLowerCase(), name]) {
    const value = environment[each]
    if (value !== undefined && value !== '') return { name: each, value }
  }
  return undefined
}

/** Without a scheme, it is an HTTP proxy, as curl reads it. */
function readServer(environment: Environment, name: string): ProxyServer | undefined {
  const found = readVariable(environment, name)
  if (!found) return undefined
  const text = found.value.includes('://') ? found.value : `http://${found.value}`
  return URL.canParse(text) ? { url: new URL(text), variable: found.name } : undefined
}

/** An entry is a host and all below it, with or without a dot or `*.` before it and a port; `*` is every host. */
function coversDirectly(entry: string, host: string, port: number): boolean {
  if (entry === '*') return true
  const { name = entry, number } = /^(?<name>\[[^\]]*\]|[^:]*)(?::(?<number>\d+))?$/.exec(entry)?.groups ?? {}
  if (number !== undefined && Number(number) !== port) return false
  const suffix = name.replace(/^\[|\]$/g, '').replace(/^\*?\./, '')
  return suffix !== '' && (host === suffix || host.endsWith(`.${suffix}`))
}

/** Returns the header with the credentials of a proxy, if it has any. */
export function proxyAuthorization({ url: { username, password } }: ProxyServer): Record<string, string> {
  if (username === '' && password === '') return {}
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` }
}

/** Connects to a proxy itself. Throws NETWORK_ERROR if it cannot be reached. */
export async function dialProxy({ url, variable }: ProxyServer): Promise<Socket> {
  const { protocol, hostname } = url
  if (!(protocol in DEFAULT_PORTS))
    throw new ToolError(
      'NETWORK_ERROR',
      `${variable} specifies a ${protocol.slice(0, -1)} proxy: only http and https are supported.`
    )
  const to = {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || DEFAULT_PORTS[protocol]),
    allowHalfOpen: true
  }
  const isSecure = protocol === 'https:'
  const socket = isSecure ? connectSecurely({ ...to, servername: to.host }) : connect(to)
  try {
    await once(socket, isSecure ? 'secureConnect' : 'connect', { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) })
    return socket
  } catch (cause) {
    socket.on('error', () => {}).destroy()
    throw new ToolError('NETWORK_ERROR', `The proxy ${url.host} (${variable}) could not be reached.`, undefined, {
      cause
    })
  }
}

/** Connects to a host by a proxy that resolves its name. Throws NETWORK_ERROR if the proxy refuses. */
export async function openTunnel(server: ProxyServer, host: HostName, port: number): Promise<Socket> {
  const name = hostText(host)
  const authority = `${name.includes(':') ? `[${name}]` : name}:${port}`
  const socket = await dialProxy(server)
  const headers = { host: authority, ...proxyAuthorization(server) }
  const lines = Object.entries(headers).map(([header, value]) => `${header}: ${value}`)
  socket.write([`CONNECT ${authority} HTTP/1.1`, ...lines, '', ''].join('\r\n'))
  try {
    const status = await readReply(socket)
    if (status === 200) return socket
    const why =
      status === 407
        ? 'the proxy requires credentials'
        : `the proxy returned ${status || 'a response that is not HTTP'}`
    throw new ToolError(
      'NETWORK_ERROR',
      `The proxy ${server.url.host} (${server.variable}) does not connect to ${authority}: ${why}.`
    )
  } catch (error) {
    socket.on('error', () => {}).destroy()
    throw error instanceof ToolError
      ? error
      : new ToolError(
          'NETWORK_ERROR',
          `The proxy ${server.url.host} (${server.variable}) closed the connection.`,
          undefined,
          {
            cause: error
          }
        )
  }
}

/** Reads the head of the reply, and returns its status. What follows stays in the socket. */
async function readReply(socket: Socket): Promise<number> {
  let head = Buffer.alloc(0)
  const signal = AbortSignal.timeout(CONNECT_TIMEOUT_MS)
  for (;;) {
    await once(socket, 'readable', { signal })
    const bytes = socket.read() as Buffer | null
    if (bytes === null && socket.readableEnded) return 0
    if (bytes === null) continue
    head = Buffer.concat([head, bytes])
    const end = head.indexOf(HEAD_END)
    if (end < 0 && head.length > MAX_REPLY_BYTES) return 0
    if (end < 0) continue
    const rest = head.subarray(end + HEAD_END.length)
    if (rest.length > 0) socket.unshift(rest)
    return Number(/^HTTP\/1\.[01] (\d{3})\b/.exec(head.toString('latin1', 0, end))?.[1] ?? 0)
  }
}
