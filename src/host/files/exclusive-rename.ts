// Renames without overwriting: a plain rename would replace an entry that appears concurrently.

import { type BigIntStats, closeSync, constants } from 'node:fs'
import {
  linkSync,
  mkdirSync,
  openSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync
} from './byte-path-fs.ts'
import { errnoOf } from './errno.ts'

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

/** Moves a file, a link or a folder, depending on `stat`. */
export function moveExclusive(stat: BigIntStats, from: string, to: string) {
  if (stat.isDirectory()) renameFolder(from, to)
  else if (stat.isSymbolicLink()) {
    symlinkSync(readlinkSync(from), to)
    runOrRevert(
      () => unlinkSync(from),
      () => unlinkSync(to)
    )
  } else renameExclusive(from, to)
}

export function renameExclusive(from: string, to: string) {
  try {
    linkSync(from, to)
  } catch (error) {
    if (!lacksHardLinks(error)) throw error
    closeSync(openSync(to, NEW_FILE, 0o600))
    renameSync(from, to)
    return
  }
  runOrRevert(
    () => unlinkSync(from),
    () => unlinkSync(to)
  )
}

/** Replaces one file by another, giving the replaced one a second name first. Readers see one or the other. */
export function replaceWithBackup(from: string, to: string, second: string) {
  try {
    linkSync(to, second)
  } catch (error) {
    if (!lacksHardLinks(error)) throw error
    renameSync(to, second)
    runOrRevert(
      () => renameExclusive(from, to),
      () => renameSync(second, to)
    )
    return
  }
  runOrRevert(
    () => renameSync(from, to),
    () => unlinkSync(second)
  )
}

// A rename onto an empty folder is the exclusive step for folders: the empty folder is certainly the one made here.
function renameFolder(from: string, to: string) {
  mkdirSync(to)
  runOrRevert(
    () => renameSync(from, to),
    () => rmdirSync(to)
  )
}

/** Runs an action; on failure reverts the step before it and rethrows. */
function runOrRevert(act: () => void, back: () => void) {
  try {
    act()
  } catch (error) {
    back()
    throw error
  }
}

const lacksHardLinks = (error: unknown) => NO_HARD_LINKS.has(errnoOf(error) ?? '')

// Errors by which file systems without hard links refuse one.
const NO_HARD_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])
