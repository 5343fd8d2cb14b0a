// A server that listens at an address, of its own or another machine.
import type { AuthProvider, OAuthClientProvider, Transport } from '@modelcontextprotocol/client'
import type { Ending, Link } from './connection.ts'
import type { Fetcher } from './http-client.ts'

interface Remote {
  url: string
  headers: Record<string, string>
  fetcher: Fetcher
  auth: AuthProvider | OAuthClientProvider
}

const RECONNECTION = {
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 30_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 5
}
/** How long it may take to let go of the session. */
const LEAVE_MS = 1_000

export class RemoteLink implements Link {
  readonly transport: Transport
  readonly ended: Promise<Ending>
  readonly #fetcher: Fetcher
  readonly #leave: () => Promise<void>
  readonly #end: (ending: Ending) => void

  static async over(kind: 'http' | 'sse', { url, headers, fetcher, auth }: Remote): Promise<RemoteLink> {
    const { SSEClientTransport, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
    const options = { fetch: fetcher.fetch, requestInit: { headers }, authProvider: auth }
    if (kind === 'sse') {
      const events = new SSEClientTransport(new URL(url), options)
      const link = new RemoteLink(events, fetcher, async () => {})
      // Its library would connect anew by itself, to a server that knows nothing of us any more.
      events.onerror = error => link.kill(`its stream of events broke: ${error.message}`)
      return link
    }
    const transport = new StreamableHTTPClientTransport(new URL(url), {
      ...options,
      reconnectionOptions: RECONNECTION
    })
    return new RemoteLink(transport, fetcher, () => transport.terminateSession())
  }

  private constructor(transport: Transport, fetcher: Fetcher, leave: () => Promise<void>) {
    const { promise, resolve } = Promise.withResolvers<Ending>()
    this.transport = transport
    this.ended = promise
    this.#fetcher = fetcher
    this.#leave = leave
    this.#end = resolve
  }

  printed(): string {
    return ''
  }

  kill(why: string) {
    void this.#close({ why, stopped: false })
  }

  async stop(why: string) {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, LEAVE_MS)
    await Promise.race([this.#leave().catch(() => {}), promise])
    clearTimeout(timer)
    await this.#close({ why, stopped: true })
  }

  async #close(ending: Ending) {
    await this.transport.close().catch(() => {})
    await this.#fetcher.close()
    this.#end(ending)
  }
}
