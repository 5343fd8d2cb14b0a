// The protocol on one side as a program's standard input and output have it, on the other as a server has it over HTTP.
// The server may go and come back, elsewhere even: nothing is said twice, and what was asked is answered once.
import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Connection } from './http-transport.ts'
import { type Answer, type Message, type Sending, sendMcp } from './mcp-http.ts'

export interface BridgeOptions {
  /** Where the server is. Asked again when it was lost. */
  connect: () => Promise<Connection>
  /** What every call is made with, as the query of the server's address. */
  query: Record<string, string>
  tell: (message: Message) => void
  /** Says to people what goes on. */
  say: (text: string) => void
}

type Id = NonNullable<Message['id']>

/** A request that has not been answered. */
interface Open {
  abort: AbortController
  /** Resolves once the server has it. */
  taken: PromiseWithResolvers<void>
  answered: PromiseWithResolvers<void>
}

const RETRY_MS = [100, 500, 1_000, 2_000, 5_000] as const
/** How often a server is looked for before a request is given up. */
const MOST_TRIES = 8
const LAST_ANSWERS_MS = 5_000
const NO_SERVER = -32_000
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'

export class McpBridge {
  readonly #options: BridgeOptions
  readonly #query: string
  readonly #open = new Map<Id, Open>()
  readonly #over = new AbortController()
  #connection: Promise<Connection> | undefined
  #session: string | undefined
  /** The client's introduction, to be repeated to a server that does not know it. */
  #introduction: Message | undefined
  #introduced: Promise<void> = Promise.resolve()
  #listening: AbortController | undefined

  constructor(options: BridgeOptions) {
    this.#options = options
    // The session's name for calls stays, whatever becomes of the session: a call that is sent again is the same call.
    const session_id = `mcp-${randomUUID()}`
    this.#query = `?${new URLSearchParams({ session_id, ...options.query })}`
  }

  /** Takes a message of the client. */
  receive(message: Message) {
    const { id, method } = message
    if (method === 'initialize') this.#introduced = this.#request(message)
    else if (method !== undefined && id !== undefined && id !== null) void this.#request(asOneCall(message))
    else if (method === 'notifications/cancelled') void this.#cancel(message)
    else void this.#pass(message)
  }

  /** Ends the session, and all that is still waited for then: what was asked last may just be on its way. */
  async close(hurry: AbortSignal) {
    const answers = Promise.all([...this.#open.values()].map(({ answered }) => answered.promise))
    await Promise.race([answers, pause(LAST_ANSWERS_MS, undefined, { signal: hurry, ref: false })]).catch(() => {})
    const session = this.#session
    this.#listening?.abort()
    this.#over.abort()
    if (session === undefined) return
    const signal = AbortSignal.timeout(1_000)
    await this.#tell({ method: 'DELETE', headers: { 'mcp-session-id': session }, signal }).catch(() => {})
  }

  async #request(message: Message): Promise<void> {
    const id = message.id as Id
    const open: Open = {
      abort: new AbortController(),
      taken: Promise.withResolvers<void>(),
      answered: Promise.withResolvers<void>()
    }
    this.#open.set(id, open)
    const signal = AbortSignal.any([open.abort.signal, this.#over.signal])
    try {
      if (message.method !== 'initialize') await this.#introduced
      await this.#answer(message, signal, open.taken.resolve)
    } catch (error) {
      if (signal.aborted) return
      this.#options.tell({ jsonrpc: '2.0', id, error: { code: NO_SERVER, message: (error as Error).message } })
    } finally {
      open.taken.resolve()
      open.answered.resolve()
      this.#open.delete(id)
    }
  }

  /** Sends the request until it is answered: on from where its stream was lost, or once more. */
  async #answer(message: Message, signal: AbortSignal, taken: () => void) {
    let place: string | undefined
    for (let tries = 0; ; tries += 1) {
      try {
        const answer = await (place === undefined ? this.#post(message, signal) : this.#resume(place, signal))
        taken()
        for await (const { place: at, message: told } of answer.messages) {
          // What the server says to nobody, as it refuses, is not for the client.
          if (answer.status >= 400 && told?.id !== message.id) continue
          place = at ?? place
          if (told) tries = 0
          if (told) this.#options.tell(told)
          if (told && told.id === message.id && told.method === undefined) return this.#answered(message, answer)
        }
        if (answer.status >= 400) throw new Refused(answer.status)
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof Refused && place === undefined) throw error
        if (error instanceof Refused) place = undefined
        if (tries >= MOST_TRIES) throw error
        this.#connection = undefined
      }
      await pause(RETRY_MS[Math.min(tries, RETRY_MS.length - 1)]!, undefined, { signal })
    }
  }

  #answered({ method }: Message, { session }: Answer) {
    if (method !== 'initialize') return
    this.#session = session
    if (session !== undefined) void this.#listen(session)
  }

  async #post(message: Message, signal: AbortSignal): Promise<Answer> {
    if (message.method === 'initialize') this.#introduction = message
    const answer = await this.#send({ method: 'POST', body: message, headers: this.#headers(message), signal })
    if (answer.status !== 404 || !this.#introduction || message.method === 'initialize') return answer
    answer.drop()
    await this.#introduceAgain(signal)
    return this.#send({ method: 'POST', body: message, headers: this.#headers(message), signal })
  }

  #resume(place: string, signal: AbortSignal): Promise<Answer> {
    return this.#send({
      method: 'GET',
      headers: { ...this.#headers({ jsonrpc: '2.0' }), 'last-event-id': place },
      signal
    })
  }

  /** A server that does not know the session is introduced to the client, who need not know. */
  async #introduceAgain(signal: AbortSignal) {
    this.#options.say('The server knows nothing of the session: it begins anew.')
    this.#session = undefined
    const answer = await this.#send({ method: 'POST', body: this.#introduction, signal })
    for await (const _ of answer.messages);
    if (answer.session === undefined) throw new Refused(answer.status)
    this.#session = answer.session
    await this.#tell({ method: 'POST', body: INITIALIZED, headers: this.#headers(INITIALIZED), signal })
    void this.#listen(answer.session)
  }

  /** Notifications, and answers to what the server asks. */
  async #pass(message: Message) {
    await this.#introduced
    const sending = {
      method: 'POST',
      body: message,
      headers: this.#headers(message),
      signal: this.#over.signal
    } as const
    await this.#tell(sending).catch(error => this.#options.say(`A message was lost: ${error.message}`))
  }

  async #cancel(message: Message) {
    const id = message.params?.requestId as Id
    const open = this.#open.get(id)
    if (!open) return
    await open.taken.promise
    // Without sessions, whoever cancels a request lets go of its answer.
    if (this.#session === undefined) open.abort.abort()
    else await this.#pass(message)
  }

  /** Hears what belongs to no request, for as long as the session goes on. */
  async #listen(session: string) {
    this.#listening?.abort()
    this.#listening = new AbortController()
    const signal = AbortSignal.any([this.#listening.signal, this.#over.signal])
    for (let tries = 0; !signal.aborted; tries += 1) {
      try {
        const answer = await this.#send({ method: 'GET', headers: { 'mcp-session-id': session }, signal })
        if (answer.status >= 400) return answer.drop()
        tries = 0
        for await (const { message } of answer.messages) if (message) this.#options.tell(message)
      } catch {}
      await pause(RETRY_MS[Math.min(tries, RETRY_MS.length - 1)]!, undefined, { signal }).catch(() => {})
    }
  }

  /** Sends what nothing comes back for. */
  async #tell(sending: Sending) {
    const answer = await this.#send(sending)
    answer.drop()
  }

  async #send(sending: Sending): Promise<Answer> {
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

  #headers({ method, params }: Message): Record<string, string> {
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

const INITIALIZED: Message = { jsonrpc: '2.0', method: 'notifications/initialized' }

class Refused extends Error {
  constructor(status: number) {
    super(status === 401 ? 'The token is not of this server.' : `The server refused the request (${status}).`)
  }
}

/** A call that is sent again, since nobody knows whether it arrived, is made once: it goes by the same id. */
function asOneCall(message: Message): Message {
  const { method, params = {} } = message
  if (method !== 'tools/call' || params._meta?.['toolgate/tool_call_id'] !== undefined) return message
  return { ...message, params: { ...params, _meta: { ...params._meta, 'toolgate/tool_call_id': freshCallId() } } }
}

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const freshCallId = () => `tc_${Array.from(randomBytes(26), byte => ALPHABET[byte % 32]).join('')}`
