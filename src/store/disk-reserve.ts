// A file that takes up space on the disk of the journal. It is removed when that disk is full, so that what runs can be brought to its
// end, and people can still decide and cancel.
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { getDiskSpace } from '../host/disk-space.ts'

/** Maximum size of the file, and its share of what is kept for people on a small disk. */
const MAX_RESERVE_BYTES = 4 * 1024 * 1024
const MAX_RESERVE_SHARE = 0.5
/** The file is made only where so many times its size is free: the rest is for work. */
const MIN_FREE_FACTOR = 3
/** Free space below which the disk counts as full. */
const MIN_FREE_BYTES = 256 * 1024

export class DiskReserve {
  readonly #folder: string
  readonly #file: string

  constructor(folder: string) {
    this.#folder = folder
    this.#file = path.join(folder, 'journal.reserve')
  }

  /** Makes the file if there is room. Returns true if it is there. */
  make(): boolean {
    if (this.isThere()) return true
    const space = getDiskSpace(this.#folder)
    const bytes = Math.floor(Math.min(MAX_RESERVE_BYTES, (space?.reserve ?? 0) * MAX_RESERVE_SHARE))
    if (!space || space.free < Math.max(MIN_FREE_BYTES, MIN_FREE_FACTOR * bytes)) return false
    try {
      writeFileSync(this.#file, Buffer.alloc(bytes), { mode: 0o600 })
      return true
    } catch {
      this.release()
      return false
    }
  }

  isThere(): boolean {
    return existsSync(this.#file)
  }

  /** Returns true if the disk has no room for the next entries, besides that of the file. */
  isDiskFull(): boolean {
    const space = getDiskSpace(this.#folder)
    return space !== undefined && space.free < MIN_FREE_BYTES
  }

  /** Removes the file. Returns true if it was there. */
  release(): boolean {
    const wasThere = this.isThere()
    try {
      rmSync(this.#file, { force: true })
      return wasThere
    } catch {
      return false
    }
  }
}
