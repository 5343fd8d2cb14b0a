// One page of a call's captured output: a header with the offset of each stream at its beginning, then the chunks in the
// order they came, each as stream (1 byte), length (4 bytes) and bytes. A page is one file; a call has one or more.

/** `output` is both, interleaved as it came. */
export type Stream = 'stdout' | 'stderr' | 'output'
export type Source = Exclude<Stream, 'output'>
export type Offsets = Readonly<Record<Stream, number>>

const SOURCES: readonly Source[] = ['stdout', 'stderr']
const HEADER_BYTES = 24
const FRAME_BYTES = 5

export class Page {
  readonly start: Offsets
  #end: Record<Stream, number>
  #chunks: { source: Source; start: number; output: number; bytes: Uint8Array }[] = []

  constructor(start: Offsets) {
    this.start = start
    this.#end = { ...start }
  }

  static decode(file: Buffer): Page {
    const [stdout, stderr, output] = [0, 8, 16].map(at => Number(file.readBigUInt64LE(at))) as [number, number, number]
    const page = new Page({ stdout, stderr, output })
    for (let at = HEADER_BYTES; at + FRAME_BYTES <= file.length; ) {
      const bytes = file.subarray(at + FRAME_BYTES, at + FRAME_BYTES + file.readUInt32LE(at + 1))
      page.append(SOURCES[file[at]!] ?? 'stdout', bytes)
      at += FRAME_BYTES + bytes.length
    }
    return page
  }

  encode(): Uint8Array[] {
    const header = Buffer.alloc(HEADER_BYTES)
    header.writeBigUInt64LE(BigInt(this.start.stdout), 0)
    header.writeBigUInt64LE(BigInt(this.start.stderr), 8)
    header.writeBigUInt64LE(BigInt(this.start.output), 16)
    const frames = this.#chunks.flatMap(({ source, bytes }) => {
      const frame = Buffer.alloc(FRAME_BYTES)
      frame[0] = SOURCES.indexOf(source)
      frame.writeUInt32LE(bytes.length, 1)
      return [frame, bytes]
    })
    return [header, ...frames]
  }

  get end(): Offsets {
    return this.#end
  }

  get size() {
    return this.#end.output - this.start.output
  }

  append(source: Source, bytes: Uint8Array) {
    this.#chunks.push({ source, start: this.#end[source], output: this.#end.output, bytes })
    this.#end[source] += bytes.length
    this.#end.output += bytes.length
  }

  /** The bytes of a stream from `offset` on, as far as this page holds them, at most `limit`. */
  read(stream: Stream, offset: number, limit: number): Uint8Array[] {
    const parts: Uint8Array[] = []
    let at = offset
    const until = offset + limit
    for (const chunk of this.#chunks) {
      if (at >= until) break
      if (stream !== 'output' && chunk.source !== stream) continue
      const start = stream === 'output' ? chunk.output : chunk.start
      if (start + chunk.bytes.length <= at || start > at) continue
      const part = chunk.bytes.subarray(at - start, until - start)
      parts.push(part)
      at += part.length
    }
    return parts
  }
}
