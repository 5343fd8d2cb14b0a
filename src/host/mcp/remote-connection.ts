// Connection to a server at a remote or local address.
import type { AuthProvider, OAuthClientProvider, Transport } from '@modelcontextprotocol/client'
import type { ConnectionEnd, McpConnection } from './connection.ts'
import type { McpHttpClient } from './http-client.ts'

interface RemoteOptions {
  url: string
  headers: Record<string, string>
  httpClient: McpHttpClient
  auth: AuthProvider | OAuthClientProvider
}

const RECONNECTION_OPTIONS = {
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 30_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 5
}
/** Time in milliseconds for terminating the session. */
const TERMINATE_TIMEOUT_MS = 1_000

export class RemoteConnection implements McpConnection {
  readonly transport: Transport
  readonly ended: Promise<ConnectionEnd>
  readonly #httpClient: McpHttpClient
  readonly #terminateSession: () => Promise<void>
  readonly #resolveEnded: (ending: ConnectionEnd) => void

  static async open(
    kind: 'http' | 'sse',
    { url, headers, httpClient, auth }: RemoteOptions
  ): Promise<RemoteConnection> {
    const { SSEClientTransport, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
    const options = { fetch: httpClient.fetch, requestInit: { headers }, authProvider: auth }
    if (kind === 'sse') {
      const events = new SSEClientTransport(new URL(url), options)
      const link = new RemoteConnection(events, httpClient, async () => {})
      // The library would reconnect by itself, to a server that has lost the session.
      events.onerror = error => link.kill(`the server's event stream failed: ${error.message}`)
      return link
    }
    const transport = new StreamableHTTPClientTransport(new URL(url), {
      ...options,
      reconnectionOptions: RECONNECTION_OPTIONS
    })
    return new RemoteConnection(transport, httpClient, () => transport.terminateSession())
  }

  private constructor(transport: Transport, fetcher: McpHttpClient, leave: () => Promise<void>) {
    const { promise, resolve } = Promise.withResolvers<ConnectionEnd>()
    this.transport = transport
    this.ended = promise
    this.#httpClient = fetcher
    this.#terminateSession = leave
    this.#resolveEnded = resolve
  }

  recentOutput(): string {
    return ''
  }

  kill(reason: string) {
    void this.#close({ reason, wasStopped: false })
  }

  async stop(reason: string) {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, TERMINATE_TIMEOUT_MS)
    await Promise.race([this.#terminateSession().catch(() => {}), promise])
    clearTimeout(timer)
    await this.#close({ reason, wasStopped: true })
  }

  async #close(ending: ConnectionEnd) {
    await this.transport.close().catch(() => {})
    await this.#httpClient.close()
    this.#resolveEnded(ending)
  }
}
