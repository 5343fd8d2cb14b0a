// Reports external changes in a workspace: by an editor, a command, git. Watcher events are debounced, then the paths are
// inspected and compared with the known state. Changes by the server's own calls are recorded before the watcher reports them,
// and so never reported here.

import type { Change } from '../change.ts'
import type { PathGuard } from '../files/policy/path-policy.ts'
import { mapConcurrently, TimeSlicer } from '../files/time-slicing.ts'
import type { Workspace } from '../workspace.ts'
import { ContentHashes } from './content-hashes.ts'
import { isEditorTempFile } from './editor-temp-files.ts'
import { Inventory, type KnownEntry } from './inventory.ts'
import { OwnWrites } from './own-writes.ts'
import { isOlder, isRacySnapshot, isSameSnapshot, type StatSnapshot } from './stat-snapshot.ts'
import { orderChanges, type TreeDifference, toChange } from './tree-diff.ts'
import { WatchScope } from './watch-scope.ts'
import type { WatchEvents, Watcher } from './watcher.ts'
import { WorkspaceTree } from './workspace-tree.ts'

const QUIET_MS = 100
const MAX_DELAY_MS = 1_000
/** Maximum number of changes reported at once; the next follow only when those are durable. */
const BATCH = 256
/** Maximum number of concurrent reads, to leave disk bandwidth to others. */
const MAX_CONCURRENT_READS = 2

export interface ExternalChangeListener {
  /** Receives changes; the next are reported once this has resolved. */
  onChanges(workspace: string, changes: Change[]): Promise<void>
  /** Checks if a running call may be changing the path. It is inspected again when the call has ended. */
  isInFlight(workspace: string, path: string): boolean
  /** Called when reporting has stopped, until `onResumed`. */
  onStopped(workspace: string, why: string): void
  /** Called when changes are reported again: those in between were not. */
  onResumed(workspace: string): void
}

/** The beginning of a comparison, before any snapshot of it: the time of files, and that of events. */
interface Moment {
  takenAt: number
  now: number
}

export class ExternalChangeTracker {
  readonly #name: string
  readonly #watcher: Watcher
  readonly #listener: ExternalChangeListener
  readonly #tree: WorkspaceTree
  readonly #inventory = new Inventory()
  readonly #ownWrites: OwnWrites
  readonly #scope: WatchScope
  readonly #contents: ContentHashes
  #unsubscribe: () => void = () => {}
  /** Paths to inspect, with the time of their first event. */
  #pending = new Map<string, number>()
  /** Folders that are new or were replaced. */
  #newFolders = new Set<string>()
  #isInvalidated = false
  /** Time of the last complete comparison. */
  #comparedAt = 0
  #isReady = false
  #closed = false
  #stopReason: string | undefined
  /** Increases with each start, and with each stop. */
  #starts = 0
  #pauses = 0
  #firstEventAt: number | undefined
  #timer: NodeJS.Timeout | undefined
  #comparing: Promise<void> | undefined

  constructor(workspace: Workspace, guard: PathGuard, watcher: Watcher, hearer: ExternalChangeListener) {
    this.#name = workspace.name
    this.#watcher = watcher
    this.#listener = hearer
    this.#tree = new WorkspaceTree(workspace, guard)
    this.#ownWrites = new OwnWrites(this.#tree, this.#inventory)
    this.#contents = new ContentHashes(this.#tree)
    this.#scope = new WatchScope(this.#tree, watcher)
  }

  /** True while changes are reported: not before all files were inspected once. */
  get isReporting(): boolean {
    return this.#isReady && this.#watcher.isLive && !this.#closed
  }

  /** Reason why reporting has stopped, if it has. */
  get stopReason(): string | undefined {
    return this.#stopReason
  }

  /** Resolves once changes are reported, or the watcher cannot watch everything. */
  async start(): Promise<void> {
    try {
      await this.#watcher.start()
      // Not earlier: the watcher's first events describe what existed before.
      this.#unsubscribe = this.#watcher.subscribe(news => this.#onEvents(news))
      if (this.#watcher.isLive) await this.#begin()
      else this.#suspend()
    } catch (error) {
      this.#fail(error)
    }
  }

  /** Inspects everything once, and compares with that from then on. */
  async #begin() {
    const start = ++this.#starts
    this.#inventory.clear()
    this.#ownWrites.clear()
    await this.#tree.walk((path, seen) => {
      if (isEditorTempFile(path) || start !== this.#starts) return
      this.#inventory.set(path, isRacySnapshot(seen) ? { ...seen, isRacy: true } : seen)
    })
    if (start !== this.#starts) return
    this.#comparedAt = Date.now()
    this.#isReady = true
    this.#schedule()
  }

  /** Records a change by an own call, which began its changes at `since`. */
  noteOwnChange(change: Change, since: number) {
    if (this.#closed || this.#stopReason !== undefined) return
    // While reporting is paused, the watcher's events may stem from own changes.
    const overtaken = this.#isReady && this.#pauses === 0 ? this.#findOverwritten(change, since) : undefined
    this.#ownWrites.add(change)
    if (overtaken) void this.#listener.onChanges(this.#name, [overtaken])
  }

  /** Reports pending changes, then pauses reporting until the returned function is called. */
  async pauseReporting(): Promise<() => void> {
    const first = this.#pauses === 0
    this.#pauses += 1
    if (first && this.isReporting) await this.#runComparison()
    return () => {
      this.#pauses -= 1
      this.#schedule()
    }
  }

  /**
   * Visits all entries as they are now, known from events instead of a walk. Returns false, without a visit, unless changes are
   * reported and reporting is paused.
   */
  async visitEntries(visit: (path: string, seen: StatSnapshot) => void): Promise<boolean> {
    await this.#watcher.settled()
    // A comparison has taken its paths, but has not updated the inventory yet.
    await this.#comparing
    if (!this.isReporting || this.#isInvalidated || this.#pauses === 0) return false
    const touched = await this.#snapshotPaths(
      new Set([...this.#pending.keys(), ...this.#ownWrites.paths()]),
      this.#newFolders
    )
    const slices = new TimeSlicer()
    for (const path of this.#inventory.paths()) {
      if (!touched.has(path)) visit(path, this.#inventory.get(path)!)
      await slices.yieldIfDue()
    }
    for (const [path, seen] of touched) if (seen && this.#scope.classify(path, seen) !== 'ignored') visit(path, seen)
    return true
  }

  close() {
    this.#closed = true
    clearTimeout(this.#timer)
    this.#unsubscribe()
  }

  /** Stops until the watcher is live again: what it knows is outdated then. */
  #suspend() {
    if (this.#closed || this.#stopReason !== undefined) return
    this.#starts += 1
    this.#isReady = false
    clearTimeout(this.#timer)
    this.#forgetEvents()
    this.#stopReason = this.#watcher.stopReason ?? 'The folder is no longer watched.'
    this.#listener.onStopped(this.#name, this.#stopReason)
  }

  #resume() {
    this.#stopReason = undefined
    this.#listener.onResumed(this.#name)
    this.#begin().catch(error => this.#fail(error))
  }

  #fail(error: unknown) {
    if (this.#closed) return
    this.close()
    this.#stopReason = `The files could not be read: ${(error as Error).message}`
    this.#listener.onStopped(this.#name, this.#stopReason)
  }

  #onEvents({ paths, folders, gone, everything }: WatchEvents) {
    if (!this.#watcher.isLive) return this.#suspend()
    // Everything is reported as changed then, and is what it begins with.
    if (this.#stopReason !== undefined) return this.#resume()
    const now = performance.now()
    if (everything) this.#isInvalidated = true
    for (const path of [...paths, ...gone]) if (!this.#pending.has(path)) this.#pending.set(path, now)
    const replaced = new Set(gone)
    for (const folder of folders) if (replaced.has(folder) || !this.#isKnownFolder(folder)) this.#newFolders.add(folder)
    this.#firstEventAt ??= now
    this.#schedule()
  }

  /** Returns true for a folder that was inspected before: of what is in it, only what is reported has changed. */
  #isKnownFolder(folder: string): boolean {
    return folder === '.' || this.#inventory.get(folder)?.kind === 'directory'
  }

  #schedule() {
    if (!this.#isReady || this.#closed || this.#comparing || this.#pauses > 0 || this.#firstEventAt === undefined)
      return
    const ms = Math.min(QUIET_MS, this.#firstEventAt + MAX_DELAY_MS - performance.now())
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#runComparison(), Math.max(0, ms)).unref()
  }

  #runComparison(): Promise<void> {
    clearTimeout(this.#timer)
    this.#comparing ??= this.#compare()
      .catch(error => this.#fail(error))
      .finally(() => {
        this.#comparing = undefined
        if (this.#pending.size > 0) this.#firstEventAt ??= performance.now()
        this.#schedule()
      })
    return this.#comparing
  }

  async #compare() {
    await this.#watcher.settled()
    if (!this.isReporting) return
    const heard = this.#pending
    const [folders, everything, before] = [this.#newFolders, this.#isInvalidated, this.#comparedAt]
    this.#forgetEvents()
    const moment = { takenAt: Date.now(), now: performance.now() }
    this.#comparedAt = moment.takenAt
    this.#ownWrites.beginComparison()
    const seen = await this.#snapshotPaths(heard.keys(), everything ? this.#allFolders() : folders)
    const found: TreeDifference<KnownEntry>[] = []
    const slices = new TimeSlicer()
    for (const [path, now] of seen) {
      const difference = await this.#findDifference(path, now, { ...moment, heard: heard.get(path) })
      if (difference) found.push(difference)
      await slices.yieldIfDue()
    }
    const differences = orderChanges(found)
    for (const each of differences) this.#updateInventory(each, moment)
    // After a change of rules, entries that become visible may have existed before.
    const known = (each: TreeDifference) => everything && wasThere(each, before)
    await this.#report(differences.filter(each => !known(each)))
  }

  #forgetEvents() {
    this.#pending = new Map()
    this.#newFolders = new Set()
    this.#isInvalidated = false
    this.#firstEventAt = undefined
  }

  #allFolders() {
    return new Set([...this.#inventory.folders(), ...this.#watcher.folders()])
  }

  /** Takes snapshots of these paths, of the entries of these folders, and of deleted folders. */
  async #snapshotPaths(
    paths: Iterable<string>,
    folders: ReadonlySet<string>
  ): Promise<Map<string, StatSnapshot | undefined>> {
    const found = new Map<string, StatSnapshot | undefined>()
    let next = new Set(paths)
    for (const folder of folders) {
      next.add(folder)
      for (const path of [...(await this.#tree.listFolder(folder)), ...this.#inventory.childrenOf(folder)])
        next.add(path)
    }
    next.delete('.')
    while (next.size > 0) {
      const inner = new Set<string>()
      await this.#tree.visitPaths(next, (path, seen) => {
        found.set(path, seen)
        if (this.#inventory.get(path)?.kind !== 'directory') return
        if (seen?.kind === 'directory' && this.#scope.classify(path, seen) === 'shown') return
        for (const each of this.#inventory.childrenOf(path)) if (!found.has(each) && !next.has(each)) inner.add(each)
      })
      next = inner
    }
    return found
  }

  /**
   * Returns a path's external difference from the known state, if there is one and it is certain by now. All paths of a comparison
   * are judged by the moment it began, however long it takes: an earlier change is never reported after a later one.
   */
  async #findDifference(
    path: string,
    seen: StatSnapshot | undefined,
    { takenAt, now, heard }: Moment & { heard: number | undefined }
  ): Promise<TreeDifference<KnownEntry> | undefined> {
    const known = this.#ownWrites.known(path)
    if (!known && !seen) return void this.#inventory.delete(path)
    const where = seen ? this.#scope.classify(path, seen) : 'shown'
    if (where === 'ignored') return void this.#inventory.delete(path)
    // The watcher will report it once it is watched.
    if (where === 'not watched' && !known) return undefined
    // Only with an event can a change have happened without leaving a trace.
    if (heard === undefined && known && seen && isSameSnapshot(known, seen))
      return void this.#inventory.set(path, known)
    const since = heard ?? now
    const young = now - since < MAX_DELAY_MS
    const unsettled = where === 'not watched' || (seen?.kind === 'file' && isRacySnapshot(seen, takenAt))
    const changing = this.#ownWrites.isRecent(path) || this.#listener.isInFlight(this.#name, path)
    if ((young && unsettled) || changing) {
      if (!this.#pending.has(path)) this.#pending.set(path, since)
      this.#ownWrites.carryOver(path)
      return undefined
    }
    if (known && seen && isSameSnapshot(known, seen) && (await this.#contents.isSame(path, known, seen))) {
      this.#inventory.set(path, { ...known, ...seen, isRacy: false })
      return undefined
    }
    return { path, before: known, after: seen }
  }

  #updateInventory({ path, from, after }: TreeDifference<KnownEntry>, { takenAt }: Moment) {
    if (from !== undefined) {
      for (const inner of this.#inventory.descendantsOf(from)) {
        this.#inventory.set(path + inner.slice(from.length), this.#inventory.get(inner)!)
        this.#inventory.delete(inner)
      }
      this.#inventory.delete(from)
    }
    if (after) this.#inventory.set(path, isRacySnapshot(after, takenAt) ? { ...after, isRacy: true } : after)
    else this.#inventory.delete(path)
  }

  async #report(differences: readonly TreeDifference<KnownEntry>[]) {
    for (let at = 0; at < differences.length && !this.#closed; at += BATCH) {
      const slices = new TimeSlicer()
      const changes = await mapConcurrently(differences.slice(at, at + BATCH), MAX_CONCURRENT_READS, async each => {
        await slices.yieldIfDue()
        return this.#describeChange(each)
      })
      const described = changes.filter(change => change !== undefined)
      if (described.length > 0) await this.#listener.onChanges(this.#name, described)
    }
  }

  /** Describes a change; undefined if the file was only touched. */
  async #describeChange(difference: TreeDifference<KnownEntry>): Promise<Change | undefined> {
    const { path, before, after } = difference
    const change = toChange(difference)
    const before_hash = before?.hash
    const after_hash = after && (await this.#contents.hash(path, after))
    const known = this.#inventory.get(path)
    if (after_hash !== undefined && known && isSameSnapshot(known, after!))
      this.#inventory.set(path, { ...known, hash: after_hash })
    const touched = change.operation === 'modified' && after_hash !== undefined && after_hash === before_hash
    if (touched && change.after_mode === undefined) return undefined
    return this.#contents.withHashes(change, before_hash, after_hash)
  }

  /** Finds an external change that an own call has overwritten before it was reported. */
  #findOverwritten({ path, before_hash }: Change, since: number): Change | undefined {
    if (before_hash === undefined) return undefined
    const known = this.#ownWrites.known(path)
    const heardBefore = !this.#ownWrites.has(path) && (this.#pending.get(path) ?? since) < since
    if (known?.hash === undefined ? !heardBefore : known.hash === before_hash) return undefined
    if (this.#scope.classify(path, known ?? PLACEHOLDER_FILE) !== 'shown') return undefined
    return this.#contents.withHashes({ path, operation: known ? 'modified' : 'created' }, known?.hash, before_hash)
  }
}

const PLACEHOLDER_FILE: StatSnapshot = { kind: 'file', mode: 0, ino: 0, size: 0, ctime: 0, mtime: 0 }

/** Checks if a new entry was created before that time. */
const wasThere = ({ from, before, after }: TreeDifference, time: number) =>
  from === undefined && !before && after !== undefined && isOlder(after, time)
