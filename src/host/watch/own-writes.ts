// What our own calls left in a workspace, until the watcher has reported it: by this it is known as ours.
import type { Change } from '../host.ts'
import type { Inventory, Known } from './inventory.ts'
import { type Seen, see } from './stat-snapshot.ts'
import type { Tree } from './workspace-tree.ts'

/** A file that was gone again before it could be looked at. Nothing is the same as this. */
const GONE_AGAIN: Seen = { kind: 'file', mode: 0, ino: -1, size: -1, mtime: -1, ctime: -1 }

export class OwnChanges {
  readonly #tree: Tree
  readonly #inventory: Inventory
  // Undefined where we left nothing.
  #left = new Map<string, Known | undefined>()
  /** What is being held against what the watcher reported. */
  #taken: ReadonlyMap<string, Known | undefined> = new Map()

  constructor(tree: Tree, inventory: Inventory) {
    this.#tree = tree
    this.#inventory = inventory
  }

  /** Notes a change that has just been made. */
  add(change: Change) {
    const { path, operation, from, after_hash } = change
    if (operation === 'moved' && from !== undefined) this.#move(from, path)
    const seen = operation === 'deleted' ? undefined : (this.#see(path) ?? GONE_AGAIN)
    // Somebody may have written to it since, in the same instant: its hash will tell.
    this.#left.set(path, seen && { ...seen, hash: after_hash, unsure: after_hash !== undefined })
  }

  /** Begins to hold what was noted until now against what was reported, which covers all of it. */
  take() {
    this.#taken = this.#left
    this.#left = new Map()
  }

  /** Holds what was taken of a path until the next time: it was not looked at yet. */
  keep(path: string) {
    if (this.#taken.has(path) && !this.#left.has(path)) this.#left.set(path, this.#taken.get(path))
  }

  /** Whether we have changed the path since the rest was taken. */
  isRecent(path: string): boolean {
    return this.#left.has(path)
  }

  /** Whether we have changed the path. */
  has(path: string): boolean {
    return this.#left.has(path) || this.#taken.has(path)
  }

  /** All that we have changed. */
  paths(): string[] {
    return [...this.#left.keys(), ...this.#taken.keys()]
  }

  /** What is known to be at a path: what we left, or what was there before. */
  known(path: string): Known | undefined {
    if (this.#left.has(path)) return this.#left.get(path)
    return this.#taken.has(path) ? this.#taken.get(path) : this.#inventory.get(path)
  }

  // All in a folder goes with it.
  #move(from: string, to: string) {
    const marked = this.paths().filter(path => path.startsWith(`${from}/`))
    for (const path of new Set([...this.#inventory.beneath(from), ...marked])) {
      const known = this.known(path)
      this.#left.set(path, undefined)
      if (known) this.#left.set(to + path.slice(from.length), known)
    }
    this.#left.set(from, undefined)
  }

  #see(path: string) {
    try {
      return see(this.#tree.absolute(path))
    } catch {
      return undefined
    }
  }
}
