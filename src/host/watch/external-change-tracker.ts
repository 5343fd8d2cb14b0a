// Tells what somebody else changes in a workspace: an editor, a command, git. What the watcher reports is gathered until
// it is quiet for a moment, then looked at and held against what is known. What our own calls change is known before the
// watcher reports it, and so is never told here.

import type { Change } from '../change.ts'
import type { PathGuard } from '../files/policy/path-policy.ts'
import { mapConcurrently, TimeSlicer } from '../files/time-slicing.ts'
import type { Workspace } from '../workspace.ts'
import { ContentHashes } from './content-hashes.ts'
import { Inventory, type KnownEntry } from './inventory.ts'
import { OwnWrites } from './own-writes.ts'
import { isRacySnapshot, isSameSnapshot, type StatSnapshot } from './stat-snapshot.ts'
import { orderChanges, type TreeDifference, toChange } from './tree-diff.ts'
import { WatchScope } from './watch-scope.ts'
import type { WatchEvents, Watcher } from './watcher.ts'
import { WorkspaceTree } from './workspace-tree.ts'

const QUIET_MS = 100
const MAX_DELAY_MS = 1_000
/** So many changes are told at once, and no more before those are durable. */
const BATCH = 256
/** Files read at the same time: others want to get at the disk too. */
const MAX_CONCURRENT_READS = 2

export interface ExternalChangeListener {
  /** Hears of changes; the next are told once this has resolved. */
  onChanges(workspace: string, changes: Change[]): Promise<void>
  /** Whether a call that is running may be changing the path. It is looked at again when that has ended. */
  isInFlight(workspace: string, path: string): boolean
  /** Hears that from now on nothing is told any more. */
  onStopped(workspace: string, why: string): void
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
  /** What is to be looked at, and since when. */
  #pending = new Map<string, number>()
  /** Folders that are new, or others than before. */
  #newFolders = new Set<string>()
  #isInvalidated = false
  /** When all that is known was looked at last. */
  #comparedAt = 0
  #isReady = false
  #closed = false
  #stopReason: string | undefined
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

  /** Whether changes are told. Not before all files were looked at once. */
  get isReporting(): boolean {
    return this.#isReady && this.#watcher.isLive && !this.#closed
  }

  /** Why nothing is told any more, if so. */
  get stopReason(): string | undefined {
    return this.#stopReason
  }

  /** Resolves once changes are told, or never will be. */
  async start(): Promise<void> {
    try {
      await this.#watcher.start()
      if (!this.#watcher.isLive) return this.#stop(this.#watcher.stopReason)
      // Not before: the watcher's first news are all that has been there long since.
      this.#unsubscribe = this.#watcher.subscribe(news => this.#onEvents(news))
      await this.#tree.walk((path, seen) => {
        if (this.#scope.isEditorTempFile(path)) return
        this.#inventory.set(path, isRacySnapshot(seen) ? { ...seen, isRacy: true } : seen)
      })
      this.#comparedAt = Date.now()
      this.#isReady = true
      this.#schedule()
    } catch (error) {
      this.#fail(error)
    }
  }

  /** Notes what a call of ours has changed, which began to change things at `since`. */
  noteOwnChange(change: Change, since: number) {
    if (this.#closed) return
    // While nothing is to be told, what the watcher has reported may be ours.
    const overtaken = this.#isReady && this.#pauses === 0 ? this.#findOverwritten(change, since) : undefined
    this.#ownWrites.add(change)
    if (overtaken) void this.#listener.onChanges(this.#name, [overtaken])
  }

  /** Tells what there is to tell, and then nothing more until the returned function is called. */
  async pauseReporting(): Promise<() => void> {
    const first = this.#pauses === 0
    this.#pauses += 1
    if (first && this.isReporting) await this.#runComparison()
    return () => {
      this.#pauses -= 1
      this.#schedule()
    }
  }

  close() {
    this.#closed = true
    clearTimeout(this.#timer)
    this.#unsubscribe()
  }

  #stop(why = 'It is not watched any more.') {
    if (this.#closed) return
    this.close()
    this.#stopReason = why
    this.#listener.onStopped(this.#name, why)
  }

  #fail(error: unknown) {
    this.#stop(`Looking at the files failed: ${(error as Error).message}`)
  }

  #onEvents({ paths, folders, gone, everything }: WatchEvents) {
    if (!this.#watcher.isLive) return this.#stop(this.#watcher.stopReason)
    const now = performance.now()
    if (everything) this.#isInvalidated = true
    for (const path of [...paths, ...gone]) if (!this.#pending.has(path)) this.#pending.set(path, now)
    const replaced = new Set(gone)
    for (const folder of folders)
      if (replaced.has(folder) || this.#inventory.get(folder)?.kind !== 'directory') this.#newFolders.add(folder)
    this.#firstEventAt ??= now
    this.#schedule()
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
    this.#pending = new Map()
    this.#newFolders = new Set()
    this.#isInvalidated = false
    this.#firstEventAt = undefined
    this.#comparedAt = Date.now()
    this.#ownWrites.beginComparison()
    const seen = await this.#snapshotPaths(heard.keys(), everything ? this.#allFolders() : folders)
    const found: TreeDifference<KnownEntry>[] = []
    const slices = new TimeSlicer()
    for (const [path, now] of seen) {
      const difference = await this.#findDifference(path, now, heard.get(path))
      if (difference) found.push(difference)
      await slices.yieldIfDue()
    }
    const differences = orderChanges(found)
    for (const each of differences) this.#updateInventory(each)
    // Where rules changed, what shows now may have been there all along.
    const known = (each: TreeDifference) => everything && isOlder(each, before)
    await this.#report(differences.filter(each => !known(each)))
  }

  #allFolders() {
    return new Set([...this.#inventory.folders(), ...this.#watcher.folders()])
  }

  /** What is at these paths and in these folders now, and in folders that are gone. */
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

  /** How a path differs from what is known of it by what somebody else did, if so and if that is certain by now. `heard`
   * is when the watcher reported it, if it did. */
  async #findDifference(
    path: string,
    seen: StatSnapshot | undefined,
    heard?: number
  ): Promise<TreeDifference<KnownEntry> | undefined> {
    const known = this.#ownWrites.known(path)
    if (!known && !seen) return void this.#inventory.delete(path)
    const where = seen ? this.#scope.classify(path, seen) : 'shown'
    if (where === 'ignored') return void this.#inventory.delete(path)
    // The watcher will report it once it is watched.
    if (where === 'not watched' && !known) return undefined
    // Only where something is said to have happened can it have happened without leaving a trace.
    if (heard === undefined && known && seen && isSameSnapshot(known, seen))
      return void this.#inventory.set(path, known)
    const since = heard ?? performance.now()
    const young = performance.now() - since < MAX_DELAY_MS
    const unsettled = where === 'not watched' || (seen?.kind === 'file' && isRacySnapshot(seen))
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

  #updateInventory({ path, from, after }: TreeDifference<KnownEntry>) {
    if (from !== undefined) {
      for (const inner of this.#inventory.descendantsOf(from)) {
        this.#inventory.set(path + inner.slice(from.length), this.#inventory.get(inner)!)
        this.#inventory.delete(inner)
      }
      this.#inventory.delete(from)
    }
    if (after) this.#inventory.set(path, isRacySnapshot(after) ? { ...after, isRacy: true } : after)
    else this.#inventory.delete(path)
  }

  async #report(differences: readonly TreeDifference<KnownEntry>[]) {
    for (let at = 0; at < differences.length && !this.#closed; at += BATCH) {
      const slices = new TimeSlicer()
      const changes = await mapConcurrently(differences.slice(at, at + BATCH), MAX_CONCURRENT_READS, async each => {
        await slices.yieldIfDue()
        return this.#describeChange(each)
      })
      const told = changes.filter(change => change !== undefined)
      if (told.length > 0) await this.#listener.onChanges(this.#name, told)
    }
  }

  /** Undefined where it has only been touched. */
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

  /** What somebody else left at a path where a call of ours has changed it before that was told. */
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

// The clock of files may be a few milliseconds behind.
const CLOCK_SKEW_MS = 50

/** What came, but was made before that time. */
const isOlder = ({ from, before, after }: TreeDifference, time: number) =>
  from === undefined && !before && after !== undefined && Math.max(after.mtime, after.ctime) < time - CLOCK_SKEW_MS
