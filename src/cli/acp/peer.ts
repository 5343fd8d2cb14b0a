// One peer of the proxy: sends it messages, and requests of the proxy, whose ids differ from those that are passed on.
import { AcpError, type AcpMessage } from './message.ts'

const ID_PREFIX = 'toolgate-'

export class AcpPeer {
  readonly #send: (message: AcpMessage) => void
  readonly #pending = new Map<string, PromiseWithResolvers<unknown>>()
  #requests = 0

  constructor(send: (message: AcpMessage) => void) {
    this.#send = send
  }

  send(message: AcpMessage): void {
    this.#send(message)
  }

  notify(method: string, params: unknown): void {
    this.#send({ jsonrpc: '2.0', method, params })
  }

  /** Sends a request and returns its result. If `signal` aborts, the peer receives a cancellation, and a later response is ignored. */
  async request<T>(method: string, params: unknown, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted()
    this.#requests += 1
    const id = `${ID_PREFIX}${this.#requests}`
    const answer = Promise.withResolvers<unknown>()
    this.#pending.set(id, answer)
    const onAbort = () => {
      this.notify('$/cancel_request', { requestId: id })
      answer.reject(signal.reason)
    }
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      this.#send({ jsonrpc: '2.0', id, method, params })
      return (await answer.promise) as T
    } finally {
      signal.removeEventListener('abort', onAbort)
      this.#pending.delete(id)
    }
  }

  /** Takes the response to a request of the proxy. Returns false for any other message. */
  takeResponse({ id, method, result, error }: AcpMessage): boolean {
    if (method !== undefined || typeof id !== 'string' || !id.startsWith(ID_PREFIX)) return false
    const pending = this.#pending.get(id)
    if (error) pending?.reject(new AcpError(error.message, error.code))
    else pending?.resolve(result)
    return true
  }
}
