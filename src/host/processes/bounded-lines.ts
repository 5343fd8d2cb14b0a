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
    let rest = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      const line = this.#complete(rest.subarray(0, end))
      rest = rest.subarray(end + 1)
      yield line
    }
    this.#count(rest)
    if (rest.length > 0) this.#parts.push(Buffer.from(rest))
  }

  #complete(last: Buffer): string {
    this.#count(last)
    const line = (this.#parts.length === 0 ? last : Buffer.concat([...this.#parts, last])).toString('utf8')
    this.#parts = []
    this.#bytes = 0
    return line
  }

  #count(part: Buffer) {
    this.#bytes += part.length
    if (this.#bytes > this.#maxBytes) throw new Error(`the program sent more than ${this.#maxBytes} bytes at once`)
  }
}
