// Contents of a workspace's files as of the last inspection, so that a snapshot reads only what has changed since. They are
// stored in one unlinked file, which disappears with the server, however that ends.
import { randomUUID } from 'node:crypto'
import { closeSync, openSync, read, unlinkSync, write, writeSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { getDiskSpace } from '../disk-space.ts'
import { isRacySnapshot, isSameSnapshot, type StatSnapshot } from '../watch/stat-snapshot.ts'

/** Up to this many bytes, a synchronous write is faster than a trip to the thread pool. */
const SYNC_LIMIT = 256 * 1024
const CHUNK = 1024 * 1024

const writeAt = promisify(write)
const readAt = promisify(read)

/** Location of a stored content. */
export interface SnapshotCopy {
  at: number
  size: number
}

interface KnownCopy extends SnapshotCopy {
  stat: StatSnapshot
  /** Changed so recently when it was read that a further change may go unnoticed. */
  isRacy: boolean
}

export class SnapshotCopies {
  readonly #folder: string
  readonly #known = new Map<string, KnownCopy>()
  #fd: number | undefined
  #end = 0

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Bytes in use, including contents that are no longer referenced. */
  get size(): number {
    return this.#end
  }

  /** Finds the content of an inspected entry, if it is stored. */
  find(path: string, seen: StatSnapshot): SnapshotCopy | undefined {
    const known = this.#known.get(path)
    return known && !known.isRacy && isSameSnapshot(known.stat, seen) ? known : undefined
  }

  /**
   * Stores a content that was read at `readAt` or later, in the time of files; undefined if the disk has no room for it beside its reserve,
   * which the journal needs.
   */
  async put(path: string, stat: StatSnapshot, bytes: Uint8Array, readAt: number): Promise<SnapshotCopy | undefined> {
    const space = getDiskSpace(this.#folder)
    if (space && space.free - space.reserve < bytes.length) return undefined
    const fd = this.#file()
    const copy = { at: this.#end, size: bytes.length }
    this.#end += bytes.length
    for (let done = 0; done < bytes.length; )
      done +=
        bytes.length <= SYNC_LIMIT
          ? writeSync(fd, bytes, done, bytes.length - done, copy.at + done)
          : (await writeAt(fd, bytes, done, Math.min(CHUNK, bytes.length - done), copy.at + done)).bytesWritten
    this.#known.set(path, { ...copy, stat, isRacy: isRacySnapshot(stat, readAt) })
    return copy
  }

  async read({ at, size }: SnapshotCopy): Promise<Buffer> {
    const bytes = Buffer.allocUnsafeSlow(size)
    for (let done = 0; done < size; ) {
      const { bytesRead } = await readAt(this.#file(), bytes, done, size - done, at + done)
      if (bytesRead === 0) throw new Error('Content stored for a snapshot is missing.')
      done += bytesRead
    }
    return bytes
  }

  /** Drops all contents. None may be requested afterwards. */
  clear() {
    if (this.#fd !== undefined) closeSync(this.#fd)
    this.#fd = undefined
    this.#end = 0
    this.#known.clear()
  }

  #file(): number {
    if (this.#fd !== undefined) return this.#fd
    const name = path.join(this.#folder, `snapshot-${randomUUID()}`)
    this.#fd = openSync(name, 'wx+', 0o600)
    unlinkSync(name)
    return this.#fd
  }
}
