// The response to one POST of a session: one JSON body if it consists only of responses, else an event stream, which the client
// can resume until the response is complete.
import type { ServerResponse } from 'node:http'
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server'

export interface ExchangeOptions {
  /** Ids of the posted requests. */
  ids: readonly RequestId[]
  /** Posted as one batch, which is answered as one. */
  batch: boolean
  /** The call of the request: it names the stream, so that a later run of the server can resume it. */
  resume?: ResumePoint | undefined
  /** The client accepts an event without data, which gives it a resume point before the first message. */
  primed: boolean
  /** Number of the last event that was sent on this stream before. */
  after?: number
}

/** The part of a stream that outlives the server: the request, its call, and its progress token. */
export interface ResumePoint {
  id: RequestId
  call: string
  token?: RequestId | undefined
}

/** Destination of a response: exactly one of the two is used. */
export interface ReplyChannel {
  /** Sends one JSON body. */
  sendJson(text: string): void
  /** Opens an event stream. Undefined if the client accepts none. */
  openStream: (() => ServerResponse) | undefined
}

interface BufferedFrame {
  n: number
  text: string
  /** May be dropped while the client is disconnected: later messages supersede it. */
  passing: boolean
}

/** Maximum number of frames buffered for a disconnected client. */
const MAX_BUFFERED_FRAMES = 64
/** Maximum backlog in bytes: beyond it, progress is dropped. */
const MAX_PENDING_BYTES = 1_048_576
const RETRY_MS = 1_000

export class Exchange {
  readonly #options: ExchangeOptions
  readonly #unanswered: Set<RequestId>
  readonly #responses: JSONRPCMessage[] = []
  readonly #done: () => void
  #channel: ReplyChannel | undefined
  #stream: ServerResponse | undefined
  #buffer: BufferedFrame[] = []
  #sequence: number

  /** Creates an exchange; `done` is called once, when everything is answered. */
  constructor(options: ExchangeOptions, done: () => void) {
    this.#options = options
    this.#unanswered = new Set(options.ids)
    this.#sequence = options.after ?? 0
    this.#done = done
  }

  get resume(): ResumePoint | undefined {
    return this.#options.resume
  }

  /** Opens the destination of the response. */
  open(outlet: ReplyChannel) {
    this.#channel = outlet
  }

  /** Starts a stream, if the response has not been sent and the client accepts one. */
  beginStream() {
    const begin = this.#channel?.openStream
    if (!begin) return
    this.#channel = undefined
    this.#write(
      begin(),
      this.#options.primed ? `id: ${this.#eventId(this.#sequence)}\nretry: ${RETRY_MS}\ndata: \n\n` : ':\n\n'
    )
  }

  /** Resumes a lost stream after that event. */
  attach(out: ServerResponse, after: number) {
    this.#stream?.end()
    const missed = this.#buffer.filter(({ n }) => n > after)
    this.#write(out, [':\n\n', ...missed.map(({ text }) => text)].join(''))
  }

  /** Sends a message that belongs to a request and is no response. */
  notify(message: JSONRPCMessage) {
    this.beginStream()
    this.#sendFrame(message, 'method' in message && !('id' in message))
  }

  respond(id: RequestId, message: JSONRPCMessage) {
    if (!this.#unanswered.delete(id)) return
    if (this.#channel) this.#responses.push(message)
    else this.#sendFrame(message, false)
    if (this.#unanswered.size > 0) return
    if (this.#channel) this.#sendJson(this.#channel)
    this.#stream?.end()
    this.#done()
  }

  /** Sends a keep-alive, which also detects a disconnected client. */
  heartbeat() {
    this.#stream?.write(':\n\n')
  }

  /** Interrupts the stream: the client resumes. A client without streams gets an error and must repeat its requests. */
  close() {
    this.beginStream()
    this.#channel?.sendJson(JSON.stringify(this.#options.ids.map(stoppingError)[0]))
    this.#stream?.end()
  }

  #sendJson(outlet: ReplyChannel) {
    this.#channel = undefined
    outlet.sendJson(JSON.stringify(this.#options.batch ? this.#responses : this.#responses[0]))
  }

  #sendFrame(message: JSONRPCMessage, passing: boolean) {
    this.#sequence += 1
    const id = this.#options.resume ? `id: ${this.#eventId(this.#sequence)}\n` : ''
    const frame = { n: this.#sequence, text: `${id}data: ${JSON.stringify(message)}\n\n`, passing }
    this.#bufferFrame(frame)
    const out = this.#stream
    if (out && !(passing && out.writableLength > MAX_PENDING_BYTES)) out.write(frame.text)
  }

  #bufferFrame(frame: BufferedFrame) {
    this.#buffer.push(frame)
    if (this.#buffer.length <= MAX_BUFFERED_FRAMES) return
    const first = this.#buffer.findIndex(({ passing }) => passing)
    this.#buffer.splice(Math.max(first, 0), 1)
  }

  #write(out: ServerResponse, text: string) {
    this.#stream = out
    out.once('close', () => {
      if (this.#stream === out) this.#stream = undefined
    })
    out.write(text)
  }

  #eventId = (n: number) => `${streamName(this.#options)}.${n}`
}

const stoppingError = (id: RequestId) => ({
  jsonrpc: '2.0',
  id,
  error: { code: -32_000, message: 'The server is stopping. Send the request again after its restart.' }
})

const streamName = ({ resume, ids }: ExchangeOptions) =>
  Buffer.from(JSON.stringify(resume ? [resume.id, resume.call, resume.token] : [ids[0]])).toString('base64url')

/** Parses Last-Event-ID into a resume point; undefined if it was not issued by this server. */
export function parseEventId(last_event_id: string): (ResumePoint & { after: number }) | undefined {
  const [, name, n] = /^([\w-]{1,2048})\.(\d{1,9})$/.exec(last_event_id) ?? []
  if (name === undefined) return undefined
  try {
    const [id, call, token] = JSON.parse(Buffer.from(name, 'base64url').toString())
    if (!isRequestId(id) || typeof call !== 'string' || !(token === undefined || token === null || isRequestId(token)))
      return undefined
    return { id, call, ...(isRequestId(token) && { token }), after: Number(n) }
  } catch {
    return undefined
  }
}

export const isRequestId = (value: unknown): value is RequestId =>
  typeof value === 'string' || typeof value === 'number'
