// Transport of one session: moves messages between the SDK's server and HTTP exchanges.
import type { ServerResponse } from 'node:http'
import type {
  JSONRPCMessage,
  MessageExtraInfo,
  RequestId,
  Transport,
  TransportSendOptions
} from '@modelcontextprotocol/server'
import { Exchange, type ExchangeOptions, type ResumePoint } from './exchange.ts'

export class SessionTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void
  readonly #exchanges = new Map<RequestId, Exchange>()
  /** The stream for messages outside requests. */
  #serverStream: ServerResponse | undefined

  async start() {}

  /** Returns true while requests or streams are open. */
  get isBusy(): boolean {
    return this.#exchanges.size > 0 || this.#serverStream !== undefined
  }

  /** Returns true while a request with that id is being answered. */
  isAnswering = (id: RequestId) => this.#exchanges.has(id)

  /** Returns the call that a request creates. */
  callOf = (id: RequestId) => this.#exchanges.get(id)?.resume?.call

  /** Opens the response to these requests, which are delivered afterwards, by `deliver`. */
  open(options: ExchangeOptions): Exchange {
    const exchange = new Exchange(options, () => {
      for (const id of options.ids) this.#exchanges.delete(id)
    })
    for (const id of options.ids) this.#exchanges.set(id, exchange)
    return exchange
  }

  deliver(message: JSONRPCMessage) {
    this.onmessage?.(message)
  }

  /** Returns the exchange of the lost stream, if it is still active. */
  findExchange({ id, call }: ResumePoint): Exchange | undefined {
    const exchange = this.#exchanges.get(id)
    return exchange?.resume?.call === call ? exchange : undefined
  }

  /** A new server stream replaces one whose loss may be undetected. */
  attachServerStream(out: ServerResponse) {
    this.#serverStream?.end()
    this.#serverStream = out
    out.once('close', () => {
      if (this.#serverStream === out) this.#serverStream = undefined
    })
    out.write('retry: 1000\n\n')
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions) {
    if (!('method' in message)) {
      if (message.id !== undefined) this.#exchanges.get(message.id)?.respond(message.id, message)
      return
    }
    const exchange = options?.relatedRequestId === undefined ? undefined : this.#exchanges.get(options.relatedRequestId)
    if (exchange) exchange.notify(message)
    // Messages for a disconnected client are dropped: it can query the state after reconnecting.
    else this.#serverStream?.write(`data: ${JSON.stringify(message)}\n\n`)
  }

  heartbeat() {
    this.#serverStream?.write(':\n\n')
    for (const exchange of new Set(this.#exchanges.values())) exchange.heartbeat()
  }

  /** Ends every stream. Later responses are dropped. */
  closeStreams() {
    this.#serverStream?.end()
    for (const exchange of new Set(this.#exchanges.values())) exchange.close()
    this.#exchanges.clear()
  }

  async close() {
    this.closeStreams()
    this.onclose?.()
  }
}
