// What is known of every entry of a workspace that is not ignored: enough to tell that one is no longer as it was.
import type { Seen } from './stat-snapshot.ts'
import { below, split } from './workspace-tree.ts'

export interface Known extends Seen {
  /** Of the content, where it was read. */
  hash?: string | undefined
  /** It was looked at so soon after a change that a further one may not have shown: only its content tells. */
  unsure?: boolean
}

export class Inventory {
  // By folder, so that no path is kept whole.
  readonly #folders = new Map<string, Map<string, Known>>([['.', new Map()]])

  get(path: string): Known | undefined {
    const { folder, name } = split(path)
    return this.#folders.get(folder)?.get(name)
  }

  set(path: string, known: Known) {
    const { folder, name } = split(path)
    let names = this.#folders.get(folder)
    if (!names) {
      names = new Map()
      this.#folders.set(folder, names)
    }
    names.set(name, known)
  }

  /** Forgets one entry; of a folder, what is in it has to be forgotten too. */
  delete(path: string) {
    const { folder, name } = split(path)
    const names = this.#folders.get(folder)
    names?.delete(name)
    if (names?.size === 0 && folder !== '.') this.#folders.delete(folder)
  }

  /** Everything right in a folder. */
  in(folder: string): string[] {
    return [...(this.#folders.get(folder)?.keys() ?? [])].map(name => below(folder, name))
  }

  /** Everything beneath a folder. */
  beneath(folder: string): string[] {
    const found = this.in(folder)
    for (const path of found) if (this.#folders.has(path)) found.push(...this.in(path))
    return found
  }

  /** Everything that is known. */
  *paths(): Generator<string> {
    for (const [folder, names] of this.#folders) for (const name of names.keys()) yield below(folder, name)
  }

  /** Every folder that something is known in. */
  folders(): string[] {
    return [...this.#folders.keys()]
  }
}
