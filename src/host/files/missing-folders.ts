// Creates the folders that a change needs, through descriptors, and removes them if the change fails.

import { closeSync, constants } from 'node:fs'
import type { Change } from '../change.ts'
import type { Effects } from '../effects.ts'
import type { Workspace } from '../workspace.ts'
import { lstatSync, mkdirSync, openSync, rmdirSync } from './byte-path-fs.ts'
import { errnoOf } from './errno.ts'
import { type ResolvedEntry, resolveWorkspaceEntry } from './paths.ts'
import { fsync } from './write-content.ts'

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NONBLOCK

/** Applies one visible change between its intent and its completion record in the write-ahead log. */
type ApplyChange = (change: Change, act: () => void) => void

/**
 * Returns the entry with all its ancestors created. Adds the paths of created folders to `made`; the caller closes the result.
 */
export async function createMissingFolders(
  workspace: Workspace,
  effects: Effects,
  place: ResolvedEntry,
  { made, happen }: { made: string[]; happen: ApplyChange }
): Promise<ResolvedEntry> {
  if (place.missingFolders.length === 0) return { ...place, close: () => {} }
  await effects.commitIntent()
  effects.signal.throwIfAborted()

  const { dirAccess } = workspace
  const names = place.path.split('/')
  let depth = names.length - 1 - place.missingFolders.length
  let { parentFd, entryPrefix } = place
  const leave = () => parentFd !== place.parentFd && closeSync(parentFd)
  try {
    for (const name of place.missingFolders) {
      const path = names.slice(0, ++depth).join('/')
      if (createFolder(entryPrefix + name, path, happen)) made.push(path)
      await fsync(parentFd)
      const inside = openSync(entryPrefix + name, FOLDER | dirAccess.noFollowFlags)
      leave()
      parentFd = inside
      dirAccess.verify(workspace, parentFd, path)
      entryPrefix = dirAccess.entryPrefix(workspace, parentFd, path)
    }
  } catch (error) {
    leave()
    throw error
  }
  return {
    ...place,
    parentFd,
    entryPrefix,
    accessPath: entryPrefix + names.at(-1)!,
    missingFolders: [],
    close: () => closeSync(parentFd)
  }
}

/** Removes folders that were created for a failed change, unless they are no longer empty. */
export function removeCreatedFolders(workspace: Workspace, made: readonly string[], happen: ApplyChange) {
  for (const path of made.toReversed()) {
    try {
      const place = resolveWorkspaceEntry(workspace, path)
      try {
        happen({ path, operation: 'deleted', kind: 'directory' }, () => rmdirSync(place.accessPath))
      } finally {
        place.close()
      }
    } catch {
      return
    }
  }
}

export const folderCreatedChange = (path: string): Change => ({ path, operation: 'created', kind: 'directory' })

function createFolder(door: string, path: string, happen: ApplyChange): boolean {
  if (lstatSync(door, { throwIfNoEntry: false })) return false
  try {
    happen(folderCreatedChange(path), () => mkdirSync(door))
    return true
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false
    throw error
  }
}
