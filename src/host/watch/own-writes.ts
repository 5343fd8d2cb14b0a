// Changes by own calls that the watcher has not reported yet: they identify its events as own.
import type { Change } from '../change.ts'
import type { Inventory, KnownEntry } from './inventory.ts'
import { type StatSnapshot, snapshotEntry } from './stat-snapshot.ts'
import type { WorkspaceTree } from './workspace-tree.ts'

/** A file that was removed before it could be inspected. Never equal to any snapshot. */
const VANISHED: StatSnapshot = { kind: 'file', mode: 0, ino: -1, size: -1, mtime: -1, ctime: -1 }

export class OwnWrites {
  readonly #tree: WorkspaceTree
  readonly #inventory: Inventory
  // Undefined if the path was left empty.
  #pending = new Map<string, KnownEntry | undefined>()
  /** Changes being compared with the watcher's events. */
  #compared: ReadonlyMap<string, KnownEntry | undefined> = new Map()

  constructor(tree: WorkspaceTree, inventory: Inventory) {
    this.#tree = tree
    this.#inventory = inventory
  }

  /** Records a change that has just been made. */
  add(change: Change) {
    const { path, operation, from, after_hash } = change
    if (operation === 'moved' && from !== undefined) this.#move(from, path)
    const seen = operation === 'deleted' ? undefined : (this.#snapshot(path) ?? VANISHED)
    // Another program may have written to it within the same instant: the hash will decide.
    this.#pending.set(path, seen && { ...seen, hash: after_hash, isRacy: after_hash !== undefined })
  }

  clear() {
    this.#pending = new Map()
    this.#compared = new Map()
  }

  /** Starts a comparison of the changes so far with the watcher's events, which cover all of them. */
  beginComparison() {
    this.#compared = this.#pending
    this.#pending = new Map()
  }

  /** Defers a path to the next comparison: it was not inspected yet. */
  carryOver(path: string) {
    if (this.#compared.has(path) && !this.#pending.has(path)) this.#pending.set(path, this.#compared.get(path))
  }

  /** Checks if the path was changed since the comparison began. */
  isRecent(path: string): boolean {
    return this.#pending.has(path)
  }

  /** Checks if an own call has changed the path. */
  has(path: string): boolean {
    return this.#pending.has(path) || this.#compared.has(path)
  }

  /** Returns all paths changed by own calls. */
  paths(): string[] {
    return [...this.#pending.keys(), ...this.#compared.keys()]
  }

  /** Returns the known state of a path: as left by an own call, or as before. */
  known(path: string): KnownEntry | undefined {
    if (this.#pending.has(path)) return this.#pending.get(path)
    return this.#compared.has(path) ? this.#compared.get(path) : this.#inventory.get(path)
  }

  // The descendants of a folder move with it.
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
