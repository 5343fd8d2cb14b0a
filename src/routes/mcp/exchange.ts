// The answer to one POST of a session: one JSON body where the responses are all there is to say, else a stream of
// events, which the client can lose and take up again as long as the answer is not whole.
import type { ServerResponse } from 'node:http'
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server'

export interface ExchangeOptions {
  /** The requests that were posted. */
  ids: readonly RequestId[]
  /** Several were posted as one batch, so that they are answered as one. */
  batch: boolean
  /** The call that the request makes: names the stream, so that another run of the server can take it up. */
  resume?: ResumePoint | undefined
  /** The client takes an event without data, which gives it a place to resume at before anything is told. */
  primed: boolean
  /** Number of the last event that was sent of this stream before. */
  after?: number
}

/** What of a stream outlives the server: the request, its call, and where its progress goes. */
export interface ResumePoint {
  id: RequestId
  call: string
  token?: RequestId | undefined
}

/** Where one answer goes: exactly one of the two is used. */
export interface ReplyChannel {
  /** Sends one JSON body. */
  sendJson(text: string): void
  /** Begins an event stream. Undefined where the client takes none. */
  openStream: (() => ServerResponse) | undefined
}

interface BufferedFrame {
  n: number
  text: string
  /** It may be left out where the client was away: later ones say as much. */
  passing: boolean
}

/** Frames kept for a client that has lost its stream. */
const MAX_BUFFERED_FRAMES = 64
/** A client that reads this little of what was sent is told no more progress. */
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

  /** `done` is called once, when everything is answered. */
  constructor(options: ExchangeOptions, done: () => void) {
    this.#options = options
    this.#unanswered = new Set(options.ids)
    this.#sequence = options.after ?? 0
    this.#done = done
  }

  get resume(): ResumePoint | undefined {
    return this.#options.resume
  }

  /** Answers through this one. */
  open(outlet: ReplyChannel) {
    this.#channel = outlet
  }

  /** Begins a stream, where the answer has not been sent and the client takes one. */
  beginStream() {
    const begin = this.#channel?.openStream
    if (!begin) return
    this.#channel = undefined
    this.#write(
      begin(),
      this.#options.primed ? `id: ${this.#eventId(this.#sequence)}\nretry: ${RETRY_MS}\ndata: \n\n` : ':\n\n'
    )
  }

  /** Takes a lost stream up again after that event. */
  attach(out: ServerResponse, after: number) {
    this.#stream?.end()
    const missed = this.#buffer.filter(({ n }) => n > after)
    this.#write(out, [':\n\n', ...missed.map(({ text }) => text)].join(''))
  }

  /** Sends what belongs to a request and is no response. */
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

  /** A sign of life; also the stream of a client that is gone is noticed by it. */
  heartbeat() {
    this.#stream?.write(':\n\n')
  }

  /** Ends the stream in the middle: the client resumes. One that takes no stream is told to send its requests again. */
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
  error: { code: -32_000, message: 'The server is stopping: send the request again.' }
})

const streamName = ({ resume, ids }: ExchangeOptions) =>
  Buffer.from(JSON.stringify(resume ? [resume.id, resume.call, resume.token] : [ids[0]])).toString('base64url')

/** Where a stream was lost, by the id of its last event; undefined where that is none of ours. */
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
