// Opens the regular file that a path was resolved to.
import { closeSync, constants, fstatSync } from 'node:fs'
import type { Workspace } from '../workspace.ts'
import { openSync } from './byte-path-fs.ts'
import { toFileError } from './errno.ts'
import { fileNotFoundError, notAFileError, serverFileError } from './file-errors.ts'
import { OpenFile } from './open-file.ts'
import type { ResolvedEntry } from './paths.ts'
import { assertNotServerFile, type PathGuard, serverEntriesOf } from './policy/path-policy.ts'

const READ = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY

/** Opens a resolved file; the caller closes it. Errors name the path as `given`. */
export function openEntry(workspace: Workspace, guard: PathGuard, place: ResolvedEntry, given: string): OpenFile {
  if (!place.stat) throw fileNotFoundError(given)
  // Checked before it is opened: opening a FIFO or a device can already have effects.
  if (!place.stat.isFile()) throw notAFileError(given, place.stat)
  let fd: number | undefined
  try {
    fd = openSync(place.accessPath, READ | workspace.dirAccess.noFollowFlags)
    const stat = fstatSync(fd, { bigint: true })
    if (!stat.isFile()) throw notAFileError(given, stat)
    if (serverEntriesOf(guard).has(stat)) throw serverFileError(given)
    return new OpenFile(fd, place.path, stat)
  } catch (error) {
    if (fd !== undefined) closeSync(fd)
    throw toFileError(error, given)
  }
}

/** Opens a resolved file unless it belongs to the server, and closes its folder; the caller closes the file. */
export function openReadable(workspace: Workspace, guard: PathGuard, place: ResolvedEntry, given: string): OpenFile {
  try {
    assertNotServerFile(workspace, guard, place, given)
    return openEntry(workspace, guard, place, given)
  } finally {
    place.close()
  }
}
