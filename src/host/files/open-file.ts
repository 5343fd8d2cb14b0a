// A file open for reading. Small files are read synchronously (3 µs against 150 µs through the thread pool), large ones
// asynchronously, and no more than requested.
import { type BigIntStats, closeSync, constants, fstatSync, openSync, read as readCallback, readSync } from 'node:fs'
import { promisify } from 'node:util'
import { type AttributesOrigin, readAttributes } from './attributes/file-attributes.ts'
import { toFileError } from './errno.ts'

const read = promisify(readCallback)

const SYNC_LIMIT = 256 * 1024
const CHUNK = 256 * 1024

export class OpenFile {
  /** Canonical path. */
  readonly path: string
  readonly size: number
  readonly stat: BigIntStats
  readonly #fd: number

  constructor(fd: number, path: string, stat: BigIntStats) {
    this.#fd = fd
    this.path = path
    this.stat = stat
    this.size = Number(stat.size)
  }

  get modified(): string {
    return this.stat.mtime.toISOString()
  }

  /** Reads the whole content; synchronously if the file is small. */
  bytes(signal?: AbortSignal): Buffer | Promise<Buffer> {
    return this.size <= SYNC_LIMIT ? this.bytesSync() : this.#bytesAsync(signal)
  }

  bytesSync(): Buffer {
    const bytes = Buffer.allocUnsafeSlow(this.size)
    let at = 0
    while (at < this.size) {
      const count = this.#explainErrors(() => readSync(this.#fd, bytes, at, this.size - at, null))
      if (count === 0) break
      at += count
    }
    return bytes.subarray(0, at)
  }

  async #bytesAsync(signal?: AbortSignal): Promise<Buffer> {
    const parts: Buffer[] = []
    for await (const chunk of this.chunks(signal)) parts.push(chunk)
    return Buffer.concat(parts)
  }

  /** Streams the content in order, as of the time of opening or newer, never more than its size then. */
  async *chunks(signal?: AbortSignal): AsyncGenerator<Buffer, void> {
    let left = this.size
    while (left > 0) {
      signal?.throwIfAborted()
      const chunk = Buffer.allocUnsafeSlow(Math.min(CHUNK, left))
      const { bytesRead } = await read(this.#fd, chunk, 0, chunk.length, null).catch(error => {
        throw toFileError(error, this.path)
      })
      if (bytesRead === 0) return
      left -= bytesRead
      yield chunk.subarray(0, bytesRead)
    }
  }

  /** Reads at a position, up to the size of the buffer and of the file when it was opened. */
  async read(into: Buffer, position: number, signal?: AbortSignal): Promise<Buffer> {
    const length = Math.min(into.length, this.size - position)
    let at = 0
    while (at < length) {
      signal?.throwIfAborted()
      const { bytesRead } = await read(this.#fd, into, at, length - at, position + at).catch(error => {
        throw toFileError(error, this.path)
      })
      if (bytesRead === 0) break
      at += bytesRead
    }
    return into.subarray(0, at)
  }

  /** Returns false if the content has been changed in place since the file was opened. */
  isUnchanged(): boolean {
    const { size, mtimeNs } = fstatSync(this.#fd, { bigint: true })
    return size === this.stat.size && mtimeNs === this.stat.mtimeNs
  }

  close() {
    closeSync(this.#fd)
  }

  /** Its extended attributes, for a copy. */
  get attributes(): AttributesOrigin {
    const open = () => openSync(`/proc/self/fd/${this.#fd}`, constants.O_RDONLY)
    return { stat: this.stat, open, isReplaced: false }
  }

  /** Returns its extended attributes, to be stored; undefined if it has none. */
  readAttributes(): Promise<Buffer | undefined> {
    return readAttributes(this.#fd)
  }

  #explainErrors<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw toFileError(error, this.path)
    }
  }
}
