// Splits a program's output into lines as messages, with a maximum length: a longer line fails permanently.

const NEWLINE = 0x0a

export class BoundedLines {
  readonly #maxBytes: number
  #parts: Buffer[] = []
  #bytes = 0

  constructor(most_bytes: number) {
    this.#maxBytes = most_bytes
  }

  /** Yields the lines completed by these bytes, which are not retained beyond the call. Throws if a line is too long. */
  *push(bytes: Uint8Array): Generator<string, void, void> {
    let rest = Buffer.from(bytes)
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      this.#add(rest.subarray(0, end))
      const line = Buffer.concat(this.#parts).toString('utf8')
      this.#parts = []
      this.#bytes = 0
      rest = rest.subarray(end + 1)
      yield line
    }
    this.#add(rest)
  }

  #add(part: Buffer) {
    this.#bytes += part.length
    if (this.#bytes > this.#maxBytes) throw new Error(`it sent more than ${this.#maxBytes} bytes at once`)
    if (part.length > 0) this.#parts.push(part)
  }
}
