// Connections for fetches: each goes only to an address that passed the guard. They are closed with the call.
import { once } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { connect as secured } from 'node:tls'
import type { Client } from 'undici'
import { hostText } from '../../text/url/hosts.ts'
import { connectGuarded, type EgressPolicy, findProxy, routeRequest } from '../egress/guarded-connect.ts'
import { proxyAuthorization } from '../egress/upstream-proxy.ts'
import type { WebAddress } from './web-address.ts'

/** Maximum size of an answer's headers. */
const MAX_HEADER_BYTES = 65_536
const TLS_TIMEOUT_MS = 10_000

interface RequestOptions {
  method: string
  headers: Record<string, string>
  body: string | null
  signal: AbortSignal
}

/** An answer whose body is still being received, in its content encoding. */
interface RawResponse {
  statusCode: number
  headers: IncomingHttpHeaders
  body: Readable
}

export class ConnectionPool {
  readonly #egressPolicy: EgressPolicy
  readonly #clients = new Map<string, Client>()

  constructor(guarding: EgressPolicy) {
    this.#egressPolicy = guarding
  }

  async request(address: WebAddress, options: RequestOptions): Promise<RawResponse> {
    const { url, host, port } = address
    const path = url.pathname + url.search
    const client = await this.#client(address)
    const proxy = url.protocol === 'http:' ? findProxy('http:', host, port, this.#egressPolicy) : undefined
    if (!proxy) return client.request({ ...options, path })
    const headers = { ...options.headers, ...proxyAuthorization(proxy) }
    return client.request({ ...options, headers, path: `${url.origin}${path}` })
  }

  async close() {
    await Promise.all([...this.#clients.values()].map(client => client.destroy()))
  }

  async #client(address: WebAddress): Promise<Client> {
    // Loaded on demand: rarely needed, and large.
    const { Client } = await import('undici')
    const { origin } = address.url
    const known = this.#clients.get(origin)
    if (known) return known
    const client = new Client(origin, {
      maxHeaderSize: MAX_HEADER_BYTES,
      allowH2: false,
      // The call's signal limits the total time.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (_options, done) => {
        openSocket(address, this.#egressPolicy).then(
          socket => done(null, socket),
          error => done(error, null)
        )
      }
    })
    this.#clients.set(origin, client)
    return client
  }
}

async function openSocket({ url, host, port }: WebAddress, guarding: EgressPolicy): Promise<Socket> {
  if (url.protocol === 'http:') return (await routeRequest(host, port, guarding)).socket
  const socket = await connectGuarded(host, port, guarding)
  const secure = secured({
    socket,
    host: hostText(host),
    ...('name' in host && { servername: host.name }),
    ALPNProtocols: ['http/1.1']
  })
  try {
    await once(secure, 'secureConnect', { signal: AbortSignal.timeout(TLS_TIMEOUT_MS) })
    return secure
  } catch (error) {
    secure.on('error', () => {}).destroy()
    throw error
  }
}
