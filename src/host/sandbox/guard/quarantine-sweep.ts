// Garbage collection of the quarantine: evicts folders past their retention, then the oldest while the size limit is exceeded.
import { lstat, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { errnoOf } from '../../files/errno.ts'
import { TimeSlicer } from '../../files/time-slicing.ts'

/** Files left by one command, or by the commands of one killed server. */
interface QuarantinedFolder {
  folder: string
  mtimeMs: number
  bytes: number
}

/** Removes folders from before a time, in ms since 1970, then the oldest. Returns the number of removed folders. */
export async function sweepQuarantine(
  quarantine: string,
  { before, max_bytes }: { before: number; max_bytes: number }
): Promise<number> {
  const slices = new TimeSlicer()
  const folders: QuarantinedFolder[] = []
  for (const name of await listNames(quarantine)) {
    const folder = path.join(quarantine, name)
    const mtimeMs = (await statIfExists(folder))?.mtimeMs
    if (mtimeMs !== undefined) folders.push({ folder, mtimeMs, bytes: await measureFolder(folder, slices) })
  }
  let total = folders.reduce((sum, { bytes }) => sum + bytes, 0)
  let gone = 0
  for (const { folder, mtimeMs, bytes } of folders.toSorted((a, b) => a.mtimeMs - b.mtimeMs)) {
    if (mtimeMs >= before && total <= max_bytes) break
    await rm(folder, { recursive: true, force: true })
    total -= bytes
    gone += 1
  }
  return gone
}

/** Links are counted, not followed. */
async function measureFolder(folder: string, slices: TimeSlicer): Promise<number> {
  let bytes = 0
  for (const name of await listNames(folder)) {
    await slices.yieldIfDue()
    const entry = path.join(folder, name)
    const stat = await statIfExists(entry)
    bytes += stat?.isDirectory() ? await measureFolder(entry, slices) : (stat?.size ?? 0)
  }
  return bytes
}

const listNames = (folder: string) => readdir(folder).catch(fallbackIfMissing([]))
const statIfExists = (file: string) => lstat(file).catch(fallbackIfMissing(undefined))

const fallbackIfMissing =
  <T>(instead: T) =>
  (error: unknown): T => {
    if (['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) return instead
    throw error
  }
