// Decides if changes of a path are reported, by its name and the watcher's ignore rules.
import { isEditorTempFile } from './editor-temp-files.ts'
import type { StatSnapshot } from './stat-snapshot.ts'
import type { Watcher } from './watcher.ts'
import { splitPath, type WorkspaceTree } from './workspace-tree.ts'

type WatchStatus = 'shown' | 'ignored' | 'not watched'

const FOLDER: StatSnapshot = { kind: 'directory', mode: 0, ino: 0, size: 0, ctime: 0, mtime: 0 }

export class WatchScope {
  readonly #tree: WorkspaceTree
  readonly #watcher: Watcher

  constructor(tree: WorkspaceTree, watcher: Watcher) {
    this.#tree = tree
    this.#watcher = watcher
  }

  classify(path: string, seen: StatSnapshot): WatchStatus {
    if (isEditorTempFile(path)) return 'ignored'
    const { folder } = splitPath(path)
    const rules = this.#watcher.rulesIn(folder)
    if (!rules) return this.#isIgnored(folder) ? 'ignored' : 'not watched'
    if (!this.#tree.isVisible(path, seen, rules)) return 'ignored'
    return seen.kind !== 'directory' || this.#watcher.rulesIn(path) ? 'shown' : 'not watched'
  }

  /** Checks if an unwatched folder is ignored, by the rules of its nearest watched ancestor. */
  #isIgnored(path: string): boolean {
    if (path === '.') return false
    const { folder } = splitPath(path)
    const rules = this.#watcher.rulesIn(folder)
    return rules ? !this.#tree.isVisible(path, FOLDER, rules) : this.#isIgnored(folder)
  }
}
