// Quarantines self-starting files that a sandboxed command left behind. They are moved, never read, through open folders, so that
// no link redirects the path.

import { constants, fstatSync, rmSync } from 'node:fs'
import path from 'node:path'
import { listAncestors } from '../../../text/ancestors.ts'
import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync
} from '../../files/byte-path-fs.ts'
import { errnoOf } from '../../files/errno.ts'
import { TEMP_PREFIX } from '../../files/hidden-names.ts'
import { openFolder } from '../../files/open-folder.ts'
import { openForOwner } from '../../files/owner-rights.ts'
import { TimeSlicer } from '../../files/time-slicing.ts'
import type { Workspace } from '../../workspace.ts'
import type { PinnedEntry } from '../bubblewrap/pinned-entries.ts'
import type { SandboxReport } from '../sandbox.ts'
import { isReachable, splitDeepFolders } from './deep-folders.ts'

/** Limits of what is copied from another file system. */
const MAX_COPIED_BYTES = 32 * 1024 * 1024
const MAX_COPIED_ENTRIES = 10_000
/** Limit of listed names that could not be moved. */
const MAX_REPORTED = 20
/** Added to the name of an entry that was removed instead. */
const OMITTED_SUFFIX = '.omitted'
/** Begins the names of what was too deep for a path. */
const DEEP_PREFIX = 'too-deep-'

export const quarantineFolder = (stateDir: string) => path.join(stateDir, 'quarantine')

/**
 * Moves the paths, relative to the workspace, into `own`, a new folder inside `folder`, in this order: folders come before what is in them.
 * Missing entries are skipped; failures are reported.
 */
export async function quarantine(
  workspace: Workspace,
  paths: readonly string[],
  folder: string,
  own = newQuarantineFolder(folder)
): Promise<SandboxReport> {
  if (paths.length === 0) return { quarantined: [] }
  const taken = new Set<string>()
  const stuck: string[] = []
  const slices = new TimeSlicer()
  for (const name of paths) {
    await slices.yieldIfDue()
    try {
      // A folder that was just moved has no descendants left; if there is one, the folder may have been a link exchanged by a
      // command, and lead anywhere.
      const isBelow = listAncestors(name).some(above => taken.has(above))
      if (moveAway(workspace, name, isBelow ? newQuarantineFolder(folder) : own)) taken.add(name)
    } catch (error) {
      const code = codeOf(error)
      if (code === undefined) throw error
      stuck.push(`${name} (${code})`)
    }
  }
  const quarantined = [...taken]
  return {
    quarantined,
    ...(quarantined.length > 0 && { folder: own }),
    ...(stuck.length > 0 && {
      unchecked: `Some files could not be moved to the quarantine folder and are still in the workspace: ${listFirst(stuck)}.`
    })
  }
}

const listFirst = (names: readonly string[]) =>
  names.slice(0, MAX_REPORTED).join(', ') +
  (names.length > MAX_REPORTED ? ` and ${names.length - MAX_REPORTED} more` : '')

let last = 0

/** Returns the path of a folder for what one command has left. */
export function newQuarantineFolder(folder: string): string {
  const stamp = new Date().toISOString().replaceAll(/[:.]/g, '-')
  return path.join(folder, `${stamp}-${process.pid}-${++last}`)
}

/** Moves an entry into a folder, by its path in the workspace if that is not too long there. */
function moveAway(workspace: Workspace, name: string, folder: string): boolean {
  const newPlace = () => path.join(folder, `${DEEP_PREFIX}${++last}`)
  const named = path.join(folder, name)
  const place = isReachable(named) ? named : newPlace()
  return tryInParent(workspace, name, entry => {
    // A closed folder cannot get another parent.
    if (lstatSync(entry).isDirectory()) openForOwner(entry)
    mkdirSync(path.dirname(place), { recursive: true, mode: 0o700 })
    try {
      renameSync(entry, place)
    } catch (error) {
      if (errnoOf(error) !== 'EXDEV') throw error
      return copyAway(entry, place)
    }
    for (const tree of splitDeepFolders(place, newPlace)) separateLinks(tree)
  })
}

/** Moves an entry to another file system: first renamed to an inert name, then copied, but for what is too deep for a path. */
function copyAway(entry: string, place: string) {
  const newPlace = () => path.join(path.dirname(entry), `${TEMP_PREFIX}quarantine-${process.pid}-${++last}`)
  const aside = newPlace()
  renameSync(entry, aside)
  const trees = splitDeepFolders(aside, newPlace)
  if (isSmall(aside)) copyEntry(aside, place)
  else writeFileSync(`${place}${OMITTED_SUFFIX}`, `The file was too large to be copied from another file system.\n`)
  for (const tree of trees) rmSync(tree, { recursive: true, force: true })
}

/**
 * Gives what has further names, hard links in the workspace, separate content: a file of the state folder may have no name elsewhere.
 * What is too large for that, or cannot be read, is removed here, and stays under its other name.
 */
function separateLinks(place: string) {
  const stat = lstatSync(place)
  if (stat.isDirectory()) for (const name of listIfReadable(place)) separateLinks(`${place}/${name}`)
  else if (stat.isFile() && stat.nlink > 1) {
    const copy = `${place}.copy`
    try {
      if (stat.size > MAX_COPIED_BYTES) throw new Error('too large')
      copyFileSync(place, copy)
      renameSync(copy, place)
    } catch {
      unlinkSync(place)
    }
  }
}

/** Checks if copying an entry does not keep the server busy for long. */
function isSmall(place: string): boolean {
  const waiting = [place]
  let [bytes, entries] = [0, 0]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const stat = lstatSync(next)
    bytes += stat.isFile() ? stat.size : 0
    entries += 1
    if (bytes > MAX_COPIED_BYTES || entries > MAX_COPIED_ENTRIES) return false
    if (stat.isDirectory()) for (const name of listIfReadable(next)) waiting.push(`${next}/${name}`)
  }
  return true
}

function listIfReadable(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Copies an entry with all in it; pipes, sockets and devices are left out. */
function copyEntry(from: string, to: string) {
  const stat = lstatSync(from)
  if (stat.isSymbolicLink()) symlinkSync(readlinkSync(from), to)
  else if (stat.isFile()) copyFileSync(from, to)
  else if (stat.isDirectory()) {
    mkdirSync(to, { mode: 0o700 })
    for (const name of listIfReadable(from)) copyEntry(`${from}/${name}`, `${to}/${name}`)
  }
}

/** Restores a link that was removed or replaced, if possible. */
export function restoreLink(workspace: Workspace, name: string, target: string): void {
  tryRestore(workspace, name, entry => symlinkSync(target, entry))
}

/** Restores a file that was replaced, if possible. */
export function restoreFile(workspace: Workspace, name: string, { fd, procPath }: PinnedEntry): void {
  const stat = fstatSync(fd)
  // It exists elsewhere if it was moved together with its parent folder.
  if (stat.isFile() && stat.nlink === 0)
    tryRestore(workspace, name, entry => copyFileSync(procPath, entry, constants.COPYFILE_EXCL))
}

/** Puts an entry of a workspace back by a function of its path, unless it exists or its folder is gone. */
export function tryRestore(workspace: Workspace, name: string, put: (entry: string) => void) {
  try {
    tryInParent(workspace, name, put)
  } catch (error) {
    if (codeOf(error) === undefined) throw error
  }
}

/** Returns true on success; false if the entry or its folder is gone, or the entry exists already. */
function tryInParent(workspace: Workspace, name: string, act: (entry: string) => void): boolean {
  try {
    const folder = openFolder(workspace, path.dirname(name))
    try {
      act(`${folder.path}/${path.basename(name)}`)
      return true
    } finally {
      folder.close()
    }
  } catch (error) {
    if (['ENOENT', 'EEXIST', 'FILE_NOT_FOUND', 'NOT_A_DIRECTORY'].includes(codeOf(error) ?? '')) return false
    throw error
  }
}

/** Returns the code of a system or tool error; undefined for a bug. */
const codeOf = (error: unknown) => (error as { code?: string }).code
