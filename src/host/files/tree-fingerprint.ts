// Fingerprints of folders with everything in them, from the metadata of the entries.
import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { ToolError } from '../../errors.ts'
import type { Workspace } from '../workspace.ts'
import { lstatSync, readdirSync } from './byte-path-fs.ts'
import { isRacyStat, statFingerprint } from './fingerprint.ts'
import { openFolder } from './open-folder.ts'
import { TimeSlicer } from './time-slicing.ts'

/** Time after which a further change of an entry shows in its metadata. */
const SETTLE_MS = 60

/**
 * Returns a hash that differs when an entry below the folder is added, removed, renamed or replaced, or its content, its target or its
 * permissions change. The path is canonical; links are not followed.
 */
export async function fingerprintTree(workspace: Workspace, path: string, signal: AbortSignal): Promise<string> {
  const first = await walkTree(workspace, path, signal)
  if (!first.isRacy) return first.hash
  await setTimeout(SETTLE_MS, undefined, { signal })
  return (await walkTree(workspace, path, signal)).hash
}

async function walkTree(workspace: Workspace, path: string, signal: AbortSignal) {
  const slicer = new TimeSlicer()
  const digest = createHash('sha256')
  const folders = [path]
  let isRacy = false
  for (const folder of folders) {
    const open = tryOpen(workspace, folder)
    if (!open) {
      digest.update(`${folder}\0unreadable\0`)
      continue
    }
    try {
      for (const name of readdirSync(`${open.path}/`).sort()) {
        const stat = lstatSync(`${open.path}/${name}`, { bigint: true, throwIfNoEntry: false })
        if (!stat) continue
        const entry = folder === '.' ? name : `${folder}/${name}`
        const isFolder = stat.isDirectory()
        // Changes in a folder show in its entries.
        digest.update(`${entry}\0${stat.mode}:${isFolder ? '' : statFingerprint(stat)}\0`)
        if (isFolder) folders.push(entry)
        else isRacy ||= isRacyStat(stat)
        await slicer.yieldIfDue()
        signal.throwIfAborted()
      }
    } finally {
      open.close()
    }
  }
  return { hash: digest.digest('hex'), isRacy }
}

/** Returns undefined for a folder that may not be read, or is gone. */
function tryOpen(workspace: Workspace, folder: string) {
  try {
    return openFolder(workspace, folder)
  } catch (error) {
    if (error instanceof ToolError) return undefined
    throw error
  }
}
