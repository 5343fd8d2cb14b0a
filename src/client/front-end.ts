// Front end as a library: effects as functions by name. It receives delegations over reconnecting connections, performs each
// once, and retries its answer until the server has received it.
import type { EffectHandlers, FrontEndClient, FrontEndOptions } from './delegation-handling.ts'

export class FrontEnd {
  /** Identifies this front end across all its connections. */
  readonly client_id: string
  /** Resolves once delegations can arrive; rejects if the server refuses. */
  readonly ready: Promise<void>
  /** Resolves once it has disconnected; rejects if the server refused. */
  readonly closed: Promise<void>
  readonly #closing = new AbortController()

  constructor(client: FrontEndClient, handlers: EffectHandlers, options: FrontEndOptions = {}) {
    this.client_id = options.client_id ?? crypto.randomUUID()
    let closed: Promise<void> | undefined
    // Node 20 has no Promise.withResolvers.
    this.ready = new Promise((resolve, reject) => {
      closed = this.#follow(client, handlers, options, resolve)
      closed.then(resolve, reject)
    })
    this.closed = closed!
    this.ready.catch(() => {})
    this.closed.catch(() => {})
  }

  /** Disconnects and aborts all handlers. */
  close() {
    this.#closing.abort()
  }

  /** Loads what handles delegations: a page that only decides has none. */
  async #follow(client: FrontEndClient, handlers: EffectHandlers, options: FrontEndOptions, ready: () => void) {
    const { DelegationHandling } = await import('./delegation-handling.ts')
    const { client_id } = this
    const { signal } = this.#closing
    await new DelegationHandling(client, handlers, { ...options, client_id }).follow(ready, signal)
  }
}
