// Whether a path belongs to what is told of a workspace, by its name and the ignore rules that the watcher holds.
import { fold, NamePatterns } from '../files/policy/name-patterns.ts'
import { EDITOR_NAMES } from '../files/policy/sensitive-names.ts'
import type { Seen } from './stat-snapshot.ts'
import type { Watcher } from './watcher.ts'
import { split, type Tree } from './workspace-tree.ts'

const OF_EDITORS = new NamePatterns(EDITOR_NAMES)

type Where = 'shown' | 'ignored' | 'not watched'

const FOLDER: Seen = { kind: 'directory', mode: 0, ino: 0, size: 0, ctime: 0, mtime: 0 }

export class Surroundings {
  readonly #tree: Tree
  readonly #watcher: Watcher

  constructor(tree: Tree, watcher: Watcher) {
    this.#tree = tree
    this.#watcher = watcher
  }

  /** Whether it is an editor's own, and told to nobody. */
  isOfEditor(path: string): boolean {
    return OF_EDITORS.covers(fold(path).split('/'))
  }

  where(path: string, seen: Seen): Where {
    if (this.isOfEditor(path)) return 'ignored'
    const { folder } = split(path)
    const rules = this.#watcher.rulesIn(folder)
    if (!rules) return this.#isIgnored(folder) ? 'ignored' : 'not watched'
    if (!this.#tree.shows(path, seen, rules)) return 'ignored'
    return seen.kind !== 'directory' || this.#watcher.rulesIn(path) ? 'shown' : 'not watched'
  }

  /** A folder that is not watched, by the rules of the nearest one that is. */
  #isIgnored(path: string): boolean {
    if (path === '.') return false
    const { folder } = split(path)
    const rules = this.#watcher.rulesIn(folder)
    return rules ? !this.#tree.shows(path, FOLDER, rules) : this.#isIgnored(folder)
  }
}
