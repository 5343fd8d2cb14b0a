// A blob of the store. It is read lazily, asynchronously in slices, and verified against its hash while reading: a corrupt blob
// counts as missing.
import { createHash } from 'node:crypto'
import { ToolError } from '../../errors.ts'
import type { OpenFile } from '../files/open-file.ts'

/** Up to this many bytes, a synchronous read is faster than a trip to the thread pool. */
const MAX_SYNC_BYTES = 256 * 1024

export class StoredBlob {
  readonly hash: string
  readonly size: number
  readonly #open: () => OpenFile | undefined
  readonly #drop: () => void

  /** `drop` is called if the blob is corrupt. */
  constructor({ hash, size }: { hash: string; size: number }, open: () => OpenFile | undefined, drop: () => void) {
    this.hash = hash
    this.size = size
    this.#open = open
    this.#drop = drop
  }

  /** Reads the whole content; undefined if it is corrupt or was evicted. */
  async bytes(signal?: AbortSignal): Promise<Buffer | undefined> {
    const parts: Buffer[] = []
    const isWhole = await this.#read(async part => void parts.push(part), signal)
    return isWhole ? Buffer.concat(parts) : undefined
  }

  /** Streams the content to `take`, and fails at the end if it is corrupt. */
  async copy(take: (part: Buffer) => Promise<void>, signal: AbortSignal): Promise<void> {
    if (await this.#read(take, signal)) return
    throw new ToolError('EXECUTION_ERROR', 'The content before the change is no longer stored, or is damaged.', {
      hash: this.hash
    })
  }

  async #read(take: (part: Buffer) => Promise<void>, signal: AbortSignal | undefined): Promise<boolean> {
    const file = this.#open()
    if (!file) return false
    const digest = createHash('sha256')
    try {
      for await (const part of file.size <= MAX_SYNC_BYTES ? [file.bytesSync()] : file.chunks(signal)) {
        digest.update(part)
        await take(part)
      }
    } finally {
      file.close()
    }
    const isWhole = `sha256:${digest.digest('hex')}` === this.hash
    if (!isWhole) this.#drop()
    return isWhole
  }
}
