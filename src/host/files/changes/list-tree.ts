// Lists a directory tree whose members are all removed or copied together.
import { fileNotFoundError, protectedPathError } from '../file-errors.ts'
import type { FileReader } from '../file-reader.ts'
import { type DirectoryEntry, entryTypeOf } from '../file-snapshot.ts'
import type { FileChanges } from './file-changes.ts'

/** Member of a directory tree. */
export type TreeMember = Pick<DirectoryEntry, 'path' | 'type' | 'size'>

/** Lists a path and its descendants, folders before their contents; links are not followed. Fails if a member is protected. */
export async function listTree(changes: FileChanges, reader: FileReader, root: string): Promise<TreeMember[]> {
  const place = changes.paths.walkToEntry(root)
  place.close()
  if (!place.stat) throw fileNotFoundError(root)
  changes.assertChangeable(place, root)
  const branches: TreeMember[] = [{ path: place.path, type: entryTypeOf(place.stat), size: Number(place.stat.size) }]
  for (const { path, type } of branches) {
    if (type !== 'directory') continue
    for (const entry of reader.entries(path)) {
      if (entry.closed) throw protectedPathError(entry.path)
      branches.push({ path: entry.path, type: entry.type, size: entry.size })
    }
    await changes.yieldToEventLoop()
  }
  return branches
}
