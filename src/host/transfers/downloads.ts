// Files that calls opened for download, kept open until they have been sent: what is sent is the file that policy judged, whatever
// is at its path by then.
import { createHash } from 'node:crypto'
import { ToolError } from '../../errors.ts'
import { hashChunks } from '../files/content-source.ts'
import { staleFileError } from '../files/errno.ts'
import { isRacyStat, statFingerprint } from '../files/fingerprint.ts'
import type { OpenFile } from '../files/open-file.ts'

/** Idle time after which a file is closed. */
const KEEP_MS = 600_000
/** Maximum number of files that are kept open; the least recently used one is closed first. */
const MAX_OPEN_FILES = 64
/** Maximum number of hashes that are kept by the fingerprint of their file. */
const MAX_HASHES = 1_000
const CHUNK_BYTES = 256 * 1024

interface KeptFile {
  readonly file: OpenFile
  readonly hash: string
  /** Number of responses that read it now: it is closed after the last of them. */
  readers: number
  isDropped: boolean
  timer: NodeJS.Timeout
}

/** The bytes `start` to `end` of a file, without `end`. */
export interface ByteRange {
  start: number
  end: number
}

export class Downloads {
  /** By call id, the least recently used first. */
  readonly #kept = new Map<string, KeptFile>()
  readonly #hashes = new Map<string, string>()

  /**
   * Keeps a file open for the response of a call, and returns the hash of its content. Closes the file if that fails, and later
   * in any case.
   */
  async keep(call_id: string, file: OpenFile, signal: AbortSignal): Promise<string> {
    try {
      const hash = await this.#hashOf(file, signal)
      this.#drop(call_id)
      const timer = setTimeout(() => this.#drop(call_id), KEEP_MS).unref()
      this.#kept.set(call_id, { file, hash, readers: 0, isDropped: false, timer })
      if (this.#kept.size > MAX_OPEN_FILES) this.#drop(this.#kept.keys().next().value!)
      return hash
    } catch (error) {
      file.close()
      throw error
    }
  }

  /** Finds the file that a call opened; undefined if it has been closed since. */
  find(call_id: string): Download | undefined {
    const kept = this.#kept.get(call_id)
    if (!kept) return undefined
    this.#kept.delete(call_id)
    this.#kept.set(call_id, kept)
    kept.timer.refresh()
    const { file, hash } = kept
    return { size: file.size, hash, modified: file.stat.mtime, read: (range, signal) => read(kept, range, signal) }
  }

  close() {
    for (const call_id of [...this.#kept.keys()]) this.#drop(call_id)
  }

  async #hashOf(file: OpenFile, signal: AbortSignal): Promise<string> {
    const known = this.#hashes.get(statFingerprint(file.stat))
    if (known !== undefined) return known
    const hash = await hashChunks(chunksOf(file, { start: 0, end: file.size }, signal))
    if (isRacyStat(file.stat) || !file.isUnchanged()) return hash
    this.#hashes.set(statFingerprint(file.stat), hash)
    if (this.#hashes.size > MAX_HASHES) this.#hashes.delete(this.#hashes.keys().next().value!)
    return hash
  }

  #drop(call_id: string) {
    const kept = this.#kept.get(call_id)
    if (!kept) return
    this.#kept.delete(call_id)
    clearTimeout(kept.timer)
    kept.isDropped = true
    if (kept.readers === 0) kept.file.close()
  }
}

/** A file to be sent, with what is known of it before that. */
export interface Download {
  size: number
  /** `sha256:<hex>` of the whole content. */
  hash: string
  modified: Date
  /** Streams a range. Fails with STALE_FILE before the last part if the bytes are not those of the hash. */
  read(range: ByteRange, signal: AbortSignal): AsyncGenerator<Buffer, void>
}

async function* read(kept: KeptFile, range: ByteRange, signal: AbortSignal): AsyncGenerator<Buffer, void> {
  const { file, hash } = kept
  if (kept.isDropped) throw new ToolError('CONFLICT', 'The server has closed the file. Send the request again.')
  const isWhole = range.end - range.start === file.size
  const digest = isWhole ? createHash('sha256') : undefined
  kept.readers++
  try {
    // The last part is held back, so that no response with other bytes can look whole.
    let last: Buffer | undefined
    for await (const part of chunksOf(file, range, signal)) {
      digest?.update(part)
      if (last) yield last
      last = part
    }
    // A log that grows has another time by now, but the same bytes up to the size that it had.
    if (digest ? `sha256:${digest.digest('hex')}` !== hash : !file.isUnchanged()) throw staleFileError(file.path)
    if (last) yield last
  } finally {
    kept.readers--
    if (kept.isDropped && kept.readers === 0) file.close()
  }
}

async function* chunksOf(file: OpenFile, { start, end }: ByteRange, signal: AbortSignal) {
  for (let at = start; at < end; ) {
    const part = await file.read(Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, end - at)), at, signal)
    if (part.length === 0) throw staleFileError(file.path)
    at += part.length
    yield part
  }
}
