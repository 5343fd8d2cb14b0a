// The messages in what a language server prints: each a header that tells its length, and JSON. What is no such message,
// or larger than anything that is worth reading, ends the reading.

const HEADER_END = Buffer.from('\r\n\r\n')
const MOST_HEADER_BYTES = 4_096
const MOST_BYTES = 64 * 1024 * 1024

export class Frames {
  readonly #most_bytes: number
  #parts: Buffer[] = []
  #bytes = 0
  /** Of the message that is on its way; undefined while its header is. */
  #length: number | undefined

  constructor(most_bytes = MOST_BYTES) {
    this.#most_bytes = most_bytes
  }

  /** The messages that these bytes complete. Throws where they can be none. */
  *push(bytes: Uint8Array): Generator<unknown, void, void> {
    // They hold only until the next come.
    this.#parts.push(Buffer.from(bytes))
    this.#bytes += bytes.length
    for (;;) {
      if (this.#length === undefined && !this.#header()) return
      if (this.#bytes < this.#length!) return
      const body = this.#take(this.#length!)
      this.#length = undefined
      yield JSON.parse(body.toString('utf8'))
    }
  }

  #header(): boolean {
    if (this.#bytes === 0) return false
    const all = this.#joined()
    const end = all.subarray(0, MOST_HEADER_BYTES).indexOf(HEADER_END)
    if (end < 0) {
      if (this.#bytes >= MOST_HEADER_BYTES) throw new Error('What it printed is no message.')
      return false
    }
    const length = lengthIn(this.#take(end + HEADER_END.length).toString('latin1'))
    if (length > this.#most_bytes) throw new Error(`It printed a message of ${length} bytes.`)
    this.#length = length
    return true
  }

  #joined(): Buffer {
    if (this.#parts.length > 1) this.#parts = [Buffer.concat(this.#parts)]
    return this.#parts[0]!
  }

  #take(length: number): Buffer {
    const all = this.#joined()
    this.#parts = [all.subarray(length)]
    this.#bytes -= length
    return all.subarray(0, length)
  }
}

function lengthIn(header: string): number {
  const [, length] = /^content-length: *(\d{1,15})\r$/im.exec(header) ?? []
  if (length === undefined) throw new Error('It printed a message without a length.')
  return Number(length)
}

/** A message with its header. */
export function framed(message: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(message))
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body])
}
