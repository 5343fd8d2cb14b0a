// Turns the bytes of a stream into text for those who follow it, without ever cutting a character; what is not UTF-8
// shows as replacement characters. Nobody reads megabytes a second: of more than that the newest is told, and what was
// skipped shows as a gap in the offsets. The output itself is kept whole elsewhere.
import type { Source } from '../outputs/capture-page.ts'
import { continued, unfinished } from '../outputs/read-output.ts'

const WINDOW_MS = 50
const WINDOW_BYTES = 131_072
/** What is told of the bytes that came past a window's limit, at its end. */
const LATE_BYTES = 16_384

/** Output as it comes. `offset` is where `text` begins, in bytes of its stream. */
export interface Delta {
  stream: Source
  text: string
  offset: number
}

export class CommandText {
  readonly #stream: Source
  readonly #tell: (delta: Delta) => void
  #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  /** Where the next text begins, and how many bytes of it the decoder has already. */
  #offset: number
  #held = 0
  /** How far the bytes have come. */
  #at: number
  #windowFrom = 0
  #windowBytes = 0
  readonly #late = Buffer.allocUnsafeSlow(LATE_BYTES)
  #lateBytes = 0
  #timer: NodeJS.Timeout | undefined

  /** `offset` is where the first bytes go. */
  constructor(stream: Source, offset: number, tell: (delta: Delta) => void) {
    this.#stream = stream
    this.#offset = offset
    this.#at = offset
    this.#tell = tell
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
    else this.#hold(bytes)
  }

  end() {
    this.#catchUp()
    this.#say(this.#decoder.decode(), 0, 0)
  }

  /** Keeps the newest of what is not told now. */
  #hold(bytes: Uint8Array) {
    const kept = bytes.subarray(-LATE_BYTES)
    const before = Math.min(this.#lateBytes, LATE_BYTES - kept.length)
    this.#late.copyWithin(0, this.#lateBytes - before, this.#lateBytes)
    this.#late.set(kept, before)
    this.#lateBytes = before + kept.length
    this.#timer ??= setTimeout(() => this.#catchUp(), WINDOW_MS)
  }

  #catchUp() {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#lateBytes === 0) return
    let late = this.#late.subarray(0, this.#lateBytes)
    if (this.#at - late.length > this.#offset + this.#held) {
      late = late.subarray(continued(late))
      this.#decoder = new TextDecoder('utf-8', { ignoreBOM: true })
      this.#offset = this.#at - late.length
      this.#held = 0
    }
    this.#lateBytes = 0
    this.#decode(late)
  }

  #decode(bytes: Uint8Array) {
    this.#say(this.#decoder.decode(bytes, { stream: true }), bytes.length, unfinished(bytes))
  }

  #say(text: string, bytes: number, held: number) {
    this.#held += bytes
    if (text === '') return
    this.#tell({ stream: this.#stream, text, offset: this.#offset })
    this.#offset += this.#held - held
    this.#held = held
  }
}
