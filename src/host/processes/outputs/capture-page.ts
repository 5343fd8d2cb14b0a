// A page of a call's captured output: a header with the offset of each stream at its beginning, then the chunks in order of
// arrival, each as stream (1 byte), length (4 bytes) and bytes. The format in memory is the one on disk, so that new bytes can be
// appended to the file at any time; a page is one file, and a call has one or more.

/** `output` is both streams, in the order in which they were read. */
export type OutputStream = 'stdout' | 'stderr' | 'output'
export type StdStream = Exclude<OutputStream, 'output'>
export type StreamOffsets = Readonly<Record<OutputStream, number>>

export const PAGE_HEADER_BYTES = 24
const STD_STREAMS: readonly StdStream[] = ['stdout', 'stderr']
const FRAME_BYTES = 5
const INITIAL_BYTES = 1024

export class CapturePage {
  readonly start: StreamOffsets
  #end: Record<OutputStream, number>
  #file: Buffer
  #length = PAGE_HEADER_BYTES
  /** Position of the last chunk; 0 if it may not grow. */
  #last = 0
  #writtenLength = 0

  /** `buffer` holds the page until it grows beyond that; it must not be used elsewhere. */
  constructor(start: StreamOffsets, memory: Buffer = Buffer.allocUnsafeSlow(INITIAL_BYTES)) {
    this.start = start
    this.#end = { ...start }
    this.#file = memory
    for (const [i, stream] of (['stdout', 'stderr', 'output'] as const).entries())
      this.#file.writeBigUInt64LE(BigInt(start[stream]), i * 8)
  }

  /** Decodes a page file, which may end in the middle of a chunk: the existing bytes count. */
  static decode(file: Buffer): CapturePage | undefined {
    const start = readOffsets(file)
    if (!start) return undefined
    const page = new CapturePage(start, Buffer.allocUnsafeSlow(Math.max(INITIAL_BYTES, file.length)))
    for (const { source, bytes } of readChunks(file, file.length)) page.append(source, bytes)
    return page
  }

  get end(): StreamOffsets {
    return this.#end
  }

  /** Returns the current buffer, for reuse once the page has no reader. */
  get buffer() {
    return this.#file
  }

  get size() {
    return this.#end.output - this.start.output
  }

  /** Copies the bytes in. */
  append(source: StdStream, bytes: Uint8Array) {
    if (bytes.length === 0) return
    const grows = this.#last > 0 && this.#file[this.#last] === STD_STREAMS.indexOf(source)
    this.#grow(FRAME_BYTES + bytes.length)
    if (!grows) {
      this.#last = this.#length
      this.#file[this.#last] = STD_STREAMS.indexOf(source)
      this.#file.writeUInt32LE(0, this.#last + 1)
      this.#length += FRAME_BYTES
    }
    this.#file.set(bytes, this.#length)
    this.#length += bytes.length
    this.#file.writeUInt32LE(this.#file.readUInt32LE(this.#last + 1) + bytes.length, this.#last + 1)
    this.#end[source] += bytes.length
    this.#end.output += bytes.length
  }

  /** Returns the bytes missing in the file and marks them as written. */
  takeUnwritten(): Uint8Array {
    const bytes = this.#file.subarray(this.#writtenLength, this.#length)
    this.#writtenLength = this.#length
    this.#last = 0
    return bytes
  }

  /** Returns at most `limit` bytes of a stream from `offset` on, as far as this page holds them. */
  read(stream: OutputStream, offset: number, limit: number): Uint8Array[] {
    const parts: Uint8Array[] = []
    const place: Record<OutputStream, number> = { ...this.start }
    let at = offset
    const until = offset + limit
    for (const { source, bytes } of readChunks(this.#file, this.#length)) {
      if (at >= until) break
      const start = place[stream]
      place[source] += bytes.length
      place.output += bytes.length
      if ((stream !== 'output' && source !== stream) || start + bytes.length <= at || start > at) continue
      const part = bytes.subarray(at - start, until - start)
      parts.push(part)
      at += part.length
    }
    return parts
  }

  #grow(bytes: number) {
    const needed = this.#length + bytes
    if (needed <= this.#file.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#file.length * 2))
    larger.set(this.#file.subarray(0, this.#length))
    this.#file = larger
  }
}

/** Reads the start offsets from a page's header; undefined if it is incomplete. */
export function readOffsets(file: Buffer): StreamOffsets | undefined {
  if (file.length < PAGE_HEADER_BYTES) return undefined
  const [stdout, stderr, output] = [0, 8, 16].map(at => Number(file.readBigUInt64LE(at))) as [number, number, number]
  return { stdout, stderr, output }
}

function* readChunks(file: Buffer, length: number): Generator<{ source: StdStream; bytes: Uint8Array }> {
  for (let at = PAGE_HEADER_BYTES; at + FRAME_BYTES <= length; ) {
    const from = at + FRAME_BYTES
    const bytes = file.subarray(from, Math.min(length, from + file.readUInt32LE(at + 1)))
    yield { source: STD_STREAMS[file[at]!] ?? 'stdout', bytes }
    at = from + bytes.length
  }
}
