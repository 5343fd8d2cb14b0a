// Bridge between MCP over standard input and output and a server's MCP over HTTP. It survives restarts of the server, even
// elsewhere: no message is delivered twice, and each request is answered once.
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { ServerConnection } from '../client/http-transport.ts'
import { randomCallId } from './call-id.ts'
import { type JsonRpcMessage, type McpHttpRequest, type McpHttpResponse, sendMcp } from './mcp-http.ts'

export interface McpBridgeOptions {
  /** Returns the address of the server. Called again after it was lost. */
  connect: () => Promise<ServerConnection>
  /** Query parameters with defaults for every call. */
  query: Record<string, string>
  onMessage: (message: JsonRpcMessage) => void
  /** Logs messages for people. */
  log: (text: string) => void
}

type RequestId = NonNullable<JsonRpcMessage['id']>

/** A request that has not been answered. */
interface PendingRequest {
  /** Belongs to the generation without sessions, in which a request is cancelled by closing its response. */
  isStateless: boolean
  abort: AbortController
  /** Resolves once the server has received it. */
  accepted: PromiseWithResolvers<void>
  answered: PromiseWithResolvers<void>
}

const RETRY_DELAYS_MS = [100, 500, 1_000, 2_000, 5_000] as const
/** Maximum attempts to reach the server before a request fails. */
const MAX_ATTEMPTS = 8
const CLOSE_TIMEOUT_MS = 5_000
const SERVER_UNAVAILABLE = -32_000
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'

export class McpBridge {
  readonly #options: McpBridgeOptions
  readonly #query: string
  readonly #pending = new Map<RequestId, PendingRequest>()
  /** Messages without a response that are on their way to the server. */
  readonly #forwarding = new Set<Promise<void>>()
  readonly #closed = new AbortController()
  #connection: Promise<ServerConnection> | undefined
  #session: string | undefined
  /** The client's initialize request, repeated to a server that does not know the session. */
  #initializeRequest: JsonRpcMessage | undefined
  #initialized: Promise<void> = Promise.resolve()
  #listener: AbortController | undefined

  constructor(options: McpBridgeOptions) {
    this.#options = options
    // The session id of calls is stable across sessions, so that a repeated call is recognized.
    const session_id = `mcp-${randomUUID()}`
    this.#query = `?${new URLSearchParams({ session_id, ...options.query })}`
  }

  /** Receives a message from the client. */
  receive(message: JsonRpcMessage) {
    const { id, method } = message
    if (method === 'initialize') this.#initialized = this.#request(message)
    else if (method !== undefined && id !== undefined && id !== null) void this.#request(withCallId(message))
    else {
      const forwarding = method === 'notifications/cancelled' ? this.#cancel(message) : this.#forward(message)
      this.#forwarding.add(forwarding)
      void forwarding.finally(() => this.#forwarding.delete(forwarding))
    }
  }

  /** Waits for pending requests and forwarded messages, then ends the session; `hurry` ends the wait. */
  async close(hurry: AbortSignal) {
    const answers = [...this.#pending.values()].map(({ answered }) => answered.promise)
    const received = Promise.all([...answers, ...this.#forwarding])
    await Promise.race([received, pause(CLOSE_TIMEOUT_MS, undefined, { signal: hurry, ref: false })]).catch(() => {})
    const session = this.#session
    this.#listener?.abort()
    this.#closed.abort()
    if (session === undefined) return
    const signal = AbortSignal.timeout(1_000)
    await this.#sendOnly({ method: 'DELETE', headers: { 'mcp-session-id': session }, signal }).catch(() => {})
  }

  async #request(message: JsonRpcMessage): Promise<void> {
    const id = message.id as RequestId
    const open: PendingRequest = {
      isStateless: typeof message.params?._meta?.[VERSION_KEY] === 'string',
      abort: new AbortController(),
      accepted: Promise.withResolvers<void>(),
      answered: Promise.withResolvers<void>()
    }
    this.#pending.set(id, open)
    const signal = AbortSignal.any([open.abort.signal, this.#closed.signal])
    try {
      if (message.method !== 'initialize') await this.#initialized
      await this.#requestWithRetry(message, signal, open.accepted.resolve)
    } catch (error) {
      if (signal.aborted) return
      this.#options.onMessage({
        jsonrpc: '2.0',
        id,
        error: { code: SERVER_UNAVAILABLE, message: (error as Error).message }
      })
    } finally {
      open.accepted.resolve()
      open.answered.resolve()
      this.#pending.delete(id)
    }
  }

  /** Sends the request until it is answered: resumes its lost stream, or sends it again. */
  async #requestWithRetry(message: JsonRpcMessage, signal: AbortSignal, taken: () => void) {
    let place: string | undefined
    for (let tries = 0; ; tries += 1) {
      try {
        const answer = await (place === undefined ? this.#post(message, signal) : this.#resume(place, signal))
        taken()
        for await (const { place: at, message: received } of answer.messages) {
          // An error without the request's id comes from the transport and is not for the client.
          if (answer.status >= 400 && received?.id !== message.id) continue
          place = at ?? place
          if (received) tries = 0
          if (received) this.#options.onMessage(received)
          if (received && received.id === message.id && received.method === undefined)
            return this.#onAnswered(message, answer)
        }
        if (answer.status >= 400) throw new RequestRefusedError(answer.status)
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof RequestRefusedError && place === undefined) throw error
        if (error instanceof RequestRefusedError) place = undefined
        if (tries >= MAX_ATTEMPTS) throw error
        this.#connection = undefined
      }
      await pause(RETRY_DELAYS_MS[Math.min(tries, RETRY_DELAYS_MS.length - 1)]!, undefined, { signal })
    }
  }

  #onAnswered({ method }: JsonRpcMessage, { session }: McpHttpResponse) {
    if (method !== 'initialize') return
    this.#session = session
    if (session !== undefined) void this.#listen(session)
  }

  async #post(message: JsonRpcMessage, signal: AbortSignal): Promise<McpHttpResponse> {
    if (message.method === 'initialize') this.#initializeRequest = message
    const answer = await this.#send({ method: 'POST', body: message, headers: this.#headers(message), signal })
    if (answer.status !== 404 || !this.#initializeRequest || message.method === 'initialize') return answer
    answer.discard()
    await this.#reinitialize(signal)
    return this.#send({ method: 'POST', body: message, headers: this.#headers(message), signal })
  }

  #resume(place: string, signal: AbortSignal): Promise<McpHttpResponse> {
    return this.#send({
      method: 'GET',
      headers: { ...this.#headers({ jsonrpc: '2.0' }), 'last-event-id': place },
      signal
    })
  }

  /** Repeats the client's initialize request to a server that does not know the session, without involving the client. */
  async #reinitialize(signal: AbortSignal) {
    this.#options.log('The server no longer has the MCP session. Starting a new session.')
    this.#session = undefined
    const answer = await this.#send({ method: 'POST', body: this.#initializeRequest, signal })
    for await (const _ of answer.messages);
    if (answer.session === undefined) throw new RequestRefusedError(answer.status)
    this.#session = answer.session
    await this.#sendOnly({ method: 'POST', body: INITIALIZED, headers: this.#headers(INITIALIZED), signal })
    void this.#listen(answer.session)
  }

  /** Forwards notifications, and responses to requests of the server. */
  async #forward(message: JsonRpcMessage) {
    await this.#initialized
    const sending = {
      method: 'POST',
      body: message,
      headers: this.#headers(message),
      signal: this.#closed.signal
    } as const
    await this.#sendOnly(sending).catch(error =>
      this.#options.log(`A message to the server was lost: ${error.message}`)
    )
  }

  async #cancel(message: JsonRpcMessage) {
    const id = message.params?.requestId as RequestId
    const open = this.#pending.get(id)
    if (!open) return
    // The response may begin only when it is complete.
    if (open.isStateless) return open.abort.abort()
    await open.accepted.promise
    await this.#forward(message)
  }

  /** Receives messages outside requests, for as long as the session lasts. */
  async #listen(session: string) {
    this.#listener?.abort()
    this.#listener = new AbortController()
    const signal = AbortSignal.any([this.#listener.signal, this.#closed.signal])
    for (let tries = 0; !signal.aborted; tries += 1) {
      try {
        const answer = await this.#send({ method: 'GET', headers: { 'mcp-session-id': session }, signal })
        if (answer.status >= 400) return answer.discard()
        tries = 0
        for await (const { message } of answer.messages) if (message) this.#options.onMessage(message)
      } catch {}
      await pause(RETRY_DELAYS_MS[Math.min(tries, RETRY_DELAYS_MS.length - 1)]!, undefined, { signal }).catch(() => {})
    }
  }

  /** Sends a message that has no response. */
  async #sendOnly(sending: McpHttpRequest) {
    const answer = await this.#send(sending)
    answer.discard()
  }

  async #send(sending: McpHttpRequest): Promise<McpHttpResponse> {
    this.#connection ??= this.#options.connect()
    const connecting = this.#connection
    try {
      const connection = await connecting
      return await sendMcp({ ...connection, url: `${connection.url}/mcp${this.#query}` }, sending)
    } catch (error) {
      if (this.#connection === connecting) this.#connection = undefined
      throw error
    }
  }

  #headers({ method, params }: JsonRpcMessage): Record<string, string> {
    const version = params?._meta?.[VERSION_KEY]
    if (typeof version !== 'string') return this.#session === undefined ? {} : { 'mcp-session-id': this.#session }
    const name = params?.name ?? params?.uri
    return {
      'mcp-protocol-version': version,
      ...(method !== undefined && { 'mcp-method': method }),
      ...(typeof name === 'string' && { 'mcp-name': name })
    }
  }
}

const INITIALIZED: JsonRpcMessage = { jsonrpc: '2.0', method: 'notifications/initialized' }

class RequestRefusedError extends Error {
  constructor(status: number) {
    super(status === 401 ? 'The token is not valid for this server.' : `The server rejected the request (${status}).`)
  }
}

/** Adds a call id, so that a call which is sent again, since its arrival is uncertain, runs only once. */
function withCallId(message: JsonRpcMessage): JsonRpcMessage {
  const { method, params = {} } = message
  if (method !== 'tools/call' || params._meta?.['toolgate/tool_call_id'] !== undefined) return message
  return { ...message, params: { ...params, _meta: { ...params._meta, 'toolgate/tool_call_id': randomCallId() } } }
}
