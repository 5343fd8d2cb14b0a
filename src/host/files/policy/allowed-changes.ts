// The paths that policy allowed a call to change. Changes must be at or below these paths, or be folders above them; without a
// policy decision, as when the host is used by itself, all are allowed.
import { listAncestors } from '../../../text/ancestors.ts'

export class AllowedChanges {
  #isRestricted = false
  readonly #paths = new Set<string>()
  readonly #trees = new Set<string>()
  readonly #above = new Set<string>()

  /** Revokes what was allowed before: the call is evaluated again. */
  restrict() {
    this.#isRestricted = true
    for (const paths of [this.#paths, this.#trees, this.#above]) paths.clear()
  }

  /** Allows changes of a canonical path, also by the name it was given by; with `tree`, of its descendants too. */
  add(path: string, { given, tree }: { given: string; tree: boolean }) {
    for (const each of [path, given]) this.#paths.add(each)
    if (tree) this.#trees.add(path)
    for (const folder of listAncestors(path)) this.#above.add(folder)
  }

  /** Checks if the entry at a canonical path, or the target of `given`, may be changed. */
  has(path: string, given: string): boolean {
    if (!this.#isRestricted || this.#paths.has(path) || this.#paths.has(given)) return true
    return this.#trees.size > 0 && [path, ...listAncestors(path)].some(folder => this.#trees.has(folder))
  }

  /** Checks if a folder may be created there. */
  hasFolder(path: string, given: string): boolean {
    return this.has(path, given) || this.#above.has(path)
  }
}
