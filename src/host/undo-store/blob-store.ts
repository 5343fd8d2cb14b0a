// What calls replaced or removed, kept by its hash so that it can be brought back. A content is durable here before the
// change that takes it away shows. What is read is held against its name: a damaged content is no content.
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
  /** Of larger contents nothing is kept. */
  max_file_bytes: number
}

/** Writing this much at once is quicker than a trip to the thread pool. */
const SYNC_LIMIT = 256 * 1024
/** Of what changes leave behind, only texts up to this size are kept, for merging later. */
const MAX_OFFERED_BYTES = 1024 * 1024
/** How many contents are remembered to be whole and durable, which spares another look at the disk. */
const MAX_REMEMBERED_HASHES = 10_000
/** A content that is kept again is made young, but not more often than this. */
const MIN_TOUCH_INTERVAL_MS = 3_600_000
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

export class BlobStore {
  readonly #folder: string
  readonly #limits: BlobLimits
  /** Contents on their way to the disk, by hash. */
  readonly #pendingWrites = new Map<string, Promise<void>>()
  /** Folders that are about to be made durable. */
  readonly #syncing = new Map<string, Promise<void>>()
  /** Hashes of contents known to be whole and durable, the latest last. */
  readonly #durable = new Set<string>()

  constructor(folder: string, limits: BlobLimits) {
    this.#folder = folder
    this.#limits = limits
  }

  /** Keeps a content, and gives its hash once that is durable; undefined where it is too large to be kept. */
  async put(content: Uint8Array | OpenFile): Promise<string | undefined> {
    if (content instanceof OpenFile) return this.fits(content.size) ? this.#storeCopy(content) : undefined
    if (!this.fits(content.length)) return undefined
    const hash = hashBytes(content)
    await this.#storeOnce(hash, content.length, () => this.#store(hash, content))
    return hash
  }

  /** Keeps what a change leaves, where it is a text that may be merged with later. The disk is not waited for, and a
   * failure is nobody's loss. */
  offer(bytes: Buffer, hash: string) {
    if (bytes.length > MAX_OFFERED_BYTES || !this.fits(bytes.length) || this.#pendingWrites.has(hash)) return
    if (this.#isStored(hash, bytes.length) || !detectEncoding(bytes)) return
    try {
      closeSync(this.#writeFile(this.#pathOf(hash), bytes))
    } catch {}
  }

  /** What is kept under a hash, not read yet. */
  find(hash: string): StoredBlob | undefined {
    const file = blobPath(this.#folder, hash)
    const stat = file && statSync(file, { throwIfNoEntry: false, bigint: true })
    if (!stat) return undefined
    return new StoredBlob(
      { hash, size: Number(stat.size) },
      () => openBlob(file, stat),
      () => this.#drop(hash)
    )
  }

  /** The content of that hash, if it is kept, at once. */
  read(hash: string): Buffer | undefined {
    const file = blobPath(this.#folder, hash)
    if (!file || !existsSync(file)) return undefined
    const bytes = readFileSync(file)
    if (hashBytes(bytes) === hash) return bytes
    this.#drop(hash)
    return undefined
  }

  /** Drops what is too old, and the oldest of what is too much. Gives how many contents went. */
  collectGarbage(): Promise<number> {
    return collectGarbage(this.#folder, this.#limits, hash => this.#durable.delete(hash))
  }

  #drop(hash: string) {
    this.#durable.delete(hash)
    rmSync(this.#pathOf(hash), { force: true })
  }

  /** Whether a content of that size is kept. */
  fits(size: number): boolean {
    return size <= this.#limits.max_file_bytes
  }

  #pathOf(hash: string) {
    return blobPath(this.#folder, hash)!
  }

  /** Whether a content is known to be there, which makes it young again. */
  #isStored(hash: string, size: number): boolean {
    if (!this.#durable.has(hash)) return false
    const stat = statSync(this.#pathOf(hash), { throwIfNoEntry: false })
    if (stat?.size !== size) return false
    refreshAge(this.#pathOf(hash), stat.mtimeMs)
    return true
  }

  /** Stores a content that is not there yet; those who want the same one wait together. */
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

  /** Writes under the final name, at once: nobody else of this process can look meanwhile. A kill may leave a part, which
   * its hash gives away; so what is there already is looked at, and written anew where it is not this content. */
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

  /** Gives a content its name once it is on the disk. */
  async #publish(fd: number, temp: string, hash: string) {
    await fsync(fd)
    const file = this.#pathOf(hash)
    const newShelf = createFolder(path.dirname(file))
    renameSync(temp, file)
    await this.#syncFolders(path.dirname(file), newShelf)
  }

  /** Makes names durable. Those who come before it begins share it. */
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

/** Opens what is kept; undefined where it has been dropped since it was found. */
function openBlob(file: string, found: BigIntStats): OpenFile | undefined {
  try {
    return new OpenFile(openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW), file, found)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Copies a file, and gives what was copied. */
async function copyFile(file: OpenFile, fd: number) {
  const filling = contentWriter(file)
  await filling.write(fd, NEVER_ABORTED)
  return filling.result()
}

/** What has begun to be kept is kept, whatever becomes of the call. */
const NEVER_ABORTED = new AbortController().signal

/** Gives whether it had to be made. */
const createFolder = (folder: string) =>
  !existsSync(folder) && mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined

function refreshAge(file: string, kept_at: number) {
  const now = Date.now()
  if (now - kept_at > MIN_TOUCH_INTERVAL_MS) utimesSync(file, now / 1_000, now / 1_000)
}

async function syncFolder(folder: string) {
  const fd = openSync(folder, constants.O_RDONLY)
  try {
    await fsync(fd)
  } finally {
    closeSync(fd)
  }
}
