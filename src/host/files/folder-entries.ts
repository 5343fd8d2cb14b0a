// Lists the entries of one folder, with what policy says of each.
import { closeSync, constants } from 'node:fs'
import type { Workspace } from '../workspace.ts'
import { lstatSync, openSync, readdirSync } from './byte-path-fs.ts'
import { type DirectoryEntry, entryTypeOf } from './file-snapshot.ts'
import type { ResolvedEntry } from './paths.ts'
import { getProtection, type PathGuard } from './policy/path-policy.ts'

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY

/** Returns a folder's entries, sorted by name and filtered by `shown`; the server's own are left out. */
export function listEntries(
  workspace: Workspace,
  guard: PathGuard,
  place: ResolvedEntry,
  shown: (name: string) => boolean
): DirectoryEntry[] {
  const { dirAccess } = workspace
  const folder = place.path === '.' ? '' : place.path
  const fd = openSync(place.accessPath, FOLDER | dirAccess.noFollowFlags)
  try {
    const prefix = dirAccess.entryPrefix(workspace, fd, folder)
    return readdirSync(prefix)
      .filter(shown)
      .sort(byCodeUnits)
      .flatMap(name => inspect(prefix, folder ? `${folder}/${name}` : name, name))
  } finally {
    closeSync(fd)
  }

  function inspect(prefix: string, path: string, name: string): DirectoryEntry[] {
    const stat = lstatSync(prefix + name, { bigint: true, throwIfNoEntry: false })
    // Removed concurrently, or a name that is not UTF-8 and therefore unreachable.
    if (!stat) return []
    const protection = getProtection(workspace, guard, path, stat)
    if (protection === 'all') return []
    const closed = protection !== undefined
    return [
      { name, path, type: entryTypeOf(stat), size: Number(stat.size), modified: stat.mtime.toISOString(), closed }
    ]
  }
}

const byCodeUnits = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
