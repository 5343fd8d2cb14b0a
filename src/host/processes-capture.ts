// What a result shows of one stream: all of it while it is short, else its beginning and its end with a note between
// that tells which bytes are left out. The whole is kept elsewhere, by byte offset.
import type { Stream } from './outputs-page.ts'

export const MAX_CHARACTERS = 30_000
const MAX_BYTES_PER_CHARACTER = 4
const SIDE_BYTES = MAX_CHARACTERS / 2
const WHOLE_BYTES = MAX_CHARACTERS * MAX_BYTES_PER_CHARACTER

export class Capture {
  total = 0
  #first: Uint8Array[] = []
  #firstBytes = 0
  #last: Uint8Array[] = []
  #lastBytes = 0

  append(bytes: Uint8Array) {
    this.total += bytes.length
    if (this.#firstBytes < WHOLE_BYTES) {
      this.#first.push(bytes.subarray(0, WHOLE_BYTES - this.#firstBytes))
      this.#firstBytes += this.#first.at(-1)!.length
    }
    this.#last.push(bytes.subarray(-SIDE_BYTES))
    this.#lastBytes += this.#last.at(-1)!.length
    while (this.#lastBytes - this.#last[0]!.length >= SIDE_BYTES) this.#lastBytes -= this.#last.shift()!.length
  }

  text(stream: Stream, callId: string): { text: string; cut: boolean } {
    const first = Buffer.concat(this.#first)
    if (this.total <= WHOLE_BYTES) {
      const text = decode(first)
      if (text.length <= MAX_CHARACTERS) return { text, cut: false }
    }
    const head = first.subarray(0, characterStart(first, SIDE_BYTES))
    const last = Buffer.concat(this.#last)
    const tail = last.subarray(characterStart(last, last.length - SIDE_BYTES))
    const left = this.total - head.length - tail.length
    const note =
      `\n[${left} bytes of ${stream} left out here, from byte ${head.length} on. ` +
      `Read them with GET /calls/${callId}/output?stream=${stream}&offset=${head.length}]\n`
    return { text: decode(head) + note + decode(tail), cut: true }
  }
}

const decode = (bytes: Uint8Array) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)

/** The nearest place from `at` on where no character is cut in two. */
function characterStart(bytes: Uint8Array, at: number) {
  let start = Math.max(0, at)
  while (start < at + MAX_BYTES_PER_CHARACTER && (bytes[start]! & 0xc0) === 0x80) start += 1
  return start
}
