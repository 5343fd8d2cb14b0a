// Open event streams, read with minimal work while every event on every stream is counted.
import { connect, type Socket } from 'node:net'
import { type Endpoint, encodeRequest } from './http.ts'

const FRAME_END = '\n\n'
const HEADERS_END = '\r\n\r\n'
const COLON = ':'.charCodeAt(0)
const MAX_FRAME_HEAD_LENGTH = 64
const FRAME_HEAD = /^id: (?:[0-9a-f]+-)?(\d+)\nevent: (?:tool|file)\./

/** One stream and its received events. */
interface SubscriberStream {
  open: boolean
  rest: Buffer | undefined
  count: number
  last: number
  /** Sum of all ids: streams with the same events have the same sum. */
  sum: number
  disorder: number
}

export class Subscribers {
  /** Events read over all streams. */
  events = 0
  readonly #streams: SubscriberStream[] = []
  readonly #sockets: Socket[] = []
  // Shared by all: data is parsed immediately.
  readonly #buffer = Buffer.alloc(1 << 18)
  #open = 0
  #goal: { reached: () => boolean; done: PromiseWithResolvers<void> } | undefined
  #failure: Error | undefined

  /** Opens this many streams; resolves when all of them have a response. */
  static async open(server: Endpoint, target: string, count: number): Promise<Subscribers> {
    const subscribers = new Subscribers()
    for (let i = 0; i < count; i++) subscribers.#connect(server, target)
    await subscribers.#until(() => subscribers.#open === count)
    return subscribers
  }

  /** Resolves when this many events have been read over all streams. */
  received(events: number): Promise<void> {
    return this.#until(() => this.events >= events)
  }

  /** Throws unless every stream received exactly this many events, each once, in order, and the same as the others. */
  verify(each: number) {
    const sum = this.#streams[0]?.sum
    const wrong = this.#streams.filter(stream => stream.count !== each || stream.sum !== sum || stream.disorder > 0)
    if (wrong.length > 0) throw new Error(`${wrong.length} streams lost, doubled or reordered events`)
  }

  close() {
    for (const socket of this.#sockets)
      socket
        .removeAllListeners()
        .on('error', () => {})
        .destroy()
  }

  #until(reached: () => boolean): Promise<void> {
    this.#goal = { reached, done: Promise.withResolvers() }
    if (this.#failure) this.#goal.done.reject(this.#failure)
    this.#progress()
    return this.#goal.done.promise
  }

  #progress() {
    if (this.#goal?.reached()) this.#goal.done.resolve()
  }

  #fail(error: Error) {
    this.#failure = error
    this.#goal?.done.reject(error)
  }

  #connect(server: Endpoint, target: string) {
    const stream: SubscriberStream = { open: false, rest: undefined, count: 0, last: 0, sum: 0, disorder: 0 }
    const callback = (bytes: number) => {
      this.#read(stream, this.#buffer.subarray(0, bytes))
      return true
    }
    const socket = connect({ host: server.host, port: server.port, onread: { buffer: this.#buffer, callback } })
    socket.write(encodeRequest(server, 'GET', target, { accept: 'text/event-stream' }))
    socket.on('error', error => this.#fail(error))
    socket.on('end', () => this.#fail(new Error('a stream ended')))
    this.#streams.push(stream)
    this.#sockets.push(socket)
  }

  #read(stream: SubscriberStream, fresh: Buffer) {
    const bytes = stream.rest ? Buffer.concat([stream.rest, fresh]) : fresh
    let at = stream.open ? 0 : this.#answered(stream, bytes)
    for (let end = bytes.indexOf(FRAME_END, at); stream.open && end >= 0; end = bytes.indexOf(FRAME_END, at)) {
      at = skipComments(bytes, at)
      this.#count(stream, FRAME_HEAD.exec(bytes.toString('latin1', at, Math.min(end + 1, at + MAX_FRAME_HEAD_LENGTH))))
      at = end + FRAME_END.length
    }
    stream.rest = at < bytes.length ? Buffer.from(bytes.subarray(at)) : undefined
    this.#progress()
  }

  /** Returns the offset of the frames, once the response head is complete. */
  #answered(stream: SubscriberStream, bytes: Buffer): number {
    const end = bytes.indexOf(HEADERS_END)
    if (end < 0) return 0
    const head = bytes.toString('latin1', 0, end)
    if (!head.startsWith('HTTP/1.1 200')) this.#fail(new Error(`a stream was answered: ${head}`))
    stream.open = true
    this.#open++
    return end + HEADERS_END.length
  }

  #count(stream: SubscriberStream, head: RegExpExecArray | null) {
    if (!head) return
    const id = Number(head[1])
    if (id <= stream.last) stream.disorder++
    stream.last = id
    stream.sum += id
    stream.count++
    this.events++
  }
}

/** Returns the offset after lines that only keep the connection open. */
function skipComments(bytes: Buffer, from: number): number {
  let at = from
  while (bytes[at] === COLON) at = bytes.indexOf('\n', at) + 1
  return at
}
