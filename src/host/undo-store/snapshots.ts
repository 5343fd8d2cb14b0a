// Tracks the file changes of commands, so that they are reported for their calls and can be undone. Files are compared before and
// after: changes of concurrent commands, or of a concurrent manual edit, cannot be attributed.

import type { Change } from '../change.ts'
import type { Effects } from '../effects.ts'
import type { WatchedEntries } from '../watch/external-changes.ts'
import type { WorkspaceTree } from '../watch/workspace-tree.ts'
import { type CoverageOptions, CoverageScope, type DiscardedFolder } from './coverage-scope.ts'
import { PendingChanges } from './pending-changes.ts'
import { Snapshot, type SnapshotBlobs, type SnapshotLimits, type SnapshotScope } from './snapshot.ts'
import { SnapshotCopies } from './snapshot-copies.ts'
import { VisibleScope } from './visible-scope.ts'

/** Maximum number of entries that are inspected one by one for a command that did not ask to be tracked. */
const MAX_CHEAP_ENTRIES = 10_000
/** Time in milliseconds for storing contents before such a command. What is left is stored before the next ones. */
const CHEAP_COPY_MS = 1_000

/** Coverage of the snapshot taken before a command. */
export interface TrackingResult {
  files: number
  bytes: number
  /** Number of files that are too large, beyond the total limit, or unreadable. */
  not_covered: number
  /** Another tracked command ran at the same time. */
  shared: boolean
}

/** Tracking of one command. */
export interface Tracking {
  /** Reports the changes since the start as changes of the call. */
  finish(): Promise<TrackingResult>
}

/** Tracking of a command of which undo holds all that it can change. */
export interface Coverage extends Tracking {
  /** Files and folders that undo does not hold, so that the command may not change them: relative to the root. */
  readOnly: readonly string[]
  /** Files and folders that the command may not read either. */
  hidden: readonly string[]
  /** Folders in which what the command changes is discarded. */
  discarded: readonly DiscardedFolder[]
}

export class Snapshots {
  readonly #tree: WorkspaceTree
  readonly #copies: SnapshotCopies
  readonly #limits: SnapshotLimits
  readonly #blobs: SnapshotBlobs
  readonly #watched: WatchedEntries
  /** Snapshots of running commands, and if another one ran at the same time. */
  readonly #running = new Map<Snapshot, { shared: boolean }>()
  readonly #pendingChanges = new PendingChanges()
  /** One command's changes are reported before the next one's are computed. */
  #finishing: Promise<unknown> = Promise.resolve()

  constructor(
    tree: WorkspaceTree,
    folder: string,
    limits: SnapshotLimits,
    together: { blobs: SnapshotBlobs; watched: WatchedEntries }
  ) {
    this.#tree = tree
    this.#copies = new SnapshotCopies(folder)
    this.#limits = limits
    this.#blobs = together.blobs
    this.#watched = together.watched
  }

  /** Inspects all visible files and stores those that are not stored yet. */
  async begin(effects: Effects): Promise<Tracking> {
    const { finish } = await this.#begin(effects, new VisibleScope(this.#tree, this.#watched))
    return { finish }
  }

  /**
   * The same with bounds: throws TOO_LARGE if the workspace is not watched and has too many entries, and stores contents for a second
   * at most, those of the files that were changed last first.
   */
  async beginIfCheap(effects: Effects): Promise<Tracking> {
    const scope = new VisibleScope(this.#tree, this.#watched, MAX_CHEAP_ENTRIES)
    const { finish } = await this.#begin(effects, scope, CHEAP_COPY_MS)
    return { finish }
  }

  /**
   * Inspects all files, ignored ones too, and stores those that are not stored yet. Throws SANDBOX_UNAVAILABLE if too much of the
   * workspace would have to be read-only.
   */
  async cover(effects: Effects, options: CoverageOptions): Promise<Coverage> {
    const scope = new CoverageScope(this.#tree, this.#limits, options)
    const restoreRoot = this.#tree.keepRootMode()
    const { snapshot, finish } = await this.#begin(effects, scope)
    try {
      scope.restrict(snapshot.findNotCovered())
      return {
        readOnly: scope.readOnly,
        hidden: scope.hidden,
        discarded: scope.discarded,
        finish: () => {
          restoreRoot()
          return finish()
        }
      }
    } catch (error) {
      await finish()
      throw error
    }
  }

  async #begin({ signal, recordChange }: Effects, scope: SnapshotScope, copy_ms = Number.POSITIVE_INFINITY) {
    const release = await this.#watched.pauseReporting()
    if (this.#running.size === 0 && this.#copies.size > 2 * this.#limits.max_bytes) this.#copies.clear()
    const snapshot = new Snapshot(this.#tree, scope, this.#copies, this.#limits)
    const state = { shared: this.#running.size > 0 }
    for (const other of this.#running.values()) other.shared = true
    this.#running.set(snapshot, state)
    try {
      await snapshot.take(signal, copy_ms)
      return { snapshot, finish: () => this.#finish(snapshot, state, { release, recordChange }) }
    } catch (error) {
      this.#running.delete(snapshot)
      release()
      throw error
    }
  }

  #finish(
    snapshot: Snapshot,
    state: { shared: boolean },
    { release, recordChange }: Pick<Effects, 'recordChange'> & { release: () => void }
  ): Promise<TrackingResult> {
    const report = async () => {
      try {
        const changes = await snapshot.changes(this.#blobs, this.#pendingChanges)
        this.#running.delete(snapshot)
        for (const change of changes) recordChange(change)
      } finally {
        this.#running.delete(snapshot)
        release()
      }
      const { files, bytes, not_covered } = snapshot
      return { files, bytes, not_covered, shared: state.shared }
    }
    const finished = this.#finishing.then(report)
    this.#finishing = finished.catch(() => {})
    return finished
  }

  /** Records that a call is about to change these paths through the server; see `Effects.beginChange`. */
  beginOtherChange(paths: readonly string[]): () => void {
    return this.#pendingChanges.begin(paths)
  }

  /** Records a change that a call has just made through the server. */
  noteOtherChange(change: Change) {
    for (const snapshot of this.#running.keys()) snapshot.noteOtherChange(change)
  }

  close() {
    this.#copies.clear()
  }
}
