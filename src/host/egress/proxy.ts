// The only egress of a sandbox: an HTTP proxy on a unix socket, for one command. It tunnels (CONNECT) and forwards plain HTTP to
// the hosts on its allowlist, at addresses that pass the guard, and answers 403 with the reason otherwise. Tunneled data is not
// inspected, so TLS is end-to-end.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ToolError } from '../../errors.ts'
import { type HostPattern, hostText } from '../../text/url/hosts.ts'
import { createServer } from '../http.ts'
import { EgressLog, type EgressReport } from './egress-log.ts'
import { connectGuarded, type EgressPolicy, type Route, routeRequest } from './guarded-connect.ts'
import { isHostCovered } from './host-patterns.ts'
import { parseAuthority } from './parse-host.ts'
import { endWithError, sendError, toProxyResponse } from './proxy-errors.ts'
import { forwardRequest, MAX_PROXY_HEADER_BYTES, parseAbsoluteUrl, type UpstreamConnection } from './proxy-forward.ts'

export interface ProxyLimits {
  /** Maximum number of concurrent connections to the proxy, and from it. */
  connections: number
  /** Connections without traffic for this long are closed. */
  idleTimeoutMs: number
  /** Time limit for all headers of a request to arrive. */
  headersTimeoutMs: number
}

interface ProxyOptions extends EgressPolicy {
  allow: readonly HostPattern[]
  limits: ProxyLimits
}

const HTTP_PORT = 80
const tunnel: typeof routeRequest = async (host, port, guarding) => ({
  socket: await connectGuarded(host, port, guarding)
})
/** For requests with an unparsable host. */
const UNKNOWN_HOST = ''

export class EgressProxy {
  readonly #options: ProxyOptions
  readonly #server: Server
  readonly #log = new EgressLog()
  #sockets = new Set<Socket>()
  /** Number of outgoing connections, open or being opened. */
  #inFlight = 0

  constructor(options: ProxyOptions) {
    this.#options = options
    const { connections, headersTimeoutMs, idleTimeoutMs } = options.limits
    this.#server = createServer({
      maxHeaderSize: MAX_PROXY_HEADER_BYTES,
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: headersTimeoutMs,
      // The duration of a request is limited by `idleTimeoutMs` instead.
      requestTimeout: 0,
      keepAliveTimeout: idleTimeoutMs
    })
    this.#server.maxConnections = connections
    this.#server.on('connection', socket => this.#track(socket))
    this.#server.on('drop', () =>
      this.#log.recordRefusal(UNKNOWN_HOST, 0, 'The command has too many connections at once.')
    )
    this.#server.on('connect', (request, client, head) => void this.#tunnel(request, client, head))
    this.#server.on('request', (request, response) => void this.#forward(request, response))
    this.#server.on('clientError', (error, client) => this.#onClientError(error, client))
  }

  listen(socket: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(socket, () => resolve())
    })
  }

  /** Closes every connection, and reports the attempts. */
  close(): Promise<EgressReport> {
    const report = this.#log.report()
    const closed = new Promise<EgressReport>(resolve => this.#server.close(() => resolve(report)))
    for (const socket of this.#sockets) socket.destroy()
    return closed
  }

  async #tunnel({ url = '' }: IncomingMessage, client: Duplex, head: Buffer) {
    try {
      const { socket } = await this.#connect(url, tunnel)
      if (client.destroyed) return void socket.destroy()
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      if (head.length > 0) socket.write(head)
      relay(client, socket)
      relay(socket, client)
    } catch (error) {
      endWithError(client, toProxyResponse(error))
    }
  }

  async #forward(request: IncomingMessage, response: ServerResponse) {
    let made: UpstreamConnection | undefined
    try {
      const { host, path } = parseAbsoluteUrl(request.url ?? '')
      made = await this.#connect(host, routeRequest, HTTP_PORT)
      if (response.destroyed) made.socket.destroy()
      else forwardRequest(request, response, made, path)
    } catch (error) {
      made?.socket.destroy()
      sendError(response, error)
    }
  }

  async #connect(wanted: string, open: typeof routeRequest, fallback?: number): Promise<UpstreamConnection> {
    try {
      return await this.#connectAllowed(wanted, open, fallback)
    } catch (error) {
      const [, host = wanted, port = fallback ?? 0] = /^(.*):([0-9]{1,5})$/s.exec(wanted) ?? []
      this.#log.recordRefusal(host, Number(port), toProxyResponse(error).text)
      throw error
    }
  }

  async #connectAllowed(
    wanted: string,
    open: typeof routeRequest,
    fallback: number | undefined
  ): Promise<UpstreamConnection> {
    const { host, port } = parseAuthority(wanted, fallback)
    const name = hostText(host)
    const { allow, limits } = this.#options
    if (!isHostCovered(allow, host, port))
      throw new ToolError('URL_BLOCKED', `The host ${name} with port ${port} is not one of the allowed hosts.`)
    if (this.#inFlight >= limits.connections)
      throw new ToolError(
        'OVERLOADED',
        `Too many connections are in progress, so ${name} was not contacted. Try again.`
      )
    const route = await this.#dial(() => open(host, port, this.#options))
    this.#log.recordConnection(name, port, route.socket)
    const literal = name.includes(':') ? `[${name}]` : name
    return { ...route, host: port === HTTP_PORT ? literal : `${literal}:${port}` }
  }

  async #dial(dial: () => Promise<Route>): Promise<Route> {
    this.#inFlight += 1
    const over = () => {
      this.#inFlight -= 1
    }
    try {
      const route = await dial()
      this.#track(route.socket)
      route.socket.once('close', over)
      return route
    } catch (error) {
      over()
      throw error
    }
  }

  #track(socket: Socket) {
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    // Broken connections are common; readers and writers notice them.
    socket.on('error', () => {})
    socket.setTimeout(this.#options.limits.idleTimeoutMs, () => socket.destroy())
  }

  #onClientError(error: NodeJS.ErrnoException, client: Duplex) {
    if (error.code === 'ECONNRESET' || !client.writable) return void client.destroy()
    const [status, text] = CLIENT_ERRORS[error.code ?? ''] ?? [400, 'Invalid proxy request.']
    this.#log.recordRefusal(UNKNOWN_HOST, 0, text)
    endWithError(client, { status, text })
  }
}

/** Relays data until its end, which the other direction may outlive; a broken connection breaks the other. */
function relay(from: Duplex, to: Duplex) {
  from.pipe(to)
  from.once('close', () => (from.readableEnded && from.writableFinished) || to.destroy())
}

const CLIENT_ERRORS: Readonly<Record<string, readonly [status: number, text: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers of the proxy request are too long.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The headers of the proxy request took too long to arrive.']
}
