// How an entry of an open folder is named to the operating system.
import { constants, fstatSync, realpathSync, statSync } from 'node:fs'
import { ToolError } from '../../errors.ts'
import type { DirAccess, Workspace } from '../workspace.ts'

/**
 * Linux: `/proc/self/fd/<fd>/<name>` with O_NOFOLLOW is an openat. The folder cannot be swapped under us, because it is
 * never looked up by path again.
 */
export const viaProcFd: DirAccess = {
  entryPrefix: (_workspace, fd) => `/proc/self/fd/${fd}/`,
  externalPath: (_workspace, fd) => `/proc/${process.pid}/fd/${fd}`,
  noFollowFlags: constants.O_NOFOLLOW,
  verify: () => {}
}

// macOS: fails on a link anywhere in the path, not only at its end.
const O_NOFOLLOW_ANY = 0x2000_0000

/** Elsewhere: by real path, confirmed again once a folder is open. Weaker against somebody who swaps folders at the same time. */
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

/** What this system has. */
export const DEFAULT_DIR_ACCESS: DirAccess = process.platform === 'linux' ? viaProcFd : viaRealPath
