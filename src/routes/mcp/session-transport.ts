// One session's messages, between the SDK's server and the HTTP exchanges they come in and go out by.
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
  /** The stream for what belongs to no request. */
  #serverStream: ServerResponse | undefined

  async start() {}

  /** Something is being answered or listened to. */
  get isBusy(): boolean {
    return this.#exchanges.size > 0 || this.#serverStream !== undefined
  }

  /** Whether a request with that id is being answered. */
  isAnswering = (id: RequestId) => this.#exchanges.has(id)

  /** The call that a request makes. */
  callOf = (id: RequestId) => this.#exchanges.get(id)?.resume?.call

  /** Opens the answer to these requests. The requests themselves are handed on afterwards, by `deliver`. */
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

  /** The exchange whose stream was lost there, where it is still going on. */
  findExchange({ id, call }: ResumePoint): Exchange | undefined {
    const exchange = this.#exchanges.get(id)
    return exchange?.resume?.call === call ? exchange : undefined
  }

  /** A new standing stream takes the place of one that may be lost without our knowing. */
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
    // What a client is not there to hear it can ask for when it is back.
    else this.#serverStream?.write(`data: ${JSON.stringify(message)}\n\n`)
  }

  heartbeat() {
    this.#serverStream?.write(':\n\n')
    for (const exchange of new Set(this.#exchanges.values())) exchange.heartbeat()
  }

  /** Ends every stream. What is answered later goes nowhere. */
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
