// Decodes LSP frames: a header with the content length, then JSON. An invalid message, or one larger than any useful one, ends
// the reading. Parsed on the server's own thread, a message of brackets only would block it for seconds and exhaust its memory:
// so its values are counted first.

const HEADER_END = Buffer.from('\r\n\r\n')
const MAX_HEADER_BYTES = 4_096
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024
/** Maximum number of values in one message; tens of thousands of locations have fewer. */
const MAX_JSON_VALUES = 1_000_000

export class FrameDecoder {
  readonly #maxBytes: number
  #chunks: Buffer[] = []
  #bytes = 0
  /** Content length of the current message; undefined while its header is incomplete. */
  #length: number | undefined

  constructor(most_bytes = MAX_MESSAGE_BYTES) {
    this.#maxBytes = most_bytes
  }

  /** Yields the messages completed by these bytes. Throws on an invalid frame. */
  *push(bytes: Uint8Array): Generator<unknown, void, void> {
    // The bytes are valid only until the next chunk.
    this.#chunks.push(Buffer.from(bytes))
    this.#bytes += bytes.length
    for (;;) {
      if (this.#length === undefined && !this.#readHeader()) return
      if (this.#bytes < this.#length!) return
      const body = this.#take(this.#length!)
      this.#length = undefined
      if (hasMoreValues(body, MAX_JSON_VALUES))
        throw new Error(`The language server sent a message with more than ${MAX_JSON_VALUES} values.`)
      yield JSON.parse(body.toString('utf8'))
    }
  }

  #readHeader(): boolean {
    if (this.#bytes === 0) return false
    const all = this.#joinChunks()
    const end = all.subarray(0, MAX_HEADER_BYTES).indexOf(HEADER_END)
    if (end < 0) {
      if (this.#bytes >= MAX_HEADER_BYTES) throw new Error('The language server sent a malformed LSP message.')
      return false
    }
    const length = parseContentLength(this.#take(end + HEADER_END.length).toString('latin1'))
    if (length > this.#maxBytes)
      throw new Error(`The language server sent a message of ${length} bytes, which is too large.`)
    this.#length = length
    return true
  }

  #joinChunks(): Buffer {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)]
    return this.#chunks[0]!
  }

  #take(length: number): Buffer {
    const all = this.#joinChunks()
    this.#chunks = [all.subarray(length)]
    this.#bytes -= length
    return all.subarray(0, length)
  }
}

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = Buffer.from('"\\,[{')

/** Checks if JSON has more values than that: one for each opening bracket, and each comma, outside of strings. */
function hasMoreValues(body: Buffer, most: number): boolean {
  // Most messages are too short for that, whatever their content.
  if (body.length <= most) return false
  let values = 1
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at]
    if (byte === QUOTE) at = endOfString(body, at + 1)
    else if (byte === COMMA || byte === BRACKET || byte === BRACE) values += 1
    if (values > most) return true
  }
  return false
}

/** Returns the position of the closing quote; the end of the body if there is none. */
function endOfString(body: Buffer, from: number): number {
  for (let at = from; ; at += 1) {
    at = body.indexOf(QUOTE!, at)
    if (at < 0) return body.length
    let escapes = 0
    while (body[at - 1 - escapes] === BACKSLASH && at - escapes > from) escapes += 1
    if (escapes % 2 === 0) return at
  }
}

function parseContentLength(header: string): number {
  const [, length] = /^content-length: *(\d{1,15})\r$/im.exec(header) ?? []
  if (length === undefined) throw new Error('The language server sent a message without a length.')
  return Number(length)
}

/** Encodes a message with its header. */
export function encodeFrame(message: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(message))
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body])
}
