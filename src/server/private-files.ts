// Small files with credentials: private to the user, in a private folder.
import {
  chmodSync,
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync
} from 'node:fs'
import path from 'node:path'
import { ToolError } from '../errors.ts'

/** Writes a file atomically, readable only by the user. */
export function writePrivateFile(folder: string, name: string, text: string) {
  ensurePrivateFolder(folder)
  const temp = path.join(folder, `.${name}.${process.pid}`)
  rmSync(temp, { force: true })
  const fd = openSync(temp, 'wx', 0o600)
  try {
    writeSync(fd, text)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  renameSync(temp, path.join(folder, name))
}

/**
 * Makes the state folder and what is in it accessible to the user, and to no other. Throws if it cannot hold the state, such as a
 * link or another user's folder.
 */
export function ensureStateFolder(folder: string) {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  restrictAccess(folder, 0o700)
  if (!isPrivate(folder, 'isDirectory'))
    throw new ToolError(
      'PERMISSION_DENIED',
      `The state folder ${folder} is accessible to other users. Check who created the folder, and remove it. Or set ` +
        'TOOLGATE_STATE_DIR to another folder.'
    )
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name)
    restrictAccess(file, lstatSync(file, { throwIfNoEntry: false })?.isDirectory() ? 0o700 : 0o600)
  }
}

/** Changes the mode of the user's own file or folder. One that is gone meanwhile, as files of the journal may be, needs none. */
function restrictAccess(file: string, mode: number) {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (!stats || stats.uid !== process.getuid?.()) return
  if (!(stats.isFile() || stats.isDirectory()) || (stats.mode & 0o777) === mode) return
  try {
    chmodSync(file, mode)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** Makes the folder private, or throws the reason that it cannot hold tokens. */
function ensurePrivateFolder(folder: string) {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (lstatSync(folder).uid === process.getuid?.()) chmodSync(folder, 0o700)
  if (!isPrivate(folder, 'isDirectory'))
    throw new ToolError(
      'PERMISSION_DENIED',
      `${folder} is accessible to other users, so no token can be stored there. Set TOOLGATE_RUN_DIR to another folder.`
    )
}

export function isPrivate(file: string, kind: 'isFile' | 'isDirectory') {
  const stats = lstatSync(file)
  const closed = process.platform === 'win32' || ((stats.mode & 0o077) === 0 && stats.uid === process.getuid?.())
  return stats[kind]() && closed
}
