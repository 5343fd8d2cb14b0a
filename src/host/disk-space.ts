// Free space of the disks that the server writes to, and the part of each that is kept for people.
import { statfsSync } from 'node:fs'

/** Maximum size of the part that is kept, and its share of a small disk. */
const MAX_RESERVE_BYTES = 64 * 1024 * 1024
const MAX_RESERVE_SHARE = 0.1

export interface DiskSpace {
  /** Bytes that are free for the server's user. */
  free: number
  /** Bytes of these that are kept for callers who may approve. */
  reserve: number
}

/** Returns the space of the disk that a folder is on; undefined if it cannot be determined. */
export function getDiskSpace(folder: string): DiskSpace | undefined {
  try {
    const { bavail, blocks, bsize } = statfsSync(folder)
    return { free: bavail * bsize, reserve: Math.min(MAX_RESERVE_BYTES, blocks * bsize * MAX_RESERVE_SHARE) }
  } catch {
    return undefined
  }
}
