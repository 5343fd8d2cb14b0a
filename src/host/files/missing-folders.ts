// Making the folders that a change needs, through descriptors, and taking them back when the change fails.
import { closeSync, constants, lstatSync, mkdirSync, openSync, rmdirSync } from 'node:fs'
import type { Change } from '../change.ts'
import type { Effects } from '../effects.ts'
import type { Workspace } from '../workspace.ts'
import { errnoOf } from './errno.ts'
import { type ResolvedEntry, resolveWorkspaceEntry } from './paths.ts'
import { fsync } from './write-content.ts'

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NONBLOCK

/** Does what makes one change show, between the word that it will and the word that it has. */
type ApplyChange = (change: Change, act: () => void) => void

/** The same place with every folder above it there. Adds the paths of those it makes to `made`; the caller closes it. */
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

/** Removes folders that were made for a change that did not happen, unless something is in them by now. */
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
