// Elementary operations of a multi-file transaction, as data: they are logged before the first is applied, so that they can be
// rolled back from the log, whether or not they were applied.

import { type BigIntStats, closeSync, constants, fchmodSync } from 'node:fs'
import type { Workspace } from '../../workspace.ts'
import {
  chmodSync,
  mkdirSync,
  openSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync
} from '../byte-path-fs.ts'
import { errnoOf, staleFileError } from '../errno.ts'
import { moveExclusive, replaceWithBackup } from '../exclusive-rename.ts'
import { contentIdentity, isSameStat } from '../fingerprint.ts'
import { type ResolvedEntry, resolveWorkspaceEntry } from '../paths.ts'

/** Paths are canonical and relative to the root. */
export type FileOperation =
  /** Renames the entry to a hidden name until commit. `kept`: its content is in the blob store too. */
  | { do: 'hide'; path: string; hidden: string; kept: boolean }
  | { do: 'unmake'; path: string; mode: number }
  | { do: 'make'; path: string; mode?: number }
  /** Renames an entry from its hidden name to its final one. */
  | { do: 'show'; path: string; hidden: string; is: string }
  /** Renames an entry over a file, which gets the hidden name `second` until commit. */
  | { do: 'replace'; path: string; hidden: string; is: string; second: string; kept: boolean }
  | { do: 'link'; path: string; target: string }
  /** Changes the permission bits of a folder. */
  | { do: 'chmod'; path: string; from: number; mode: number }

type OperationOf<D extends FileOperation['do']> = Extract<FileOperation, { do: D }>

const PERMISSIONS = 0o7777
const OWNER_MAY_READ = 0o400
const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NONBLOCK

/** Applies an operation, or fails without any change. The entry that it removes must still match `was`. */
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
      case 'chmod':
        return changeFolderMode(workspace, place, motion.mode)
    }
  })
}

// The content of a folder that is moved as a whole may change: that moves too. An earlier operation on another name of a file, a hard
// link, changes its time of status change.
function isSameEntry(was: BigIntStats, now: BigIntStats): boolean {
  if (was.isDirectory()) return now.isDirectory() && was.ino === now.ino
  return was.nlink > 1n ? was.dev === now.dev && contentIdentity(was) === contentIdentity(now) : isSameStat(was, now)
}

/**
 * Rolls back those of the operations that were applied, in reverse order, each only if its result is unchanged. Returns the paths
 * that could not be rolled back: their previous entries remain under their hidden names.
 */
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

/** Removes the remaining hidden names after commit. Returns those that could not be removed. */
export const removeHidden = (workspace: Workspace, motions: readonly FileOperation[]): string[] =>
  motions
    .flatMap(motion => (motion.do === 'hide' ? motion.hidden : motion.do === 'replace' ? motion.second : []))
    .filter(name => !tryRemoveHidden(workspace, name))

/** Removes a hidden file. Returns true if nothing is left of it. */
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

/** `hidden` is the entry under the operation's hidden name. */
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
      return
    case 'chmod':
      if (place.stat?.isDirectory() && (Number(place.stat.mode) & PERMISSIONS) === motion.mode)
        changeFolderMode(workspace, place, motion.from)
  }
}

function revertHide({ path, kept: isStored }: OperationOf<'hide'>, place: ResolvedEntry, hidden: ResolvedEntry) {
  if (!place.stat) moveExclusive(hidden.stat!, hidden.accessPath, place.accessPath)
  else if (isSameInode(place, hidden) || isStored) unlinkSync(hidden.accessPath)
  else throw staleFileError(path)
}

/** If it was partially applied, the hidden name still exists. */
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

function revertReplace(
  { path, is, kept: isStored }: OperationOf<'replace'>,
  place: ResolvedEntry,
  second: ResolvedEntry
) {
  if (!place.stat) moveExclusive(second.stat!, second.accessPath, place.accessPath)
  else if (contentIdentity(place.stat) === is) renameSync(second.accessPath, place.accessPath)
  else if (isSameInode(place, second) || isStored) unlinkSync(second.accessPath)
  else throw staleFileError(path)
}

/** Checks if two names refer to the same inode. */
export const isSameInode = (a: ResolvedEntry, b: ResolvedEntry) =>
  a.stat!.dev === b.stat!.dev && a.stat!.ino === b.stat!.ino

function createFolder(workspace: Workspace, place: ResolvedEntry, mode: number | undefined) {
  mkdirSync(place.accessPath)
  if (mode === undefined) return
  try {
    changeFolderMode(workspace, place, mode & 0o777)
  } catch (error) {
    removeIfEmpty(place)
    throw error
  }
}

/** Changes the folder itself, not what a link in its place leads to. */
function changeFolderMode(workspace: Workspace, { stat, accessPath }: ResolvedEntry, mode: number) {
  // A folder that may not be read cannot be opened.
  if (stat?.isDirectory() && (Number(stat.mode) & OWNER_MAY_READ) === 0) return chmodSync(accessPath, mode)
  const fd = openSync(accessPath, FOLDER | workspace.dirAccess.noFollowFlags)
  try {
    fchmodSync(fd, mode)
  } finally {
    closeSync(fd)
  }
}

/** Removes a folder unless it is no longer empty. */
export function removeIfEmpty({ stat, accessPath }: ResolvedEntry) {
  if (stat && !stat.isDirectory()) return
  try {
    rmdirSync(accessPath)
  } catch (error) {
    if (!['ENOTEMPTY', 'ENOENT'].includes(errnoOf(error) ?? '')) throw error
  }
}

/** Runs work at a path whose parent folder exists and is reached without links. */
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
