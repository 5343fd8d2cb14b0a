// A content that is kept. It is read only where it is needed, off the loop and a slice at a time, and held against its
// hash while it is: what is damaged is no content.
import { createHash } from 'node:crypto'
import { ToolError } from '../../errors.ts'
import type { OpenFile } from '../files/open-file.ts'

/** Reading this much at once is quicker than a trip to the thread pool. */
const MAX_SYNC_BYTES = 256 * 1024

export class StoredBlob {
  readonly hash: string
  readonly size: number
  readonly #open: () => OpenFile | undefined
  readonly #drop: () => void

  /** `drop` hears that it is damaged. */
  constructor({ hash, size }: { hash: string; size: number }, open: () => OpenFile | undefined, drop: () => void) {
    this.hash = hash
    this.size = size
    this.#open = open
    this.#drop = drop
  }

  /** The whole of it; undefined where it is damaged, or gone by now. */
  async bytes(signal?: AbortSignal): Promise<Buffer | undefined> {
    const parts: Buffer[] = []
    const isWhole = await this.#read(async part => void parts.push(part), signal)
    return isWhole ? Buffer.concat(parts) : undefined
  }

  /** Gives it to `take` part by part, and fails in the end where it is damaged. */
  async copy(take: (part: Buffer) => Promise<void>, signal: AbortSignal): Promise<void> {
    if (await this.#read(take, signal)) return
    throw new ToolError('EXECUTION_ERROR', 'What was there before is not kept any more, or damaged.', {
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
