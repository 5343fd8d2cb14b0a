// What our own calls left in a workspace, until the watcher has reported it: by this it is known as ours.
import type { Change } from '../change.ts'
import type { Inventory, KnownEntry } from './inventory.ts'
import { type StatSnapshot, snapshotEntry } from './stat-snapshot.ts'
import type { WorkspaceTree } from './workspace-tree.ts'

/** A file that was gone again before it could be looked at. Nothing is the same as this. */
const VANISHED: StatSnapshot = { kind: 'file', mode: 0, ino: -1, size: -1, mtime: -1, ctime: -1 }

export class OwnWrites {
  readonly #tree: WorkspaceTree
  readonly #inventory: Inventory
  // Undefined where we left nothing.
  #pending = new Map<string, KnownEntry | undefined>()
  /** What is being held against what the watcher reported. */
  #compared: ReadonlyMap<string, KnownEntry | undefined> = new Map()

  constructor(tree: WorkspaceTree, inventory: Inventory) {
    this.#tree = tree
    this.#inventory = inventory
  }

  /** Notes a change that has just been made. */
  add(change: Change) {
    const { path, operation, from, after_hash } = change
    if (operation === 'moved' && from !== undefined) this.#move(from, path)
    const seen = operation === 'deleted' ? undefined : (this.#snapshot(path) ?? VANISHED)
    // Somebody may have written to it since, in the same instant: its hash will tell.
    this.#pending.set(path, seen && { ...seen, hash: after_hash, isRacy: after_hash !== undefined })
  }

  /** Begins to hold what was noted until now against what was reported, which covers all of it. */
  beginComparison() {
    this.#compared = this.#pending
    this.#pending = new Map()
  }

  /** Holds what was taken of a path until the next time: it was not looked at yet. */
  carryOver(path: string) {
    if (this.#compared.has(path) && !this.#pending.has(path)) this.#pending.set(path, this.#compared.get(path))
  }

  /** Whether we have changed the path since the rest was taken. */
  isRecent(path: string): boolean {
    return this.#pending.has(path)
  }

  /** Whether we have changed the path. */
  has(path: string): boolean {
    return this.#pending.has(path) || this.#compared.has(path)
  }

  /** All that we have changed. */
  paths(): string[] {
    return [...this.#pending.keys(), ...this.#compared.keys()]
  }

  /** What is known to be at a path: what we left, or what was there before. */
  known(path: string): KnownEntry | undefined {
    if (this.#pending.has(path)) return this.#pending.get(path)
    return this.#compared.has(path) ? this.#compared.get(path) : this.#inventory.get(path)
  }

  // All in a folder goes with it.
  #move(from: string, to: string) {
    const marked = this.paths().filter(path => path.startsWith(`${from}/`))
    for (const path of new Set([...this.#inventory.descendantsOf(from), ...marked])) {
      const known = this.known(path)
      this.#pending.set(path, undefined)
      if (known) this.#pending.set(to + path.slice(from.length), known)
    }
    this.#pending.set(from, undefined)
  }

  #snapshot(path: string) {
    try {
      return snapshotEntry(this.#tree.absolute(path))
    } catch {
      return undefined
    }
  }
}
