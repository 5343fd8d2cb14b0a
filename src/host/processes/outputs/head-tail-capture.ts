// Captures one stream for a result: complete while it is short, else its head and its tail with a note in between on how much is
// omitted. The stored output can be read by byte offset.
import type { OutputStream } from './capture-page.ts'
import { leadingContinuationBytes, trailingIncompleteBytes } from './read-output.ts'

export const MAX_RESULT_BYTES = 50_000
export const MAX_RESULT_LINES = 2_000
const SIDE_BYTES = MAX_RESULT_BYTES / 2
const SIDE_LINES = MAX_RESULT_LINES / 2
const NEWLINE = 10

export class HeadTailCapture {
  /** Offset of the stream, in its own bytes, when this capture began. */
  readonly #from: number
  #total = 0
  #lines = 0
  /** The head: all that a result may show in full. */
  #head: Buffer | undefined
  /** The last bytes, as a ring buffer: the oldest are at `total % SIDE_BYTES`. */
  #tail: Buffer | undefined

  constructor(from: number) {
    this.#from = from
  }

  /** Copies what is retained. `lines` is the number of line ends in the bytes; see `countLineEnds`. */
  append(bytes: Uint8Array, lines: number) {
    this.#head ??= Buffer.allocUnsafeSlow(MAX_RESULT_BYTES)
    this.#tail ??= Buffer.allocUnsafeSlow(SIDE_BYTES)
    if (this.#total < MAX_RESULT_BYTES) this.#head.set(bytes.subarray(0, MAX_RESULT_BYTES - this.#total), this.#total)
    const newest = bytes.subarray(-SIDE_BYTES)
    const place = (this.#total + bytes.length - newest.length) % SIDE_BYTES
    const fits = newest.subarray(0, SIDE_BYTES - place)
    this.#tail.set(fits, place)
    this.#tail.set(newest.subarray(fits.length))
    this.#total += bytes.length
    this.#lines += lines
  }

  /** Returns the first `limit` bytes, at most `MAX_RESULT_BYTES`, up to the last whole character. */
  head(limit: number): { text: string; cut: boolean } {
    if (!this.#head) return { text: '', cut: false }
    const first = this.#head.subarray(0, Math.min(this.#total, limit))
    if (this.#total <= limit) return { text: decode(first), cut: false }
    return { text: decode(first.subarray(0, first.length - trailingIncompleteBytes(first))), cut: true }
  }

  text(stream: OutputStream, callId: string): { text: string; cut: boolean } {
    if (!this.#head || !this.#tail) return { text: '', cut: false }
    const first = this.#head.subarray(0, this.#total)
    if (this.#total <= MAX_RESULT_BYTES && this.#lines <= MAX_RESULT_LINES) return { text: decode(first), cut: false }
    const place = this.#total % SIDE_BYTES
    const last =
      this.#total <= SIDE_BYTES ? first : Buffer.concat([this.#tail.subarray(place), this.#tail.subarray(0, place)])
    const head = headOf(first.subarray(0, SIDE_BYTES))
    const tail = tailOf(last)
    const bytes = this.#total - head.length - tail.length
    const lines = this.#lines - countLineEnds(head) - countLineEnds(tail)
    const from = this.#from + head.length
    const note =
      `\n[${lines} lines, ${bytes} bytes of ${stream} omitted, from byte ${from}. To read the omitted part, send GET ` +
      `/calls/${callId}/output?stream=${stream}&offset=${from}]\n`
    return { text: decode(head) + note + decode(tail), cut: true }
  }
}

/** Counts the line ends in the bytes. */
export function countLineEnds(bytes: Uint8Array): number {
  let count = 0
  for (let i = 0; i < bytes.length; i += 1) if (bytes[i] === NEWLINE) count += 1
  return count
}

/** Returns as many whole lines as may be shown, or, if they are long, the bytes up to the last whole character. */
function headOf(bytes: Buffer): Buffer {
  let end = 0
  for (let lines = 0; lines < SIDE_LINES; lines += 1) {
    const next = bytes.indexOf(NEWLINE, end)
    if (next < 0) return bytes.subarray(0, end > bytes.length / 2 ? end : bytes.length - trailingIncompleteBytes(bytes))
    end = next + 1
  }
  return bytes.subarray(0, end)
}

/** Returns the same from the end. */
function tailOf(bytes: Buffer): Buffer {
  let start = bytes.at(-1) === NEWLINE ? bytes.length - 1 : bytes.length
  for (let lines = 0; lines < SIDE_LINES; lines += 1) {
    const before = start === 0 ? -1 : bytes.lastIndexOf(NEWLINE, start - 1)
    if (before < 0) return bytes.subarray(start < bytes.length / 2 ? start + 1 : leadingContinuationBytes(bytes))
    start = before
  }
  return bytes.subarray(start + 1)
}

const decode = (bytes: Uint8Array) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
