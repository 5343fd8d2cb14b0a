// Addresses entries of an open directory: by descriptor on Linux, by real path elsewhere.

import { constants, fstatSync } from 'node:fs'
import { ToolError } from '../../errors.ts'
import type { DirAccess, Workspace } from '../workspace.ts'
import { realpathSync, statSync } from './byte-path-fs.ts'

/**
 * Linux: `/proc/self/fd/<fd>/<name>` with O_NOFOLLOW is an openat. The folder cannot be swapped during the operation, because it
 * is never looked up by path again.
 */
export const viaProcFd: DirAccess = {
  entryPrefix: (_workspace, fd) => `/proc/self/fd/${fd}/`,
  externalFolder: (_workspace, fd) => ({ path: `/proc/${process.pid}/fd/${fd}` }),
  noFollowFlags: constants.O_NOFOLLOW,
  verify: () => {}
}

/**
 * Linux, if the program of this process may not be read by its user: then not even its children can look up its descriptors. They
 * get real paths, and compare what they open.
 */
const viaPrivateProcFd: DirAccess = { ...viaProcFd, externalFolder: identifyFolder }

// macOS: fails on a symbolic link anywhere in the path, not only at its end.
const O_NOFOLLOW_ANY = 0x2000_0000

/** Other systems: by real path, verified again once a folder is open. Weaker against concurrent swaps of folders. */
export const viaRealPath: DirAccess = {
  entryPrefix: (workspace, _fd, folder) => `${pathOf(workspace, folder)}/`,
  externalFolder: identifyFolder,
  noFollowFlags: process.platform === 'darwin' ? O_NOFOLLOW_ANY : (constants.O_NOFOLLOW ?? 0),
  verify(workspace, fd, folder) {
    const path = pathOf(workspace, folder)
    const [open, named] = [fstatSync(fd), statSync(path)]
    if (realpathSync(path) === path && open.ino === named.ino && open.dev === named.dev) return
    throw new ToolError('STALE_FILE', 'A parent folder of the file was replaced during the operation. Try again.')
  }
}

const pathOf = ({ root }: Workspace, folder: string) => (folder === '' ? root : `${root}/${folder}`)

function identifyFolder(workspace: Workspace, fd: number, folder: string) {
  const { dev, ino } = fstatSync(fd, { bigint: true })
  return { path: pathOf(workspace, folder), identity: `${dev}:${ino}` }
}

/** Checks if the kernel hides this process from others of its user: their files in /proc are root's then. */
const isHiddenFromItsUser = () => statSync('/proc/self/environ').uid !== process.geteuid?.()

/** Default directory access of this platform. */
export const DEFAULT_DIR_ACCESS: DirAccess =
  process.platform !== 'linux' ? viaRealPath : isHiddenFromItsUser() ? viaPrivateProcFd : viaProcFd
