// Making room in the quarantine: what is past its time goes, and the oldest while there is too much.
import { lstat, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { errnoOf } from '../../files/errno.ts'
import { Slices } from '../../files/time-slicing.ts'

const DAY_MS = 86_400_000

/** What one command left, or the commands of one server that was killed. */
interface Kept {
  folder: string
  since: number
  bytes: number
}

/** Gives how many commands' leavings went. */
export async function sweepQuarantine(
  quarantine: string,
  { max_age_days, max_bytes }: { max_age_days: number; max_bytes: number }
): Promise<number> {
  const border = Date.now() - max_age_days * DAY_MS
  const slices = new Slices()
  const kept: Kept[] = []
  for (const name of await entriesOf(quarantine)) {
    const folder = path.join(quarantine, name)
    const since = (await statOf(folder))?.mtimeMs
    if (since !== undefined) kept.push({ folder, since, bytes: await bytesIn(folder, slices) })
  }
  let total = kept.reduce((sum, { bytes }) => sum + bytes, 0)
  let gone = 0
  for (const { folder, since, bytes } of kept.toSorted((a, b) => a.since - b.since)) {
    if (since >= border && total <= max_bytes) break
    await rm(folder, { recursive: true, force: true })
    total -= bytes
    gone += 1
  }
  return gone
}

/** Links are counted, not followed. */
async function bytesIn(folder: string, slices: Slices): Promise<number> {
  let bytes = 0
  for (const name of await entriesOf(folder)) {
    await slices.rest()
    const entry = path.join(folder, name)
    const stat = await statOf(entry)
    bytes += stat?.isDirectory() ? await bytesIn(entry, slices) : (stat?.size ?? 0)
  }
  return bytes
}

const entriesOf = (folder: string) => readdir(folder).catch(unlessGone([]))
const statOf = (file: string) => lstat(file).catch(unlessGone(undefined))

const unlessGone =
  <T>(instead: T) =>
  (error: unknown): T => {
    if (['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) return instead
    throw error
  }
