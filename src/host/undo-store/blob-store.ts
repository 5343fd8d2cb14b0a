// Content-addressed blob store for contents that calls replaced or removed. A blob is durable before the change that removes its
// content becomes visible. Contents are verified against their hash on reading: a corrupt blob counts as missing.
import {
  type BigIntStats,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync
} from 'node:fs'
import path from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { detectEncoding } from '../../text/encoding.ts'
import { contentWriter, hashBytes } from '../files/content-source.ts'
import { errnoOf } from '../files/errno.ts'
import { OpenFile } from '../files/open-file.ts'
import { settleAll } from '../files/settle-all.ts'
import { fsync, writeAll } from '../files/write-content.ts'
import { collectGarbage } from './blob-gc.ts'
import { blobPath, newBlobTempPath } from './blob-layout.ts'
import { StoredBlob } from './stored-blob.ts'

export interface BlobLimits {
  max_age_days: number
  max_bytes: number
  /** Larger contents are not stored. */
  max_file_bytes: number
}

/** Up to this many bytes, a synchronous write is faster than a trip to the thread pool. */
const SYNC_LIMIT = 256 * 1024
/** Maximum size of a text written by a change that is stored for later merges. */
const MAX_OFFERED_BYTES = 1024 * 1024
/** Number of blobs remembered as intact and durable, which saves checking the disk again. */
const MAX_REMEMBERED_HASHES = 10_000
/** Minimum interval between two refreshes of a stored blob's age. */
const MIN_TOUCH_INTERVAL_MS = 3_600_000
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

export class BlobStore {
  readonly #folder: string
  readonly #limits: BlobLimits
  /** In-flight writes, by hash. */
  readonly #pendingWrites = new Map<string, Promise<void>>()
  /** Folders with a pending fsync. */
  readonly #syncing = new Map<string, Promise<void>>()
  /** Hashes of blobs known to be intact and durable, the latest last. */
  readonly #durable = new Set<string>()

  constructor(folder: string, limits: BlobLimits) {
    this.#folder = folder
    this.#limits = limits
  }

  /** Stores content and returns its hash once it is durable; undefined if it is too large. */
  async put(content: Uint8Array | OpenFile): Promise<string | undefined> {
    if (content instanceof OpenFile) return this.fits(content.size) ? this.#storeCopy(content) : undefined
    if (!this.fits(content.length)) return undefined
    const hash = hashBytes(content)
    await this.#storeOnce(hash, content.length, () => this.#store(hash, content))
    return hash
  }

  /** Stores a text that a change wrote, for later merges. Does not wait for the disk, and ignores failures. */
  offer(bytes: Buffer, hash: string) {
    if (bytes.length > MAX_OFFERED_BYTES || !this.fits(bytes.length) || this.#pendingWrites.has(hash)) return
    if (this.#isStored(hash, bytes.length) || !detectEncoding(bytes)) return
    try {
      closeSync(this.#writeFile(this.#pathOf(hash), bytes))
    } catch {}
  }

  /** Finds the blob of a hash without reading it. */
  find(hash: string): StoredBlob | undefined {
    const file = blobPath(this.#folder, hash)
    const stat = file && statSync(file, { throwIfNoEntry: false, bigint: true })
    if (!stat) return undefined
    return new StoredBlob(
      { hash, size: Number(stat.size) },
      () => openBlob(file, stat),
      () => this.remove(hash)
    )
  }

  /** Reads the content of a hash synchronously, if it is stored. */
  read(hash: string): Buffer | undefined {
    const file = blobPath(this.#folder, hash)
    if (!file || !existsSync(file)) return undefined
    const bytes = readFileSync(file)
    if (hashBytes(bytes) === hash) return bytes
    this.remove(hash)
    return undefined
  }

  /** Removes blobs stored before a time, in ms since 1970, and the oldest beyond the size limit. Returns the number of removed blobs. */
  collectGarbage(before: number): Promise<number> {
    return collectGarbage(this.#folder, { before, max_bytes: this.#limits.max_bytes }, hash =>
      this.#durable.delete(hash)
    )
  }

  /** Removes a blob: calls that need it cannot be undone any more. */
  remove(hash: string) {
    this.#durable.delete(hash)
    const file = blobPath(this.#folder, hash)
    if (file) rmSync(file, { force: true })
  }

  /** Checks if content of that size would be stored. */
  fits(size: number): boolean {
    return size <= this.#limits.max_file_bytes
  }

  #pathOf(hash: string) {
    return blobPath(this.#folder, hash)!
  }

  /** Checks if a blob is known to exist, and refreshes its age. */
  #isStored(hash: string, size: number): boolean {
    if (!this.#durable.has(hash)) return false
    const stat = statSync(this.#pathOf(hash), { throwIfNoEntry: false })
    if (stat?.size !== size) return false
    refreshAge(this.#pathOf(hash), stat.mtimeMs)
    return true
  }

  /** Stores a missing blob; concurrent callers with the same content share one write. */
  async #storeOnce(hash: string, size: number, store: () => Promise<void>) {
    const under_way = this.#pendingWrites.get(hash)
    if (under_way) return under_way
    if (this.#isStored(hash, size)) return
    const keeping = store().finally(() => this.#pendingWrites.delete(hash))
    this.#pendingWrites.set(hash, keeping)
    await keeping
    this.#durable.add(hash)
    if (this.#durable.size > MAX_REMEMBERED_HASHES) this.#durable.delete(this.#durable.values().next().value!)
  }

  async #store(hash: string, bytes: Uint8Array) {
    if (bytes.length > SYNC_LIMIT) return this.#storeLarge(hash, bytes)
    const file = this.#pathOf(hash)
    const newShelf = createFolder(path.dirname(file))
    const fd = this.#writeFile(file, bytes)
    try {
      await settleAll(fsync(fd), this.#syncFolders(path.dirname(file), newShelf))
    } finally {
      closeSync(fd)
    }
  }

  /**
   * Writes under the final name, synchronously: no other code of this process can look in between. A kill may leave a partial
   * file, which its hash reveals; so an existing file is checked, and rewritten if it differs from this content.
   */
  #writeFile(file: string, bytes: Uint8Array): number {
    let fd: number
    try {
      fd = openSync(file, NEW_FILE, 0o600)
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') {
        createFolder(path.dirname(file))
        return this.#writeFile(file, bytes)
      }
      if (errnoOf(error) !== 'EEXIST') throw error
      const found = readFileSync(file)
      if (found.equals(bytes)) {
        refreshAge(file, statSync(file).mtimeMs)
        return openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW)
      }
      rmSync(file)
      return this.#writeFile(file, bytes)
    }
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
      return fd
    } catch (error) {
      closeSync(fd)
      rmSync(file, { force: true })
      throw error
    }
  }

  async #storeLarge(hash: string, bytes: Uint8Array) {
    createFolder(this.#folder)
    const temp = newBlobTempPath(this.#folder)
    const fd = openSync(temp, NEW_FILE, 0o600)
    try {
      await writeAll(fd, bytes, NEVER_ABORTED)
      await this.#publish(fd, temp, hash)
    } finally {
      closeSync(fd)
      rmSync(temp, { force: true })
    }
  }

  async #storeCopy(file: OpenFile): Promise<string> {
    createFolder(this.#folder)
    const temp = newBlobTempPath(this.#folder)
    const fd = openSync(temp, NEW_FILE, 0o600)
    try {
      const { hash, size } = await copyFile(file, fd)
      await this.#storeOnce(hash, size, () => this.#publish(fd, temp, hash))
      return hash
    } finally {
      closeSync(fd)
      rmSync(temp, { force: true })
    }
  }

  /** Renames content to its blob name once it is synced to disk. */
  async #publish(fd: number, temp: string, hash: string) {
    await fsync(fd)
    const file = this.#pathOf(hash)
    const newShelf = createFolder(path.dirname(file))
    renameSync(temp, file)
    await this.#syncFolders(path.dirname(file), newShelf)
  }

  /** Syncs names to disk. Callers that arrive before it begins share it. */
  async #syncFolders(shelf: string, newShelf: boolean) {
    const sync = (folder: string) => {
      const begun = this.#syncing.get(folder)
      if (begun) return begun
      const syncing = turn().then(() => {
        this.#syncing.delete(folder)
        return syncFolder(folder)
      })
      this.#syncing.set(folder, syncing)
      return syncing
    }
    await settleAll(sync(shelf), newShelf && sync(this.#folder))
  }
}

/** Opens a blob; returns undefined if it was evicted since it was found. */
function openBlob(file: string, found: BigIntStats): OpenFile | undefined {
  try {
    return new OpenFile(openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW), file, found)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Copies a file and returns the size and hash of the copied content. */
async function copyFile(file: OpenFile, fd: number) {
  const filling = contentWriter(file)
  await filling.write(fd, NEVER_ABORTED)
  return filling.result()
}

/** A write that has begun completes, whatever happens to the call. */
const NEVER_ABORTED = new AbortController().signal

/** Returns true if the folder had to be created. */
const createFolder = (folder: string) =>
  !existsSync(folder) && mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined

function refreshAge(file: string, storedAt: number) {
  const now = Date.now()
  if (now - storedAt > MIN_TOUCH_INTERVAL_MS) utimesSync(file, now / 1_000, now / 1_000)
}

async function syncFolder(folder: string) {
  const fd = openSync(folder, constants.O_RDONLY)
  try {
    await fsync(fd)
  } finally {
    closeSync(fd)
  }
}
