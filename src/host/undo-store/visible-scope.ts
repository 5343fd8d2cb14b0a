// Scope of the snapshot before a command that is tracked: all that is not ignored. Where the workspace is watched, its entries are
// known without a walk.
import { ToolError } from '../../errors.ts'
import { isEditorTempFile } from '../watch/editor-temp-files.ts'
import type { WatchedEntries } from '../watch/external-changes.ts'
import type { WorkspaceTree } from '../watch/workspace-tree.ts'
import type { EntryVisitor, SnapshotScope } from './snapshot.ts'

export class VisibleScope implements SnapshotScope {
  readonly #tree: WorkspaceTree
  readonly #watched: WatchedEntries
  readonly #maxWalked: number

  /** `maxWalked`: number of entries that a walk may visit. */
  constructor(tree: WorkspaceTree, watched: WatchedEntries, maxWalked = Number.POSITIVE_INFINITY) {
    this.#tree = tree
    this.#watched = watched
    this.#maxWalked = maxWalked
  }

  /** Throws TOO_LARGE if the workspace is not watched and has too many entries for a walk. */
  async walk(visit: EntryVisitor): Promise<string[]> {
    if (await this.#watched.visit(visit)) return []
    let visited = 0
    try {
      return await this.#tree.walk((path, seen) => {
        if (isEditorTempFile(path)) return
        visited += 1
        if (visited > this.#maxWalked) throw new WalkLimitReached()
        visit(path, seen)
      })
    } catch (error) {
      if (error instanceof WalkLimitReached) throw tooManyEntriesError(this.#maxWalked)
      throw error
    }
  }
}

/** Ends a walk: the tree takes any ToolError for a folder that may not be read. */
class WalkLimitReached extends Error {}

const tooManyEntriesError = (most: number) =>
  new ToolError(
    'TOO_LARGE',
    `The workspace has more than ${most} files and folders that are not ignored, so its changes are not tracked by default. To track them, call with \`track_changes: true\`.`
  )
