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
import type { Workspace } from '../../host.ts'
import { errnoOf } from '../errno.ts'
import { moveExclusive, replaceKeeping } from '../exclusive-rename.ts'
import { stale } from '../file-reader.ts'
import { identityOf, isUnchanged } from '../fingerprint.ts'
import { type Place, walkToEntry } from '../paths.ts'

/** Paths are canonical and relative to the root. */
export type Motion =
  /** What is there gets a hidden name until all is done. `kept`: its content is in the images too. */
  | { do: 'hide'; path: string; hidden: string; kept: boolean }
  | { do: 'unmake'; path: string; mode: number }
  | { do: 'make'; path: string; mode?: number }
  /** What has a hidden name gets its own. */
  | { do: 'show'; path: string; hidden: string; is: string }
  /** The same over a file, which gets the hidden name `second` until all is done. */
  | { do: 'replace'; path: string; hidden: string; is: string; second: string; kept: boolean }
  | { do: 'link'; path: string; target: string }

type Of<D extends Motion['do']> = Extract<Motion, { do: D }>

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NONBLOCK

/** Makes a motion, or fails and leaves all as it was. What it takes away must still be what it `was`. */
export function perform(workspace: Workspace, motion: Motion, was: BigIntStats | undefined) {
  at(workspace, motion.path, place => {
    if (was && !(place.stat && isStill(was, place.stat))) throw stale(motion.path)
    switch (motion.do) {
      case 'hide':
        return at(workspace, motion.hidden, hidden => renameSync(place.door, hidden.door))
      case 'unmake':
        return rmdirSync(place.door)
      case 'make':
        return makeFolder(workspace, place, motion.mode)
      case 'show':
        return at(workspace, motion.hidden, hidden => moveExclusive(present(hidden), hidden.door, place.door))
      case 'replace':
        return at(workspace, motion.hidden, hidden =>
          at(workspace, motion.second, second => replaceKeeping(hidden.door, place.door, second.door))
        )
      case 'link':
        return symlinkSync(motion.target, place.door)
    }
  })
}

// What is in a folder that is moved whole may change: that moves too.
const isStill = (was: BigIntStats, now: BigIntStats) =>
  was.isDirectory() ? now.isDirectory() && was.ino === now.ino : isUnchanged(was, now)

/** Takes back those of the motions that were made, the last first, each only while what it left is still there. Gives the
 * paths of which that cannot be said: what was there before them waits under its hidden name. */
export function takeBack(workspace: Workspace, motions: readonly Motion[]): string[] {
  return motions.toReversed().flatMap(motion => {
    try {
      undo(workspace, motion)
      return []
    } catch {
      return [motion.path]
    }
  })
}

/** Removes what hidden names are left once all has happened. Gives those that could not be. */
export const dropHidden = (workspace: Workspace, motions: readonly Motion[]): string[] =>
  motions
    .flatMap(motion => (motion.do === 'hide' ? motion.hidden : motion.do === 'replace' ? motion.second : []))
    .filter(name => !isDropped(workspace, name))

/** Removes a hidden file. Gives whether nothing is left of it. */
export function isDropped(workspace: Workspace, hidden: string): boolean {
  try {
    const { stat, door, close } = walkToEntry(workspace, hidden)
    try {
      if (stat && !stat.isDirectory()) unlinkSync(door)
    } finally {
      close()
    }
    return true
  } catch {
    return false
  }
}

function undo(workspace: Workspace, motion: Motion) {
  const waits = motion.do === 'hide' || motion.do === 'show' ? motion.hidden : motion.do === 'replace' && motion.second
  const hidden = waits ? walkToEntry(workspace, waits) : undefined
  const place = walkToEntry(workspace, motion.path)
  try {
    if (isReached(place, motion.path)) undoAt(workspace, motion, place, hidden?.stat && hidden)
    else if (motion.do === 'unmake' || (motion.do !== 'show' && hidden?.stat)) throw stale(motion.path)
  } finally {
    place.close()
    hidden?.close()
  }
}

/** `hidden` is what waits under the motion's hidden name. */
function undoAt(workspace: Workspace, motion: Motion, place: Place, hidden: Place | undefined) {
  switch (motion.do) {
    case 'hide':
      return hidden && unhide(motion, place, hidden)
    case 'unmake':
      return place.stat ? undefined : makeFolder(workspace, place, motion.mode)
    case 'make':
      return removeEmpty(place)
    case 'show':
      return place.stat && unshow(workspace, motion, place, hidden)
    case 'replace':
      return hidden && bringBack(motion, place, hidden)
    case 'link':
      if (place.stat?.isSymbolicLink() && readlinkSync(place.door) === motion.target) unlinkSync(place.door)
  }
}

function unhide({ path, kept }: Of<'hide'>, place: Place, hidden: Place) {
  if (!place.stat) moveExclusive(hidden.stat!, hidden.door, place.door)
  else if (isSame(place, hidden) || kept) unlinkSync(hidden.door)
  else throw stale(path)
}

/** Where it was made by half, the hidden name is still there. */
function unshow(workspace: Workspace, motion: Of<'show'>, place: Place, hidden: Place | undefined) {
  if (!hidden) {
    if (identityOf(place.stat!) === motion.is) at(workspace, motion.hidden, ({ door }) => renameSync(place.door, door))
  } else if (isSame(place, hidden)) unlinkSync(place.door)
  else if (hidden.stat!.isDirectory()) removeEmpty(place)
}

function bringBack({ path, is, kept }: Of<'replace'>, place: Place, second: Place) {
  if (!place.stat) moveExclusive(second.stat!, second.door, place.door)
  else if (identityOf(place.stat) === is) renameSync(second.door, place.door)
  else if (isSame(place, second) || kept) unlinkSync(second.door)
  else throw stale(path)
}

/** Whether two names lead to one thing. */
export const isSame = (a: Place, b: Place) => a.stat!.dev === b.stat!.dev && a.stat!.ino === b.stat!.ino

function makeFolder(workspace: Workspace, place: Place, mode: number | undefined) {
  mkdirSync(place.door)
  if (mode === undefined) return
  try {
    const fd = openSync(place.door, FOLDER | workspace.doors.noLinks)
    try {
      fchmodSync(fd, mode & 0o777)
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    removeEmpty(place)
    throw error
  }
}

/** Removes a folder unless something is in it by now. */
export function removeEmpty({ stat, door }: Place) {
  if (stat && !stat.isDirectory()) return
  try {
    rmdirSync(door)
  } catch (error) {
    if (!['ENOTEMPTY', 'ENOENT'].includes(errnoOf(error) ?? '')) throw error
  }
}

/** Does something at a path whose folder is there, and is reached without a link. */
export function at<T>(workspace: Workspace, path: string, work: (place: Place) => T): T {
  const place = walkToEntry(workspace, path)
  try {
    if (!isReached(place, path)) throw stale(path)
    return work(place)
  } finally {
    place.close()
  }
}

const isReached = (place: Place, path: string) => place.path === path && !place.blocked && place.missing.length === 0

function present({ stat, path }: Place): BigIntStats {
  if (stat) return stat
  throw stale(path)
}
