// Decodes a stream's bytes to text for readers, without ever splitting a character; invalid UTF-8 becomes replacement characters.
// Fast output is throttled: only the newest part is published, and what was skipped shows as a gap in the offsets. The output
// itself is stored in full elsewhere.
import type { StdStream } from '../outputs/capture-page.ts'
import { leadingContinuationBytes, trailingIncompleteBytes } from '../outputs/read-output.ts'

const WINDOW_MS = 50
const WINDOW_BYTES = 131_072
/** Number of bytes beyond a window's limit that are published at its end. */
const BACKLOG_BYTES = 16_384

/** A piece of output. `offset` is the start of `text`, in bytes of its stream. */
export interface Delta {
  stream: StdStream
  text: string
  offset: number
}

export class OutputDecoder {
  readonly #stream: StdStream
  readonly #publish: (delta: Delta) => void
  #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  /** Offset of the next text, and how many bytes of it the decoder holds already. */
  #offset: number
  #decoderBytes = 0
  /** Offset of the last received byte. */
  #at: number
  #windowFrom = 0
  #windowBytes = 0
  readonly #backlog = Buffer.allocUnsafeSlow(BACKLOG_BYTES)
  #backlogBytes = 0
  #timer: NodeJS.Timeout | undefined

  /** `offset` is that of the first bytes. */
  constructor(stream: StdStream, offset: number, publish: (delta: Delta) => void) {
    this.#stream = stream
    this.#offset = offset
    this.#at = offset
    this.#publish = publish
  }

  append(bytes: Uint8Array) {
    this.#at += bytes.length
    const now = performance.now()
    if (now - this.#windowFrom >= WINDOW_MS && !this.#timer) {
      this.#windowFrom = now
      this.#windowBytes = 0
    }
    this.#windowBytes += bytes.length
    if (this.#windowBytes <= WINDOW_BYTES && !this.#timer) this.#decode(bytes)
    else this.#appendToBacklog(bytes)
  }

  end() {
    this.#flushBacklog()
    this.#emit(this.#decoder.decode(), 0, 0)
  }

  /** Retains the newest bytes that are not published now. */
  #appendToBacklog(bytes: Uint8Array) {
    const newest = bytes.subarray(-BACKLOG_BYTES)
    const before = Math.min(this.#backlogBytes, BACKLOG_BYTES - newest.length)
    this.#backlog.copyWithin(0, this.#backlogBytes - before, this.#backlogBytes)
    this.#backlog.set(newest, before)
    this.#backlogBytes = before + newest.length
    this.#timer ??= setTimeout(() => this.#flushBacklog(), WINDOW_MS)
  }

  #flushBacklog() {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#backlogBytes === 0) return
    let late = this.#backlog.subarray(0, this.#backlogBytes)
    if (this.#at - late.length > this.#offset + this.#decoderBytes) {
      late = late.subarray(leadingContinuationBytes(late))
      this.#decoder = new TextDecoder('utf-8', { ignoreBOM: true })
      this.#offset = this.#at - late.length
      this.#decoderBytes = 0
    }
    this.#backlogBytes = 0
    this.#decode(late)
  }

  #decode(bytes: Uint8Array) {
    this.#emit(this.#decoder.decode(bytes, { stream: true }), bytes.length, trailingIncompleteBytes(bytes))
  }

  #emit(text: string, bytes: number, held: number) {
    this.#decoderBytes += bytes
    if (text === '') return
    this.#publish({ stream: this.#stream, text, offset: this.#offset })
    this.#offset += this.#decoderBytes - held
    this.#decoderBytes = held
  }
}
