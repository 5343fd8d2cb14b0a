// Creates folders in a workspace.
import { ToolError } from '../../../errors.ts'
import { mkdirSync, rmdirSync } from '../byte-path-fs.ts'
import { quotePath } from '../errno.ts'
import { fileExistsError } from '../file-errors.ts'
import { folderCreatedChange } from '../missing-folders.ts'
import type { ResolvedEntry } from '../paths.ts'
import type { FileChanges } from './file-changes.ts'

/** Creates a folder in an existing one. Returns the created paths: none if the folder exists already. */
export const makeDirectory = (changes: FileChanges, path: string): Promise<string[]> =>
  make(changes, path, ({ missingFolders }) => {
    if (missingFolders.length === 0) return
    throw new ToolError('FILE_NOT_FOUND', `The parent folder of ${quotePath(path)} does not exist.`, { path })
  })

/** Creates a folder and its missing parents. Returns the created paths. */
export const makeDirectories = (changes: FileChanges, path: string): Promise<string[]> => make(changes, path, () => {})

async function make(changes: FileChanges, path: string, check: (place: ResolvedEntry) => void): Promise<string[]> {
  return changes.runChange(path, changes.paths.walk(path), async (place, createdFolders) => {
    if (place.stat?.isDirectory()) return []
    if (place.stat) throw fileExistsError(path)
    check(place)
    const reached = await changes.createMissingFolders(place, createdFolders)
    try {
      await changes.awaitIntent()
      await changes.commitChange({
        changes: [folderCreatedChange(reached.path)],
        createdFolders,
        apply: () => mkdirSync(reached.accessPath),
        revert: () => rmdirSync(reached.accessPath),
        folders: [reached.parentFd]
      })
      return [...createdFolders, reached.path]
    } finally {
      reached.close()
    }
  })
}
