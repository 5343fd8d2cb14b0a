// Follows what commands change in a workspace, so that their calls can tell it as theirs and have it undone. It compares
// the files before and after: of two that run at the same time, or of an edit by hand meanwhile, nobody could tell who
// did what.

import type { Change } from '../change.ts'
import type { Effects } from '../effects.ts'
import type { WorkspaceTree } from '../watch/workspace-tree.ts'
import { Snapshot, type SnapshotBlobs, type SnapshotLimits } from './snapshot.ts'
import { SnapshotCopies } from './snapshot-copies.ts'

/** What was kept before a command ran. */
interface TrackingResult {
  files: number
  bytes: number
  /** Files that are too large, too much together, or may not be read. */
  not_covered: number
  /** Another command was followed at the same time. */
  shared: boolean
}

/** A command being followed. */
export interface Tracking {
  /** Tells what was changed since, as changes of the call. */
  finish(): Promise<TrackingResult>
}

export class Snapshots {
  readonly #tree: WorkspaceTree
  readonly #copies: SnapshotCopies
  readonly #limits: SnapshotLimits
  readonly #blobs: SnapshotBlobs
  readonly #pauseReporting: () => Promise<() => void>
  /** Those of commands that run; whether another ran at the same time. */
  readonly #running = new Map<Snapshot, { shared: boolean }>()
  /** One command's changes are told before the next one's are looked for. */
  #finishing: Promise<unknown> = Promise.resolve()

  /** `hold` keeps changes from being told as somebody else's until what it gives is called. */
  constructor(
    tree: WorkspaceTree,
    folder: string,
    limits: SnapshotLimits,
    together: { keeper: SnapshotBlobs; hold: () => Promise<() => void> }
  ) {
    this.#tree = tree
    this.#copies = new SnapshotCopies(folder)
    this.#limits = limits
    this.#blobs = together.keeper
    this.#pauseReporting = together.hold
  }

  /** Looks at all files, and keeps what is not kept yet. */
  async begin({ signal, recordChange }: Effects): Promise<Tracking> {
    const release = await this.#pauseReporting()
    if (this.#running.size === 0 && this.#copies.size > 2 * this.#limits.max_bytes) this.#copies.clear()
    const snapshot = new Snapshot(this.#tree, this.#copies, this.#limits)
    const state = { shared: this.#running.size > 0 }
    for (const other of this.#running.values()) other.shared = true
    this.#running.set(snapshot, state)
    try {
      await snapshot.take(signal)
    } catch (error) {
      this.#running.delete(snapshot)
      release()
      throw error
    }
    const tell = async () => {
      try {
        const changes = await snapshot.changes(this.#blobs)
        this.#running.delete(snapshot)
        for (const change of changes) recordChange(change)
      } finally {
        this.#running.delete(snapshot)
        release()
      }
      const { files, bytes, not_covered } = snapshot
      return { files, bytes, not_covered, shared: state.shared }
    }
    return {
      finish: () => {
        const told = this.#finishing.then(tell)
        this.#finishing = told.catch(() => {})
        return told
      }
    }
  }

  /** Hears of a change that a call has just made through the server. */
  noteOtherChange(change: Change) {
    for (const snapshot of this.#running.keys()) snapshot.noteOtherChange(change)
  }

  close() {
    this.#copies.clear()
  }
}
