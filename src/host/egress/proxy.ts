// The one way out of a sandbox: an HTTP proxy on a unix socket, for one command. It tunnels (CONNECT) and forwards plain
// http to the hosts on its list, at addresses that the guard lets through, and answers 403 with the reason for all else.
// What is inside a tunnel is never looked at, so TLS stays between its two ends.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ToolError } from '../../errors.ts'
import { type HostPattern, hostText } from '../../text/url/hosts.ts'
import { createServer } from '../http.ts'
import { AttemptLog, type Attempts } from './egress-log.ts'
import { connectOut, type Guarding } from './guarded-connect.ts'
import { covers } from './host-patterns.ts'
import { authority } from './parse-host.ts'
import { answerPlainly, answerTo, lastWords } from './proxy-errors.ts'
import { absolute, forward, HEADER_BYTES } from './proxy-forward.ts'

export interface ProxyLimits {
  /** Connections to the proxy at once, and from it. */
  connections: number
  /** A connection through which nothing has passed for so long is closed. */
  idle_ms: number
  /** For all headers of a request to arrive. */
  headers_ms: number
}

export interface ProxyOptions extends Guarding {
  allow: readonly HostPattern[]
  limits: ProxyLimits
}

interface Connection {
  socket: Socket
  /** As judged, with the port where it is not the usual one. */
  host: string
}

const HTTP_PORT = 80
/** Whose host cannot be told. */
const UNREADABLE = ''

export class EgressProxy {
  readonly #options: ProxyOptions
  readonly #server: Server
  readonly #log = new AttemptLog()
  #sockets = new Set<Socket>()
  /** Connections out, made or being made. */
  #underWay = 0

  constructor(options: ProxyOptions) {
    this.#options = options
    const { connections, headers_ms, idle_ms } = options.limits
    this.#server = createServer({
      maxHeaderSize: HEADER_BYTES,
      headersTimeout: headers_ms,
      connectionsCheckingInterval: headers_ms,
      // How long a request may take is told by `idle_ms` instead.
      requestTimeout: 0,
      keepAliveTimeout: idle_ms
    })
    this.#server.maxConnections = connections
    this.#server.on('connection', socket => this.#hold(socket))
    this.#server.on('drop', () => this.#log.refused(UNREADABLE, 0, 'More connections at once than allowed.'))
    this.#server.on('connect', (request, client, head) => void this.#tunnel(request, client, head))
    this.#server.on('request', (request, response) => void this.#forward(request, response))
    this.#server.on('clientError', (error, client) => this.#misunderstood(error, client))
  }

  listen(socket: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(socket, () => resolve())
    })
  }

  /** Breaks every connection, and tells what was tried. */
  close(): Promise<Attempts> {
    const told = this.#log.told()
    const closed = new Promise<Attempts>(resolve => this.#server.close(() => resolve(told)))
    for (const socket of this.#sockets) socket.destroy()
    return closed
  }

  async #tunnel({ url = '' }: IncomingMessage, client: Duplex, head: Buffer) {
    try {
      const { socket } = await this.#connect(url)
      if (client.destroyed) return void socket.destroy()
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      if (head.length > 0) socket.write(head)
      join(client, socket)
      join(socket, client)
    } catch (error) {
      lastWords(client, answerTo(error))
    }
  }

  async #forward(request: IncomingMessage, response: ServerResponse) {
    let made: Connection | undefined
    try {
      const { host, path } = absolute(request.url ?? '')
      made = await this.#connect(host, HTTP_PORT)
      if (response.destroyed) made.socket.destroy()
      else forward(request, response, made.socket, { host: made.host, path })
    } catch (error) {
      made?.socket.destroy()
      answerPlainly(response, error)
    }
  }

  async #connect(wanted: string, fallback?: number): Promise<Connection> {
    try {
      return await this.#judged(wanted, fallback)
    } catch (error) {
      const [, host = wanted, port = fallback ?? 0] = /^(.*):([0-9]{1,5})$/s.exec(wanted) ?? []
      this.#log.refused(host, Number(port), answerTo(error).text)
      throw error
    }
  }

  async #judged(wanted: string, fallback: number | undefined): Promise<Connection> {
    const { host, port } = authority(wanted, fallback)
    const name = hostText(host)
    const { allow, limits } = this.#options
    if (!covers(allow, host, port))
      throw new ToolError('URL_BLOCKED', `${name}, port ${port}, is not among the hosts that were granted.`)
    if (this.#underWay >= limits.connections)
      throw new ToolError('OVERLOADED', `Too much is under way to reach ${name} too.`)
    const socket = await this.#dialled(() => connectOut(host, port, this.#options))
    this.#log.reached(name, port, socket)
    const literal = name.includes(':') ? `[${name}]` : name
    return { socket, host: port === HTTP_PORT ? literal : `${literal}:${port}` }
  }

  async #dialled(dial: () => Promise<Socket>): Promise<Socket> {
    this.#underWay += 1
    const over = () => {
      this.#underWay -= 1
    }
    try {
      const socket = await dial()
      this.#hold(socket)
      return socket.once('close', over)
    } catch (error) {
      over()
      throw error
    }
  }

  #hold(socket: Socket) {
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    // Broken connections are an everyday matter; whatever reads or writes sees it by itself.
    socket.on('error', () => {})
    socket.setTimeout(this.#options.limits.idle_ms, () => socket.destroy())
  }

  #misunderstood(error: NodeJS.ErrnoException, client: Duplex) {
    if (error.code === 'ECONNRESET' || !client.writable) return void client.destroy()
    const [status, text] = FAULTS[error.code ?? ''] ?? [400, 'It is not a request that a proxy takes.']
    this.#log.refused(UNREADABLE, 0, text)
    lastWords(client, { status, text })
  }
}

/** Hands on what comes until it ends, which the other direction may outlive; a connection that breaks breaks the other. */
function join(from: Duplex, to: Duplex) {
  from.pipe(to)
  from.once('close', () => (from.readableEnded && from.writableFinished) || to.destroy())
}

const FAULTS: Readonly<Record<string, readonly [status: number, text: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Its headers are too long.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Its headers took too long.']
}
