// Stand-ins for folders in which what a command writes is discarded: a temporary file system in their place or, for what a build tool
// needs for its next run, a copy that is removed when the command has ended.
import { cp, lstat, mkdtemp, opendir, rm } from 'node:fs/promises'
import path from 'node:path'
import { toSystemPath } from '../../../text/byte-names.ts'
import type { Isolation } from '../sandbox.ts'
import { DISCARDED_PREFIX } from './setup-status.ts'

/** Larger folders are not copied: the command finds an empty one. */
const MAX_COPIED_BYTES = 32 * 1024 * 1024
const MAX_COPIED_ENTRIES = 2_000

/** A folder of the workspace, absolute, and the folder to mount over it; undefined for a temporary file system. */
export interface DiscardedMount {
  path: string
  from?: string
}

interface DiscardedFolders {
  mounts: readonly DiscardedMount[]
  /** Call once the command has ended. */
  remove(): Promise<void>
}

/** Prepares stand-ins; copies are made in `folder`, absolute like `root`. */
export async function prepareDiscarded(
  discards: NonNullable<Isolation['discards']>,
  { root, folder }: { root: string; folder: string }
): Promise<DiscardedFolders> {
  const copies: string[] = []
  const remove = async () => {
    for (const copy of copies.splice(0)) await rm(copy, { recursive: true, force: true })
  }
  try {
    const mounts: DiscardedMount[] = []
    for (const { path: name, isCopied } of discards) {
      const original = path.join(root, name)
      const copy = isCopied ? await mkdtemp(path.join(folder, DISCARDED_PREFIX)) : undefined
      if (copy !== undefined) copies.push(copy)
      if (copy !== undefined && (await isSmall(original))) await copyContent(original, copy)
      mounts.push({ path: original, ...(copy !== undefined && { from: copy }) })
    }
    return { mounts, remove }
  } catch (error) {
    await remove()
    throw error
  }
}

/** A folder that changes meanwhile, or holds what cannot be copied, such as a pipe, is copied as far as possible. */
async function copyContent(from: string, to: string) {
  await cp(from, to, { recursive: true, verbatimSymlinks: true }).catch(() => {})
}

async function isSmall(folder: string): Promise<boolean> {
  const waiting = [folder]
  let [bytes, entries] = [0, 0]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
    try {
      for await (const entry of await opendir(toSystemPath(next))) {
        const place = path.join(next, entry.name)
        if (entry.isDirectory()) waiting.push(place)
        else bytes += (await lstat(place)).size
        entries += 1
        if (bytes > MAX_COPIED_BYTES || entries > MAX_COPIED_ENTRIES) return false
      }
    } catch {
      return false
    }
  return true
}
