// Inventory of all entries of a workspace that are not ignored, with enough state to detect changes.
import type { StatSnapshot } from './stat-snapshot.ts'
import { joinPath, splitPath } from './workspace-tree.ts'

export interface KnownEntry extends StatSnapshot {
  /** Hash of the content, if it was read. */
  hash?: string | undefined
  /** Inspected so soon after a change that a further one may have gone unnoticed: only the content decides. */
  isRacy?: boolean
}

export class Inventory {
  // Grouped by folder, so that no full path is stored.
  readonly #folders = new Map<string, Map<string, KnownEntry>>([['.', new Map()]])

  get(path: string): KnownEntry | undefined {
    const { folder, name } = splitPath(path)
    return this.#folders.get(folder)?.get(name)
  }

  set(path: string, known: KnownEntry) {
    const { folder, name } = splitPath(path)
    let names = this.#folders.get(folder)
    if (!names) {
      names = new Map()
      this.#folders.set(folder, names)
    }
    names.set(name, known)
  }

  /** Removes one entry; the descendants of a folder have to be removed separately. */
  delete(path: string) {
    const { folder, name } = splitPath(path)
    const names = this.#folders.get(folder)
    names?.delete(name)
    if (names?.size === 0 && folder !== '.') this.#folders.delete(folder)
  }

  clear() {
    this.#folders.clear()
    this.#folders.set('.', new Map())
  }

  /** Returns the direct children of a folder. */
  childrenOf(folder: string): string[] {
    return [...(this.#folders.get(folder)?.keys() ?? [])].map(name => joinPath(folder, name))
  }

  /** Returns all descendants of a folder. */
  descendantsOf(folder: string): string[] {
    const found = this.childrenOf(folder)
    for (const path of found) if (this.#folders.has(path)) found.push(...this.childrenOf(path))
    return found
  }

  /** Yields all known paths. */
  *paths(): Generator<string> {
    for (const [folder, names] of this.#folders) for (const name of names.keys()) yield joinPath(folder, name)
  }

  /** Returns all folders with known entries. */
  folders(): string[] {
    return [...this.#folders.keys()]
  }
}
