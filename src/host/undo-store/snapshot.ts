// What the files of a workspace were before a command ran, and what it changed of them.
import { hashOf, type LineChange, lineCount } from '../files/content-source.ts'
import { inTurns, Slices } from '../files/time-slicing.ts'
import type { Change } from '../host.ts'
import { Inventory, type Known } from '../watch/inventory.ts'
import { OwnChanges } from '../watch/own-writes.ts'
import { isFresh, isSame, type Seen } from '../watch/stat-snapshot.ts'
import { arrange, changeOf, type Difference } from '../watch/tree-diff.ts'
import type { Tree } from '../watch/workspace-tree.ts'
import type { Copies, Copy } from './snapshot-copies.ts'

/** Files read at the same time. */
const READERS = 4

export interface SnapshotLimits {
  /** Of larger files no content is kept. */
  max_file_bytes: number
  /** What the contents of all files may take up; the largest are left out. */
  max_bytes: number
}

/** Where contents are kept for an undo. */
export interface Keeper {
  keep(bytes: Uint8Array): Promise<string | undefined>
  offer(bytes: Buffer, hash: string): void
}

interface Content {
  path: string
  seen: Seen
}

export class Snapshot {
  readonly #tree: Tree
  readonly #copies: Copies
  readonly #limits: SnapshotLimits
  readonly #before = new Inventory()
  readonly #kept = new Map<string, Copy>()
  readonly #others: OwnChanges
  #closed: string[] = []
  #files = 0
  #bytes = 0

  constructor(tree: Tree, copies: Copies, limits: SnapshotLimits) {
    this.#tree = tree
    this.#copies = copies
    this.#limits = limits
    this.#others = new OwnChanges(tree, this.#before)
  }

  /** How many files are covered: what becomes of them can be taken back. */
  get files(): number {
    return this.#kept.size
  }

  get bytes(): number {
    return this.#bytes
  }

  /** How many are not, for they are too large, too much, or may not be read. */
  get not_covered(): number {
    return this.#files - this.#kept.size + this.#closed.length
  }

  async take(signal: AbortSignal) {
    const files: Content[] = []
    this.#closed = await this.#tree.walk((path, seen) => {
      this.#before.set(path, isFresh(seen) ? { ...seen, unsure: true } : seen)
      if (seen.kind === 'file') files.push({ path, seen })
    })
    this.#files = files.length
    const slices = new Slices()
    await inTurns(this.#within(files), READERS, async ({ path, seen }) => {
      await slices.rest()
      signal.throwIfAborted()
      const copy = this.#copies.find(path, seen) ?? (await this.#copy(path, seen))
      if (copy) this.#kept.set(path, copy)
    })
    for (const { size } of this.#kept.values()) this.#bytes += size
  }

  /** Hears of what another call changes meanwhile. */
  note(change: Change) {
    this.#others.add(change)
  }

  /** What is other than before and was changed by no other call, in an order in which it could have happened. What was
   * before is kept then, and what is there now where it is text. */
  async changes(keeper: Keeper): Promise<Change[]> {
    const now = new Map<string, Seen>()
    const closed = [...this.#closed, ...(await this.#tree.walk((path, seen) => now.set(path, seen)))]
    const slices = new Slices()
    const found: Difference<Known>[] = []
    for (const path of this.#paths(now)) {
      if (closed.some(folder => folder === '.' || path.startsWith(`${folder}/`))) continue
      const [before, after] = [this.#others.known(path), now.get(path)]
      const same =
        before && after ? isSame(before, after) && (await this.#isSameContent(path, before, after)) : before === after
      if (!same) found.push({ path, before, after })
      await slices.rest()
    }
    const changes = await inTurns(arrange(found), READERS, each => this.#change(each, keeper))
    return changes.filter(change => !isTouch(change))
  }

  /** Every path at which something is, or was before, or another call left it. */
  *#paths(now: ReadonlyMap<string, Seen>): Generator<string> {
    yield* now.keys()
    for (const path of this.#before.paths()) if (!now.has(path)) yield path
    for (const path of this.#others.paths()) if (!now.has(path) && !this.#before.get(path)) yield path
  }

  /** The smallest, as many as there is room for. */
  #within(files: Content[]): Content[] {
    const { max_file_bytes, max_bytes } = this.#limits
    const small = files.filter(({ seen }) => seen.size <= max_file_bytes)
    let bytes = small.reduce((sum, { seen }) => sum + seen.size, 0)
    if (bytes > max_bytes) small.sort((a, b) => a.seen.size - b.seen.size)
    while (bytes > max_bytes) bytes -= small.pop()!.seen.size
    return small
  }

  async #copy(path: string, seen: Seen): Promise<Copy | undefined> {
    const bytes = await this.#tree.read(path, seen)
    return bytes && this.#copies.put(path, seen, bytes)
  }

  // What had been changed a moment before may have been changed again without a trace.
  async #isSameContent(path: string, before: Known, after: Seen): Promise<boolean> {
    if (!before.unsure || after.kind !== 'file' || after.size > this.#limits.max_file_bytes) return true
    const bytes = await this.#tree.read(path, after)
    if (!bytes) return true
    if (before.hash !== undefined) return hashOf(bytes) === before.hash
    const kept = this.#kept.get(path)
    return !kept || bytes.equals(await this.#copies.read(kept))
  }

  async #change(difference: Difference<Known>, keeper: Keeper): Promise<Change> {
    const { path, from, before, after } = difference
    const change = changeOf(difference)
    // Of what was moved the content is the same.
    const was = before && from === undefined ? await this.#contentBefore(path, before) : undefined
    const is = await this.#contentNow(path, after)
    const before_hash = from === undefined ? (before?.hash ?? (was && (await keeper.keep(was)))) : undefined
    const after_hash = is && hashOf(is)
    if (is) keeper.offer(is, after_hash!)
    return {
      ...change,
      ...(before_hash !== undefined && { before_hash }),
      ...(after_hash !== undefined && { after_hash }),
      ...linesOf(change, was, is)
    }
  }

  async #contentBefore(path: string, known: Known): Promise<Buffer | undefined> {
    const kept = known === this.#before.get(path) ? this.#kept.get(path) : undefined
    return kept && this.#copies.read(kept)
  }

  async #contentNow(path: string, seen: Seen | undefined): Promise<Buffer | undefined> {
    if (seen?.kind !== 'file' || seen.size > this.#limits.max_file_bytes) return undefined
    const bytes = await this.#tree.read(path, seen)
    if (bytes && this.#copies.size < this.#limits.max_bytes) await this.#copies.put(path, seen, bytes)
    return bytes
  }
}

/** Written anew with what was in it. */
const isTouch = ({ operation, before_hash, after_hash, after_mode }: Change) =>
  operation === 'modified' && before_hash !== undefined && before_hash === after_hash && after_mode === undefined

/** Of what came or went, where it is text. */
function linesOf({ operation }: Change, was: Buffer | undefined, is: Buffer | undefined): LineChange | undefined {
  const bytes = operation === 'created' ? is : operation === 'deleted' ? was : undefined
  const lines = bytes && lineCount(bytes)
  if (lines === undefined) return undefined
  return operation === 'created' ? { added: lines, removed: 0 } : { added: 0, removed: lines }
}
