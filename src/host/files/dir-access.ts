// Addresses entries of an open directory: by descriptor on Linux, by real path elsewhere.
import { constants, fstatSync, realpathSync, statSync } from 'node:fs'
import { ToolError } from '../../errors.ts'
import type { DirAccess, Workspace } from '../workspace.ts'

/**
 * Linux: `/proc/self/fd/<fd>/<name>` with O_NOFOLLOW is an openat. The folder cannot be swapped during the operation, because it
 * is never looked up by path again.
 */
export const viaProcFd: DirAccess = {
  entryPrefix: (_workspace, fd) => `/proc/self/fd/${fd}/`,
  externalPath: (_workspace, fd) => `/proc/${process.pid}/fd/${fd}`,
  noFollowFlags: constants.O_NOFOLLOW,
  verify: () => {}
}

// macOS: fails on a symbolic link anywhere in the path, not only at its end.
const O_NOFOLLOW_ANY = 0x2000_0000

/** Other systems: by real path, verified again once a folder is open. Weaker against concurrent swaps of folders. */
export const viaRealPath: DirAccess = {
  entryPrefix: (workspace, _fd, folder) => `${pathOf(workspace, folder)}/`,
  externalPath: (workspace, _fd, folder) => pathOf(workspace, folder),
  noFollowFlags: process.platform === 'darwin' ? O_NOFOLLOW_ANY : (constants.O_NOFOLLOW ?? 0),
  verify(workspace, fd, folder) {
    const path = pathOf(workspace, folder)
    const [open, named] = [fstatSync(fd), statSync(path)]
    if (realpathSync.native(path) === path && open.ino === named.ino && open.dev === named.dev) return
    throw new ToolError('STALE_FILE', 'A folder on the way was replaced meanwhile.')
  }
}

const pathOf = ({ root }: Workspace, folder: string) => (folder === '' ? root : `${root}/${folder}`)

/** Default directory access of this platform. */
export const DEFAULT_DIR_ACCESS: DirAccess = process.platform === 'linux' ? viaProcFd : viaRealPath
