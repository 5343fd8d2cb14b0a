// Garbage collection of the blob store: evicts blobs past their retention, then the oldest while the store exceeds its size
// limit. Works in slices, so that the server stays responsive.
import { readdirSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { errnoOf } from '../files/errno.ts'
import { TimeSlicer } from '../files/time-slicing.ts'
import { hashFromPath, isBlobTemp, isShard } from './blob-layout.ts'

interface BlobFile {
  file: string
  hash: string
  size: number
  storedAt: number
}

/** Blobs are grouped by age in minutes: sorting them one by one would block too long. */
const AGE_BUCKET_MS = 60_000

/** Removes blobs past the limits: those stored before a time, in ms since 1970, then the oldest; calls `dropping` before each removal. Returns the number of removed blobs. */
export async function collectGarbage(
  folder: string,
  { before, max_bytes }: { before: number; max_bytes: number },
  dropping: (hash: string) => void
): Promise<number> {
  const buckets = new Map<number, BlobFile[]>()
  let total = 0
  let dropped = 0
  const slices = new TimeSlicer()
  const drop = ({ file, hash, size, storedAt }: BlobFile) => {
    // Stored again concurrently, it counts as new.
    if (statSync(file, { throwIfNoEntry: false })?.mtimeMs !== storedAt) return
    dropping(hash)
    rmSync(file, { force: true })
    dropped += 1
    total -= size
  }

  for (const shelf of listNames(folder).filter(isShard)) {
    for (const name of listNames(path.join(folder, shelf))) {
      await slices.yieldIfDue()
      const file = path.join(folder, shelf, name)
      const stat = statSync(file, { throwIfNoEntry: false })
      if (!stat) continue
      const one = { file, hash: hashFromPath(shelf, name), size: stat.size, storedAt: stat.mtimeMs }
      total += one.size
      if (one.storedAt < before) drop(one)
      else bucketOf(buckets, one).push(one)
    }
  }
  for (const age of [...buckets.keys()].sort((a, b) => a - b)) {
    for (const one of buckets.get(age)!) {
      if (total <= max_bytes) return dropped
      await slices.yieldIfDue()
      drop(one)
    }
  }
  return dropped
}

/** Removes temporary files of a killed server. Call at start, before anything is stored. */
export function removeBlobTemps(folder: string) {
  for (const name of listNames(folder).filter(isBlobTemp)) rmSync(path.join(folder, name), { force: true })
}

function bucketOf(buckets: Map<number, BlobFile[]>, { storedAt }: BlobFile): BlobFile[] {
  const age = Math.floor(storedAt / AGE_BUCKET_MS)
  const same = buckets.get(age) ?? []
  buckets.set(age, same)
  return same
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return []
    throw error
  }
}
