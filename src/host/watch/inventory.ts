// What is known of every entry of a workspace that is not ignored: enough to tell that one is no longer as it was.
import type { StatSnapshot } from './stat-snapshot.ts'
import { joinPath, splitPath } from './workspace-tree.ts'

export interface KnownEntry extends StatSnapshot {
  /** Of the content, where it was read. */
  hash?: string | undefined
  /** It was looked at so soon after a change that a further one may not have shown: only its content tells. */
  isRacy?: boolean
}

export class Inventory {
  // By folder, so that no path is kept whole.
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

  /** Forgets one entry; of a folder, what is in it has to be forgotten too. */
  delete(path: string) {
    const { folder, name } = splitPath(path)
    const names = this.#folders.get(folder)
    names?.delete(name)
    if (names?.size === 0 && folder !== '.') this.#folders.delete(folder)
  }

  /** Everything right in a folder. */
  childrenOf(folder: string): string[] {
    return [...(this.#folders.get(folder)?.keys() ?? [])].map(name => joinPath(folder, name))
  }

  /** Everything beneath a folder. */
  descendantsOf(folder: string): string[] {
    const found = this.childrenOf(folder)
    for (const path of found) if (this.#folders.has(path)) found.push(...this.childrenOf(path))
    return found
  }

  /** Everything that is known. */
  *paths(): Generator<string> {
    for (const [folder, names] of this.#folders) for (const name of names.keys()) yield joinPath(folder, name)
  }

  /** Every folder that something is known in. */
  folders(): string[] {
    return [...this.#folders.keys()]
  }
}
