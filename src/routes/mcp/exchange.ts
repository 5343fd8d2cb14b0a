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
export interface Outlet {
  /** Sends one JSON body. */
  json(text: string): void
  /** Begins an event stream. Undefined where the client takes none. */
  stream: (() => ServerResponse) | undefined
}

interface Frame {
  n: number
  text: string
  /** It may be left out where the client was away: later ones say as much. */
  passing: boolean
}

/** Frames kept for a client that has lost its stream. */
const MOST_KEPT = 64
/** A client that reads this little of what was sent is told no more progress. */
const MOST_WAITING_BYTES = 1_048_576
const RETRY_MS = 1_000

export class Exchange {
  readonly #options: ExchangeOptions
  readonly #left: Set<RequestId>
  readonly #responses: JSONRPCMessage[] = []
  readonly #done: () => void
  #outlet: Outlet | undefined
  #out: ServerResponse | undefined
  #kept: Frame[] = []
  #n: number

  /** `done` is called once, when everything is answered. */
  constructor(options: ExchangeOptions, done: () => void) {
    this.#options = options
    this.#left = new Set(options.ids)
    this.#n = options.after ?? 0
    this.#done = done
  }

  get resume(): ResumePoint | undefined {
    return this.#options.resume
  }

  /** Answers through this one. */
  open(outlet: Outlet) {
    this.#outlet = outlet
  }

  /** Begins a stream, where the answer has not been sent and the client takes one. */
  beginStream() {
    const begin = this.#outlet?.stream
    if (!begin) return
    this.#outlet = undefined
    this.#write(begin(), this.#options.primed ? `id: ${this.#id(this.#n)}\nretry: ${RETRY_MS}\ndata: \n\n` : ':\n\n')
  }

  /** Takes a lost stream up again after that event. */
  attach(out: ServerResponse, after: number) {
    this.#out?.end()
    const missed = this.#kept.filter(({ n }) => n > after)
    this.#write(out, [':\n\n', ...missed.map(({ text }) => text)].join(''))
  }

  /** Sends what belongs to a request and is no response. */
  tell(message: JSONRPCMessage) {
    this.beginStream()
    this.#frame(message, 'method' in message && !('id' in message))
  }

  respond(id: RequestId, message: JSONRPCMessage) {
    if (!this.#left.delete(id)) return
    if (this.#outlet) this.#responses.push(message)
    else this.#frame(message, false)
    if (this.#left.size > 0) return
    if (this.#outlet) this.#sendJson(this.#outlet)
    this.#out?.end()
    this.#done()
  }

  /** A sign of life; also the stream of a client that is gone is noticed by it. */
  beat() {
    this.#out?.write(':\n\n')
  }

  /** Ends the stream in the middle: the client resumes. One that takes no stream is told to send its requests again. */
  close() {
    this.beginStream()
    this.#outlet?.json(JSON.stringify(this.#options.ids.map(stopping)[0]))
    this.#out?.end()
  }

  #sendJson(outlet: Outlet) {
    this.#outlet = undefined
    outlet.json(JSON.stringify(this.#options.batch ? this.#responses : this.#responses[0]))
  }

  #frame(message: JSONRPCMessage, passing: boolean) {
    this.#n += 1
    const id = this.#options.resume ? `id: ${this.#id(this.#n)}\n` : ''
    const frame = { n: this.#n, text: `${id}data: ${JSON.stringify(message)}\n\n`, passing }
    this.#keep(frame)
    const out = this.#out
    if (out && !(passing && out.writableLength > MOST_WAITING_BYTES)) out.write(frame.text)
  }

  #keep(frame: Frame) {
    this.#kept.push(frame)
    if (this.#kept.length <= MOST_KEPT) return
    const first = this.#kept.findIndex(({ passing }) => passing)
    this.#kept.splice(Math.max(first, 0), 1)
  }

  #write(out: ServerResponse, text: string) {
    this.#out = out
    out.once('close', () => {
      if (this.#out === out) this.#out = undefined
    })
    out.write(text)
  }

  #id = (n: number) => `${nameOf(this.#options)}.${n}`
}

const stopping = (id: RequestId) => ({
  jsonrpc: '2.0',
  id,
  error: { code: -32_000, message: 'The server is stopping: send the request again.' }
})

const nameOf = ({ resume, ids }: ExchangeOptions) =>
  Buffer.from(JSON.stringify(resume ? [resume.id, resume.call, resume.token] : [ids[0]])).toString('base64url')

/** Where a stream was lost, by the id of its last event; undefined where that is none of ours. */
export function lostAt(last_event_id: string): (ResumePoint & { after: number }) | undefined {
  const [, name, n] = /^([\w-]{1,2048})\.(\d{1,9})$/.exec(last_event_id) ?? []
  if (name === undefined) return undefined
  try {
    const [id, call, token] = JSON.parse(Buffer.from(name, 'base64url').toString())
    if (!isId(id) || typeof call !== 'string' || !(token === undefined || token === null || isId(token)))
      return undefined
    return { id, call, ...(isId(token) && { token }), after: Number(n) }
  } catch {
    return undefined
  }
}

export const isId = (value: unknown): value is RequestId => typeof value === 'string' || typeof value === 'number'
