// Finds further names of secrets: hard links in the workspace, whose names do not show what they are.
import type { BigIntStats } from 'node:fs'
import { listReadable, lstatSync } from '../../files/byte-path-fs.ts'
import { TimeSlicer } from '../../files/time-slicing.ts'
import { type GuardedEntry, statFacts } from './guarded-tree.ts'

/** Only so many entries of folders that are secret as a whole are looked at for files with several names. */
const MAX_SECRET_ENTRIES = 10_000

/**
 * Returns the files of a workspace that are hard links of secrets, but for those in secret folders. All paths are relative to the root. It
 * looks at every file, but only if a secret has several names.
 */
export async function findHardLinks(root: string, secrets: readonly GuardedEntry[]): Promise<GuardedEntry[]> {
  const slices = new TimeSlicer()
  const linked = await findLinkedInodes(root, secrets, slices)
  if (linked.size === 0) return []
  const known = new Set(secrets.map(one => one.path))
  const found: GuardedEntry[] = []
  const visit = (path: string, stat: BigIntStats) => {
    if (stat.nlink > 1n && linked.has(inodeOf(stat)) && !known.has(path))
      found.push({ path, writeProtected: false, sensitive: true, ...statFacts(stat) })
  }
  await walk(root, { from: '', isEntered: path => !known.has(path), visit }, slices)
  return found
}

/** Returns the inodes of secrets that have several names. Their numbers may have changed since they were scanned. */
async function findLinkedInodes(
  root: string,
  secrets: readonly GuardedEntry[],
  slices: TimeSlicer
): Promise<Set<string>> {
  const linked = new Set<string>()
  let left = MAX_SECRET_ENTRIES
  const visit = (_path: string, stat: BigIntStats) => {
    left -= 1
    if (stat.isFile() && stat.nlink > 1n) linked.add(inodeOf(stat))
  }
  for (const { path, kind, isServerEntry } of secrets) {
    if (isServerEntry) continue
    const stat = kind === 'file' ? statIfExists(`${root}/${path}`) : undefined
    if (stat) visit(path, stat)
    else if (kind === 'folder') await walk(root, { from: path, isEntered: () => left > 0, visit }, slices)
  }
  return linked
}

interface Walk {
  /** Folder to begin with, '' for the root. */
  from: string
  isEntered(path: string): boolean
  visit(path: string, stat: BigIntStats): void
}

/** Visits the files in a folder. */
async function walk(root: string, { from, isEntered, visit }: Walk, slices: TimeSlicer) {
  const waiting = [from]
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop())
    for (const entry of listReadable(`${root}/${folder}`)) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory() && isEntered(path)) waiting.push(path)
      const stat = entry.isFile() ? statIfExists(`${root}/${path}`) : undefined
      if (stat) visit(path, stat)
      await slices.yieldIfDue()
    }
}

const inodeOf = ({ dev, ino }: BigIntStats) => `${dev}:${ino}`

function statIfExists(file: string): BigIntStats | undefined {
  try {
    return lstatSync(file, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
