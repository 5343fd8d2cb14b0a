// Giving something another name, only where nothing is: a plain rename would overwrite what appeared meanwhile.
import {
  type BigIntStats,
  closeSync,
  constants,
  linkSync,
  mkdirSync,
  openSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync
} from 'node:fs'
import { errnoOf } from './errno.ts'

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

/** Moves a file, a link or a folder (`stat` tells which). */
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

/** Moves a file. */
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

/** Puts one file in the place of another, which gets a second name first. Whoever looks sees one or the other. */
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

// A rename onto an empty folder is the exclusive step for folders: nobody else can have made this one.
function renameFolder(from: string, to: string) {
  mkdirSync(to)
  runOrRevert(
    () => renameSync(from, to),
    () => rmdirSync(to)
  )
}

/** Does something, or fails with what had been done before it taken back. */
function runOrRevert(act: () => void, back: () => void) {
  try {
    act()
  } catch (error) {
    back()
    throw error
  }
}

const lacksHardLinks = (error: unknown) => NO_HARD_LINKS.has(errnoOf(error) ?? '')

// What file systems without hard links answer.
const NO_HARD_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])
