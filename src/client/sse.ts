// Parser for server-sent events per the standard: UTF-8 sequences and line ends may be split anywhere, lines may have any length.

export interface SseFrame {
  /** The latest id so far, of this frame or an earlier one; the value for Last-Event-ID. */
  id: string | undefined
  event: string
  data: string
}

export class SseParser {
  /** Delay requested by the server with `retry:`, in milliseconds. */
  retry: number | undefined
  #decoder = new TextDecoder()
  /** Fragments of an incomplete line, joined once, so that a long line takes linear time. */
  #line: string[] = []
  #afterCr = false
  #id: string | undefined
  #event = ''
  #data: string[] = []

  /** Returns the frames that these bytes complete. */
  push(bytes: Uint8Array): SseFrame[] {
    const frames: SseFrame[] = []
    let text = this.#decoder.decode(bytes, { stream: true })
    // The LF of a CRLF may come with the next bytes.
    if (text !== '') {
      const ended = this.#afterCr && text.startsWith('\n')
      this.#afterCr = text.endsWith('\r')
      if (ended) text = text.slice(1)
    }
    let start = 0
    for (const { 0: end, index } of text.matchAll(/\r\n|\n|\r/g)) {
      this.#line.push(text.slice(start, index))
      start = index + end.length
      const frame = this.#parseLine(this.#line.join(''))
      this.#line = []
      if (frame) frames.push(frame)
    }
    if (start < text.length) this.#line.push(text.slice(start))
    return frames
  }

  #parseLine(line: string): SseFrame | undefined {
    if (line === '') return this.#dispatch()
    const colon = line.indexOf(':')
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (field === 'data') this.#data.push(value)
    else if (field === 'event') this.#event = value
    else if (field === 'id' && !value.includes('\0')) this.#id = value
    else if (field === 'retry' && /^\d+$/.test(value)) this.retry = Number(value)
    return undefined
  }

  #dispatch(): SseFrame | undefined {
    const frame = { id: this.#id, event: this.#event || 'message', data: this.#data.join('\n') }
    const empty = this.#data.length === 0
    this.#event = ''
    this.#data = []
    return empty ? undefined : frame
  }
}
