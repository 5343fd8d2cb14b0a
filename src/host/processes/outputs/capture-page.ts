// One page of a call's captured output: a header with the offset of each stream at its beginning, then the chunks in the
// order they came, each as stream (1 byte), length (4 bytes) and bytes. It is kept in memory as it is on disk, so that
// what has come since can be appended there at any time; a page is one file, and a call has one or more.

/** `output` is both, interleaved as it came. */
export type Stream = 'stdout' | 'stderr' | 'output'
export type Source = Exclude<Stream, 'output'>
export type Offsets = Readonly<Record<Stream, number>>

export const HEADER_BYTES = 24
const SOURCES: readonly Source[] = ['stdout', 'stderr']
const FRAME_BYTES = 5
const FIRST_BYTES = 1024

export class Page {
  readonly start: Offsets
  #end: Record<Stream, number>
  #file: Buffer
  #length = HEADER_BYTES
  /** Where the last chunk begins; 0 where it may not grow. */
  #last = 0
  #taken = 0

  /** `memory` holds it until it grows beyond that; nobody else uses it meanwhile. */
  constructor(start: Offsets, memory: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES)) {
    this.start = start
    this.#end = { ...start }
    this.#file = memory
    for (const [i, stream] of (['stdout', 'stderr', 'output'] as const).entries())
      this.#file.writeBigUInt64LE(BigInt(start[stream]), i * 8)
  }

  /** A page from its file, which may end in the middle of a chunk: what is there counts. */
  static decode(file: Buffer): Page | undefined {
    const start = offsetsIn(file)
    if (!start) return undefined
    const page = new Page(start, Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, file.length)))
    for (const { source, bytes } of chunks(file, file.length)) page.append(source, bytes)
    return page
  }

  get end(): Offsets {
    return this.#end
  }

  /** What holds it now, to be used for another once nobody reads this one. */
  get memory() {
    return this.#file
  }

  get size() {
    return this.#end.output - this.start.output
  }

  /** Copies the bytes in. */
  append(source: Source, bytes: Uint8Array) {
    if (bytes.length === 0) return
    const grows = this.#last > 0 && this.#file[this.#last] === SOURCES.indexOf(source)
    this.#makeRoom(FRAME_BYTES + bytes.length)
    if (!grows) {
      this.#last = this.#length
      this.#file[this.#last] = SOURCES.indexOf(source)
      this.#file.writeUInt32LE(0, this.#last + 1)
      this.#length += FRAME_BYTES
    }
    this.#file.set(bytes, this.#length)
    this.#length += bytes.length
    this.#file.writeUInt32LE(this.#file.readUInt32LE(this.#last + 1) + bytes.length, this.#last + 1)
    this.#end[source] += bytes.length
    this.#end.output += bytes.length
  }

  /** What the file lacks of the page; it counts as written from now on. */
  take(): Uint8Array {
    const bytes = this.#file.subarray(this.#taken, this.#length)
    this.#taken = this.#length
    this.#last = 0
    return bytes
  }

  /** The bytes of a stream from `offset` on, as far as this page holds them, at most `limit`. */
  read(stream: Stream, offset: number, limit: number): Uint8Array[] {
    const parts: Uint8Array[] = []
    const place: Record<Stream, number> = { ...this.start }
    let at = offset
    const until = offset + limit
    for (const { source, bytes } of chunks(this.#file, this.#length)) {
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

  #makeRoom(bytes: number) {
    const needed = this.#length + bytes
    if (needed <= this.#file.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#file.length * 2))
    larger.set(this.#file.subarray(0, this.#length))
    this.#file = larger
  }
}

/** Where a page begins, by its header; undefined where that is not whole. */
export function offsetsIn(file: Buffer): Offsets | undefined {
  if (file.length < HEADER_BYTES) return undefined
  const [stdout, stderr, output] = [0, 8, 16].map(at => Number(file.readBigUInt64LE(at))) as [number, number, number]
  return { stdout, stderr, output }
}

function* chunks(file: Buffer, length: number): Generator<{ source: Source; bytes: Uint8Array }> {
  for (let at = HEADER_BYTES; at + FRAME_BYTES <= length; ) {
    const from = at + FRAME_BYTES
    const bytes = file.subarray(from, Math.min(length, from + file.readUInt32LE(at + 1)))
    yield { source: SOURCES[file[at]!] ?? 'stdout', bytes }
    at = from + bytes.length
  }
}
