// The single motions that a change of several files is made of, as data: they are written down before the first of them
// is made, and whoever reads that can take them back, whether or not they were made.
import {
  type BigIntStats,
  closeSync,
  constants,
  fchmodSync,
  mkdirSync,
  openSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync
} from 'node:fs'
import type { Workspace } from '../../workspace.ts'
import { errnoOf } from '../errno.ts'
import { moveExclusive, replaceWithBackup } from '../exclusive-rename.ts'
import { staleFileError } from '../file-reader.ts'
import { contentIdentity, isSameStat } from '../fingerprint.ts'
import { type ResolvedEntry, resolveWorkspaceEntry } from '../paths.ts'

/** Paths are canonical and relative to the root. */
export type FileOperation =
  /** What is there gets a hidden name until all is done. `kept`: its content is in the images too. */
  | { do: 'hide'; path: string; hidden: string; kept: boolean }
  | { do: 'unmake'; path: string; mode: number }
  | { do: 'make'; path: string; mode?: number }
  /** What has a hidden name gets its own. */
  | { do: 'show'; path: string; hidden: string; is: string }
  /** The same over a file, which gets the hidden name `second` until all is done. */
  | { do: 'replace'; path: string; hidden: string; is: string; second: string; kept: boolean }
  | { do: 'link'; path: string; target: string }

type OperationOf<D extends FileOperation['do']> = Extract<FileOperation, { do: D }>

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NONBLOCK

/** Makes a motion, or fails and leaves all as it was. What it takes away must still be what it `was`. */
export function applyOperation(workspace: Workspace, motion: FileOperation, was: BigIntStats | undefined) {
  withEntry(workspace, motion.path, place => {
    if (was && !(place.stat && isSameEntry(was, place.stat))) throw staleFileError(motion.path)
    switch (motion.do) {
      case 'hide':
        return withEntry(workspace, motion.hidden, hidden => renameSync(place.accessPath, hidden.accessPath))
      case 'unmake':
        return rmdirSync(place.accessPath)
      case 'make':
        return createFolder(workspace, place, motion.mode)
      case 'show':
        return withEntry(workspace, motion.hidden, hidden =>
          moveExclusive(requireStat(hidden), hidden.accessPath, place.accessPath)
        )
      case 'replace':
        return withEntry(workspace, motion.hidden, hidden =>
          withEntry(workspace, motion.second, second =>
            replaceWithBackup(hidden.accessPath, place.accessPath, second.accessPath)
          )
        )
      case 'link':
        return symlinkSync(motion.target, place.accessPath)
    }
  })
}

// What is in a folder that is moved whole may change: that moves too.
const isSameEntry = (was: BigIntStats, now: BigIntStats) =>
  was.isDirectory() ? now.isDirectory() && was.ino === now.ino : isSameStat(was, now)

/** Takes back those of the motions that were made, the last first, each only while what it left is still there. Gives the
 * paths of which that cannot be said: what was there before them waits under its hidden name. */
export function rollBack(workspace: Workspace, motions: readonly FileOperation[]): string[] {
  return motions.toReversed().flatMap(motion => {
    try {
      revertOperation(workspace, motion)
      return []
    } catch {
      return [motion.path]
    }
  })
}

/** Removes what hidden names are left once all has happened. Gives those that could not be. */
export const removeHidden = (workspace: Workspace, motions: readonly FileOperation[]): string[] =>
  motions
    .flatMap(motion => (motion.do === 'hide' ? motion.hidden : motion.do === 'replace' ? motion.second : []))
    .filter(name => !tryRemoveHidden(workspace, name))

/** Removes a hidden file. Gives whether nothing is left of it. */
export function tryRemoveHidden(workspace: Workspace, hidden: string): boolean {
  try {
    const { stat, accessPath, close } = resolveWorkspaceEntry(workspace, hidden)
    try {
      if (stat && !stat.isDirectory()) unlinkSync(accessPath)
    } finally {
      close()
    }
    return true
  } catch {
    return false
  }
}

function revertOperation(workspace: Workspace, motion: FileOperation) {
  const waits = motion.do === 'hide' || motion.do === 'show' ? motion.hidden : motion.do === 'replace' && motion.second
  const hidden = waits ? resolveWorkspaceEntry(workspace, waits) : undefined
  const place = resolveWorkspaceEntry(workspace, motion.path)
  try {
    if (isReachedWithoutLinks(place, motion.path)) revertAt(workspace, motion, place, hidden?.stat && hidden)
    else if (motion.do === 'unmake' || (motion.do !== 'show' && hidden?.stat)) throw staleFileError(motion.path)
  } finally {
    place.close()
    hidden?.close()
  }
}

/** `hidden` is what waits under the motion's hidden name. */
function revertAt(
  workspace: Workspace,
  motion: FileOperation,
  place: ResolvedEntry,
  hidden: ResolvedEntry | undefined
) {
  switch (motion.do) {
    case 'hide':
      return hidden && revertHide(motion, place, hidden)
    case 'unmake':
      return place.stat ? undefined : createFolder(workspace, place, motion.mode)
    case 'make':
      return removeIfEmpty(place)
    case 'show':
      return place.stat && revertShow(workspace, motion, place, hidden)
    case 'replace':
      return hidden && revertReplace(motion, place, hidden)
    case 'link':
      if (place.stat?.isSymbolicLink() && readlinkSync(place.accessPath) === motion.target) unlinkSync(place.accessPath)
  }
}

function revertHide({ path, kept }: OperationOf<'hide'>, place: ResolvedEntry, hidden: ResolvedEntry) {
  if (!place.stat) moveExclusive(hidden.stat!, hidden.accessPath, place.accessPath)
  else if (isSameInode(place, hidden) || kept) unlinkSync(hidden.accessPath)
  else throw staleFileError(path)
}

/** Where it was made by half, the hidden name is still there. */
function revertShow(
  workspace: Workspace,
  motion: OperationOf<'show'>,
  place: ResolvedEntry,
  hidden: ResolvedEntry | undefined
) {
  if (!hidden) {
    if (contentIdentity(place.stat!) === motion.is)
      withEntry(workspace, motion.hidden, ({ accessPath }) => renameSync(place.accessPath, accessPath))
  } else if (isSameInode(place, hidden)) unlinkSync(place.accessPath)
  else if (hidden.stat!.isDirectory()) removeIfEmpty(place)
}

function revertReplace({ path, is, kept }: OperationOf<'replace'>, place: ResolvedEntry, second: ResolvedEntry) {
  if (!place.stat) moveExclusive(second.stat!, second.accessPath, place.accessPath)
  else if (contentIdentity(place.stat) === is) renameSync(second.accessPath, place.accessPath)
  else if (isSameInode(place, second) || kept) unlinkSync(second.accessPath)
  else throw staleFileError(path)
}

/** Whether two names lead to one thing. */
export const isSameInode = (a: ResolvedEntry, b: ResolvedEntry) =>
  a.stat!.dev === b.stat!.dev && a.stat!.ino === b.stat!.ino

function createFolder(workspace: Workspace, place: ResolvedEntry, mode: number | undefined) {
  mkdirSync(place.accessPath)
  if (mode === undefined) return
  try {
    const fd = openSync(place.accessPath, FOLDER | workspace.dirAccess.noFollowFlags)
    try {
      fchmodSync(fd, mode & 0o777)
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    removeIfEmpty(place)
    throw error
  }
}

/** Removes a folder unless something is in it by now. */
export function removeIfEmpty({ stat, accessPath }: ResolvedEntry) {
  if (stat && !stat.isDirectory()) return
  try {
    rmdirSync(accessPath)
  } catch (error) {
    if (!['ENOTEMPTY', 'ENOENT'].includes(errnoOf(error) ?? '')) throw error
  }
}

/** Does something at a path whose folder is there, and is reached without a link. */
export function withEntry<T>(workspace: Workspace, path: string, work: (place: ResolvedEntry) => T): T {
  const place = resolveWorkspaceEntry(workspace, path)
  try {
    if (!isReachedWithoutLinks(place, path)) throw staleFileError(path)
    return work(place)
  } finally {
    place.close()
  }
}

const isReachedWithoutLinks = (place: ResolvedEntry, path: string) =>
  place.path === path && !place.isBlocked && place.missingFolders.length === 0

function requireStat({ stat, path }: ResolvedEntry): BigIntStats {
  if (stat) return stat
  throw staleFileError(path)
}
