// The paths that policy allowed a call to change. What is changed together lies at or beneath these, or is a folder above
// them; where no call was judged, as when the host is used by itself, anything does.
import { listAncestors } from '../../../text/ancestors.ts'

export class AllowedChanges {
  #isRestricted = false
  readonly #paths = new Set<string>()
  readonly #trees = new Set<string>()
  readonly #above = new Set<string>()

  /** The call is judged anew: what was allowed before is not any more. */
  restrict() {
    this.#isRestricted = true
    for (const paths of [this.#paths, this.#trees, this.#above]) paths.clear()
  }

  /** Allows to change a canonical path, also by the name it was given by; with `tree`, all beneath it too. */
  add(path: string, { given, tree }: { given: string; tree: boolean }) {
    for (const each of [path, given]) this.#paths.add(each)
    if (tree) this.#trees.add(path)
    for (const folder of listAncestors(path)) this.#above.add(folder)
  }

  /** Whether what is at a canonical path may be changed, or what `given` leads to. */
  has(path: string, given: string): boolean {
    if (!this.#isRestricted || this.#paths.has(path) || this.#paths.has(given)) return true
    return this.#trees.size > 0 && [path, ...listAncestors(path)].some(folder => this.#trees.has(folder))
  }

  /** Whether a folder may be made there. */
  hasFolder(path: string, given: string): boolean {
    return this.has(path, given) || this.#above.has(path)
  }
}
