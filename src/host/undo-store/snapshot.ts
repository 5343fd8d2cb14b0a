// Snapshot of a workspace's files before a command, and the diff of what the command changed.

import type { Change } from '../change.ts'
import { countTextLines, hashBytes, type LineChange } from '../files/content-source.ts'
import { formatFileIdentity } from '../files/fingerprint.ts'
import { mapConcurrently, TimeSlicer } from '../files/time-slicing.ts'
import { IGNORE_NAMES } from '../watch/ignore-rules.ts'
import { Inventory, type KnownEntry } from '../watch/inventory.ts'
import { OwnWrites } from '../watch/own-writes.ts'
import { isOlder, isRacySnapshot, isSameSnapshot, type StatSnapshot, snapshotEntry } from '../watch/stat-snapshot.ts'
import { orderChanges, type TreeDifference, toChange } from '../watch/tree-diff.ts'
import { splitPath, type WorkspaceTree } from '../watch/workspace-tree.ts'
import type { PendingChanges } from './pending-changes.ts'
import type { SnapshotCopies, SnapshotCopy } from './snapshot-copies.ts'

/** Maximum number of concurrent file reads. */
const MAX_CONCURRENT_READS = 4
/** Maximum number of inspections of the entries before a command, if other calls move folders meanwhile. */
const MAX_INSPECTIONS = 3
/** Maximum time in milliseconds to wait for other calls that are changing what differs. */
const MAX_WAIT_MS = 10_000

export interface SnapshotLimits {
  /** The content of larger files is not stored. */
  max_file_bytes: number
  /** Maximum total size of all contents; the largest files are left out. */
  max_bytes: number
}

/** Receives an entry. The content of one that is `left` does not change, and need not be stored. */
export type EntryVisitor = (path: string, seen: StatSnapshot, content?: 'left') => void

/** The entries of a workspace that are compared before and after a command. */
export interface SnapshotScope {
  /** Visits the entries. Returns the folders that may not be read. */
  walk(visit: EntryVisitor): Promise<string[]>
}

/** Stores the contents needed for undo. */
export interface SnapshotBlobs {
  put(bytes: Uint8Array): Promise<string | undefined>
  offer(bytes: Buffer, hash: string): void
}

interface SnapshotFile {
  path: string
  stat: StatSnapshot
}

export class Snapshot {
  readonly #tree: WorkspaceTree
  readonly #scope: SnapshotScope
  readonly #copies: SnapshotCopies
  readonly #limits: SnapshotLimits
  #before = new Inventory()
  readonly #stored = new Map<string, SnapshotCopy>()
  #otherWrites: OwnWrites
  #isOvertaken = false
  #unreadable: string[] = []
  #files: readonly string[] = []
  #bytes = 0
  #takenAt = 0

  constructor(tree: WorkspaceTree, scope: SnapshotScope, copies: SnapshotCopies, limits: SnapshotLimits) {
    this.#tree = tree
    this.#scope = scope
    this.#copies = copies
    this.#limits = limits
    this.#otherWrites = new OwnWrites(tree, this.#before)
  }

  /** Number of files covered: their changes can be undone. */
  get files(): number {
    return this.#stored.size
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Number of files not covered: too large, beyond the total limit, or unreadable. */
  get not_covered(): number {
    return this.#files.length - this.#stored.size + this.#unreadable.length
  }

  /** Lists the files whose content is not stored. */
  findNotCovered(): string[] {
    return this.#files.filter(path => !this.#stored.has(path))
  }

  /** Inspects the entries, and stores contents for `copy_ms` milliseconds at most. */
  async take(signal: AbortSignal, copy_ms: number) {
    this.#takenAt = Date.now()
    let files = await this.#inspect()
    for (let tries = 1; this.#isOvertaken && tries < MAX_INSPECTIONS; tries++) files = await this.#inspect()
    this.#files = files.map(({ path }) => path)
    const slices = new TimeSlicer()
    const missing = this.#selectFiles(files).filter(({ path, stat }) => {
      const copy = this.#copies.find(path, stat)
      if (copy) this.#stored.set(path, copy)
      return !copy
    })
    // What was changed last is the most likely to change again.
    missing.sort((a, b) => b.stat.mtime - a.stat.mtime)
    const until = performance.now() + copy_ms
    await mapConcurrently(missing, MAX_CONCURRENT_READS, async ({ path, stat }) => {
      await slices.yieldIfDue()
      signal.throwIfAborted()
      const copy = performance.now() < until ? await this.#copy(path, stat) : undefined
      if (copy) this.#stored.set(path, copy)
    })
    for (const { size } of this.#stored.values()) this.#bytes += size
  }

  async #inspect(): Promise<SnapshotFile[]> {
    this.#isOvertaken = false
    this.#before = new Inventory()
    this.#otherWrites = new OwnWrites(this.#tree, this.#before)
    const files: SnapshotFile[] = []
    this.#unreadable = await this.#scope.walk((path, stat, content) => {
      this.#before.set(path, isRacySnapshot(stat) ? { ...stat, isRacy: true } : stat)
      if (stat.kind === 'file' && content !== 'left') files.push({ path, stat })
    })
    return files
  }

  /** Records a concurrent change by another call. */
  noteOtherChange(change: Change) {
    // Whether what is in the folder was inspected before or after the move is unknown.
    if (change.operation === 'moved' && change.kind === 'directory') this.#isOvertaken = true
    this.#otherWrites.add(change)
  }

  /**
   * Returns the differences that no other call made, in an order in which they could have happened. Stores the previous contents,
   * and the current ones of texts.
   */
  async changes(blobs: SnapshotBlobs, pending: PendingChanges): Promise<Change[]> {
    this.#otherWrites.beginComparison()
    const now = new Map<string, StatSnapshot>()
    const closed = [...this.#unreadable, ...(await this.#scope.walk((path, seen) => now.set(path, seen)))]
    await this.#correctVisibility(now)
    const slices = new TimeSlicer()
    const found: TreeDifference<KnownEntry>[] = []
    for (const path of this.#paths(now)) {
      if (closed.some(folder => folder === '.' || path.startsWith(`${folder}/`))) continue
      const [before, after] = [this.#otherWrites.known(path), now.get(path)]
      const same =
        before && after
          ? isSameSnapshot(before, after) && (await this.#isSameContent(path, before, after))
          : before === after
      if (!same) found.push({ path, before, after })
      await slices.yieldIfDue()
    }
    await this.#waitForOthers(found, pending)
    const differences = found.flatMap(each => (this.#otherWrites.isRecent(each.path) ? this.#compareAgain(each) : each))
    const changes = await mapConcurrently(orderChanges(differences), MAX_CONCURRENT_READS, each =>
      this.#change(each, blobs)
    )
    return changes.filter(change => !isTouchOnly(change))
  }

  /** Waits until no other call is changing what differs. */
  async #waitForOthers(found: readonly TreeDifference[], pending: PendingChanges) {
    const paths = found.map(({ path }) => path)
    let others = pending.recorded(paths)
    if (!others) return
    const timeout = AbortSignal.timeout(MAX_WAIT_MS)
    const expired = new Promise(resolve => timeout.addEventListener('abort', resolve, { once: true }))
    for (; others && !timeout.aborted; others = pending.recorded(paths)) await Promise.race([others, expired])
  }

  /** Compares a path again that another call has changed since the comparison began. */
  #compareAgain(difference: TreeDifference<KnownEntry>): TreeDifference<KnownEntry> | [] {
    const { path } = difference
    const before = this.#otherWrites.known(path)
    try {
      const after = snapshotEntry(this.#tree.absolute(path))
      const same = before && after ? isSameSnapshot(before, after) : before === after
      return same ? [] : { path, before, after }
    } catch {
      return difference
    }
  }

  /**
   * Corrects the entries for changed ignore rules: what is ignored now is not deleted, and what was ignored before is not created.
   */
  async #correctVisibility(now: Map<string, StatSnapshot>) {
    const missing = [...this.#before.paths()].filter(path => !now.has(path))
    await this.#tree.visitPaths(missing, (path, seen) => seen && now.set(path, seen))
    if (!this.#haveRulesChanged(now)) return
    for (const [path, seen] of now) if (!this.#otherWrites.known(path) && isOlder(seen, this.#takenAt)) now.delete(path)
  }

  #haveRulesChanged(now: ReadonlyMap<string, StatSnapshot>): boolean {
    const files = new Set(
      [...this.#before.paths(), ...now.keys()].filter(path => IGNORE_NAMES.has(splitPath(path).name))
    )
    return [...files].some(path => {
      const [before, after] = [this.#before.get(path), now.get(path)]
      return !before || !after || !isSameSnapshot(before, after)
    })
  }

  /** Yields every path that exists, existed before, or was left by another call. */
  *#paths(now: ReadonlyMap<string, StatSnapshot>): Generator<string> {
    yield* now.keys()
    for (const path of this.#before.paths()) if (!now.has(path)) yield path
    for (const path of this.#otherWrites.paths()) if (!now.has(path) && !this.#before.get(path)) yield path
  }

  /** Selects the smallest files, as many as fit. */
  #selectFiles(files: SnapshotFile[]): SnapshotFile[] {
    const { max_file_bytes, max_bytes } = this.#limits
    const small = files.filter(({ stat }) => stat.size <= max_file_bytes)
    let bytes = small.reduce((sum, { stat }) => sum + stat.size, 0)
    if (bytes > max_bytes) small.sort((a, b) => a.stat.size - b.stat.size)
    while (bytes > max_bytes) bytes -= small.pop()!.stat.size
    return small
  }

  async #copy(path: string, seen: StatSnapshot): Promise<SnapshotCopy | undefined> {
    const readAt = Date.now()
    const bytes = await this.#tree.readIfUnchanged(path, seen)
    return bytes && this.#copies.put(path, seen, bytes, readAt)
  }

  // A file changed just before the snapshot may have changed again without a trace.
  async #isSameContent(path: string, before: KnownEntry, after: StatSnapshot): Promise<boolean> {
    if (!before.isRacy || after.kind !== 'file' || after.size > this.#limits.max_file_bytes) return true
    const bytes = await this.#tree.readIfUnchanged(path, after)
    if (!bytes) return true
    if (before.hash !== undefined) return hashBytes(bytes) === before.hash
    const stored = this.#stored.get(path)
    return !stored || bytes.equals(await this.#copies.read(stored))
  }

  async #change(difference: TreeDifference<KnownEntry>, blobs: SnapshotBlobs): Promise<Change> {
    const { path, from, before, after } = difference
    const change = toChange(difference)
    // A moved file has the same content.
    const was = before && from === undefined ? await this.#contentBefore(path, before) : undefined
    const is = await this.#contentNow(path, after)
    const before_hash = from === undefined ? (before?.hash ?? (was && (await blobs.put(was)))) : undefined
    const after_hash = is && hashBytes(is)
    if (is) blobs.offer(is, after_hash!)
    return {
      ...change,
      ...(before_hash !== undefined && { before_hash }),
      ...(after_hash !== undefined && { after_hash }),
      ...(change.operation === 'created' && after?.kind === 'file' && !is && { after_identity: identifyUnread(after) }),
      ...lineChangeOf(change, was, is)
    }
  }

  async #contentBefore(path: string, known: KnownEntry): Promise<Buffer | undefined> {
    const stored = known === this.#before.get(path) ? this.#stored.get(path) : undefined
    return stored && this.#copies.read(stored)
  }

  async #contentNow(path: string, seen: StatSnapshot | undefined): Promise<Buffer | undefined> {
    if (seen?.kind !== 'file' || seen.size > this.#limits.max_file_bytes) return undefined
    const readAt = Date.now()
    const bytes = await this.#tree.readIfUnchanged(path, seen)
    if (bytes && this.#copies.size < this.#limits.max_bytes) await this.#copies.put(path, seen, bytes, readAt)
    return bytes
  }
}

const identifyUnread = ({ ino, size, mtime: mtimeMs }: StatSnapshot) => formatFileIdentity({ ino, size, mtimeMs })

/** Rewritten with the same content. */
const isTouchOnly = ({ operation, before_hash, after_hash, after_mode }: Change) =>
  operation === 'modified' && before_hash !== undefined && before_hash === after_hash && after_mode === undefined

/** Counts the lines of a created or deleted text. */
function lineChangeOf({ operation }: Change, was: Buffer | undefined, is: Buffer | undefined): LineChange | undefined {
  const bytes = operation === 'created' ? is : operation === 'deleted' ? was : undefined
  const lines = bytes && countTextLines(bytes)
  if (lines === undefined) return undefined
  return operation === 'created' ? { added: lines, removed: 0 } : { added: 0, removed: lines }
}
