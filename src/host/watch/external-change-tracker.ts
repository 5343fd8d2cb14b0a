// Tells what somebody else changes in a workspace: an editor, a command, git. What the watcher reports is gathered until
// it is quiet for a moment, then looked at and held against what is known. What our own calls change is known before the
// watcher reports it, and so is never told here.

import type { Guard } from '../files/policy/path-policy.ts'
import { inTurns, Slices } from '../files/time-slicing.ts'
import type { Change, Workspace } from '../host.ts'
import { Contents } from './content-hashes.ts'
import { Inventory, type Known } from './inventory.ts'
import { OwnChanges } from './own-writes.ts'
import { isFresh, isSame, type Seen } from './stat-snapshot.ts'
import { arrange, changeOf, type Difference } from './tree-diff.ts'
import { Surroundings } from './watch-scope.ts'
import type { News, Watcher } from './watcher.ts'
import { Tree } from './workspace-tree.ts'

const QUIET_MS = 100
const LONGEST_MS = 1_000
/** So many changes are told at once, and no more before those are durable. */
const BATCH = 256
/** Files read at the same time: others want to get at the disk too. */
const READERS = 2

export interface Hearer {
  /** Hears of changes; the next are told once this has resolved. */
  changed(workspace: string, changes: Change[]): Promise<void>
  /** Whether a call that is running may be changing the path. It is looked at again when that has ended. */
  isUnderWay(workspace: string, path: string): boolean
  /** Hears that from now on nothing is told any more. */
  ended(workspace: string, why: string): void
}

export class Outside {
  readonly #name: string
  readonly #watcher: Watcher
  readonly #hearer: Hearer
  readonly #tree: Tree
  readonly #inventory = new Inventory()
  readonly #own: OwnChanges
  readonly #surroundings: Surroundings
  readonly #contents: Contents
  #off: () => void = () => {}
  /** What is to be looked at, and since when. */
  #heard = new Map<string, number>()
  /** Folders that are new, or others than before. */
  #new = new Set<string>()
  #everything = false
  /** When all that is known was looked at last. */
  #looked = 0
  #filled = false
  #closed = false
  #why: string | undefined
  #holds = 0
  #first: number | undefined
  #timer: NodeJS.Timeout | undefined
  #working: Promise<void> | undefined

  constructor(workspace: Workspace, guard: Guard, watcher: Watcher, hearer: Hearer) {
    this.#name = workspace.name
    this.#watcher = watcher
    this.#hearer = hearer
    this.#tree = new Tree(workspace, guard)
    this.#own = new OwnChanges(this.#tree, this.#inventory)
    this.#contents = new Contents(this.#tree)
    this.#surroundings = new Surroundings(this.#tree, watcher)
  }

  /** Whether changes are told. Not before all files were looked at once. */
  get watching(): boolean {
    return this.#filled && this.#watcher.live && !this.#closed
  }

  /** Why nothing is told any more, if so. */
  get why(): string | undefined {
    return this.#why
  }

  /** Resolves once changes are told, or never will be. */
  async start(): Promise<void> {
    try {
      await this.#watcher.start()
      if (!this.#watcher.live) return this.#end(this.#watcher.why)
      // Not before: the watcher's first news are all that has been there long since.
      this.#off = this.#watcher.on(news => this.#note(news))
      await this.#tree.walk((path, seen) => {
        if (this.#surroundings.isOfEditor(path)) return
        this.#inventory.set(path, isFresh(seen) ? { ...seen, unsure: true } : seen)
      })
      this.#looked = Date.now()
      this.#filled = true
      this.#schedule()
    } catch (error) {
      this.#fail(error)
    }
  }

  /** Notes what a call of ours has changed, which began to change things at `since`. */
  own(change: Change, since: number) {
    if (this.#closed) return
    // While nothing is to be told, what the watcher has reported may be ours.
    const overtaken = this.#filled && this.#holds === 0 ? this.#overtaken(change, since) : undefined
    this.#own.add(change)
    if (overtaken) void this.#hearer.changed(this.#name, [overtaken])
  }

  /** Tells what there is to tell, and then nothing more until the returned function is called. */
  async hold(): Promise<() => void> {
    const first = this.#holds === 0
    this.#holds += 1
    if (first && this.watching) await this.#work()
    return () => {
      this.#holds -= 1
      this.#schedule()
    }
  }

  close() {
    this.#closed = true
    clearTimeout(this.#timer)
    this.#off()
  }

  #end(why = 'It is not watched any more.') {
    if (this.#closed) return
    this.close()
    this.#why = why
    this.#hearer.ended(this.#name, why)
  }

  #fail(error: unknown) {
    this.#end(`Looking at the files failed: ${(error as Error).message}`)
  }

  #note({ paths, folders, gone, everything }: News) {
    if (!this.#watcher.live) return this.#end(this.#watcher.why)
    const now = performance.now()
    if (everything) this.#everything = true
    for (const path of [...paths, ...gone]) if (!this.#heard.has(path)) this.#heard.set(path, now)
    const replaced = new Set(gone)
    for (const folder of folders)
      if (replaced.has(folder) || this.#inventory.get(folder)?.kind !== 'directory') this.#new.add(folder)
    this.#first ??= now
    this.#schedule()
  }

  #schedule() {
    if (!this.#filled || this.#closed || this.#working || this.#holds > 0 || this.#first === undefined) return
    const ms = Math.min(QUIET_MS, this.#first + LONGEST_MS - performance.now())
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#work(), Math.max(0, ms)).unref()
  }

  #work(): Promise<void> {
    clearTimeout(this.#timer)
    this.#working ??= this.#compare()
      .catch(error => this.#fail(error))
      .finally(() => {
        this.#working = undefined
        if (this.#heard.size > 0) this.#first ??= performance.now()
        this.#schedule()
      })
    return this.#working
  }

  async #compare() {
    await this.#watcher.settled()
    if (!this.watching) return
    const heard = this.#heard
    const [folders, everything, before] = [this.#new, this.#everything, this.#looked]
    this.#heard = new Map()
    this.#new = new Set()
    this.#everything = false
    this.#first = undefined
    this.#looked = Date.now()
    this.#own.take()
    const seen = await this.#look(heard.keys(), everything ? this.#allFolders() : folders)
    const found: Difference<Known>[] = []
    const slices = new Slices()
    for (const [path, now] of seen) {
      const difference = await this.#differs(path, now, heard.get(path))
      if (difference) found.push(difference)
      await slices.rest()
    }
    const differences = arrange(found)
    for (const each of differences) this.#learn(each)
    // Where rules changed, what shows now may have been there all along.
    const known = (each: Difference) => everything && isOlder(each, before)
    await this.#tell(differences.filter(each => !known(each)))
  }

  #allFolders() {
    return new Set([...this.#inventory.folders(), ...this.#watcher.folders()])
  }

  /** What is at these paths and in these folders now, and in folders that are gone. */
  async #look(paths: Iterable<string>, folders: ReadonlySet<string>): Promise<Map<string, Seen | undefined>> {
    const found = new Map<string, Seen | undefined>()
    let next = new Set(paths)
    for (const folder of folders) {
      next.add(folder)
      for (const path of [...(await this.#tree.namesIn(folder)), ...this.#inventory.in(folder)]) next.add(path)
    }
    next.delete('.')
    while (next.size > 0) {
      const inner = new Set<string>()
      await this.#tree.look(next, (path, seen) => {
        found.set(path, seen)
        if (this.#inventory.get(path)?.kind !== 'directory') return
        if (seen?.kind === 'directory' && this.#surroundings.where(path, seen) === 'shown') return
        for (const each of this.#inventory.in(path)) if (!found.has(each) && !next.has(each)) inner.add(each)
      })
      next = inner
    }
    return found
  }

  /** How a path differs from what is known of it by what somebody else did, if so and if that is certain by now. `heard`
   * is when the watcher reported it, if it did. */
  async #differs(path: string, seen: Seen | undefined, heard?: number): Promise<Difference<Known> | undefined> {
    const known = this.#own.known(path)
    if (!known && !seen) return void this.#inventory.delete(path)
    const where = seen ? this.#surroundings.where(path, seen) : 'shown'
    if (where === 'ignored') return void this.#inventory.delete(path)
    // The watcher will report it once it is watched.
    if (where === 'not watched' && !known) return undefined
    // Only where something is said to have happened can it have happened without leaving a trace.
    if (heard === undefined && known && seen && isSame(known, seen)) return void this.#inventory.set(path, known)
    const since = heard ?? performance.now()
    const young = performance.now() - since < LONGEST_MS
    const unsettled = where === 'not watched' || (seen?.kind === 'file' && isFresh(seen))
    const changing = this.#own.isRecent(path) || this.#hearer.isUnderWay(this.#name, path)
    if ((young && unsettled) || changing) {
      if (!this.#heard.has(path)) this.#heard.set(path, since)
      this.#own.keep(path)
      return undefined
    }
    if (known && seen && isSame(known, seen) && (await this.#contents.isSame(path, known, seen))) {
      this.#inventory.set(path, { ...known, ...seen, unsure: false })
      return undefined
    }
    return { path, before: known, after: seen }
  }

  #learn({ path, from, after }: Difference<Known>) {
    if (from !== undefined) {
      for (const inner of this.#inventory.beneath(from)) {
        this.#inventory.set(path + inner.slice(from.length), this.#inventory.get(inner)!)
        this.#inventory.delete(inner)
      }
      this.#inventory.delete(from)
    }
    if (after) this.#inventory.set(path, isFresh(after) ? { ...after, unsure: true } : after)
    else this.#inventory.delete(path)
  }

  async #tell(differences: readonly Difference<Known>[]) {
    for (let at = 0; at < differences.length && !this.#closed; at += BATCH) {
      const slices = new Slices()
      const changes = await inTurns(differences.slice(at, at + BATCH), READERS, async each => {
        await slices.rest()
        return this.#change(each)
      })
      const told = changes.filter(change => change !== undefined)
      if (told.length > 0) await this.#hearer.changed(this.#name, told)
    }
  }

  /** Undefined where it has only been touched. */
  async #change(difference: Difference<Known>): Promise<Change | undefined> {
    const { path, before, after } = difference
    const change = changeOf(difference)
    const before_hash = before?.hash
    const after_hash = after && (await this.#contents.hash(path, after))
    const known = this.#inventory.get(path)
    if (after_hash !== undefined && known && isSame(known, after!))
      this.#inventory.set(path, { ...known, hash: after_hash })
    const touched = change.operation === 'modified' && after_hash !== undefined && after_hash === before_hash
    if (touched && change.after_mode === undefined) return undefined
    return this.#contents.withHashes(change, before_hash, after_hash)
  }

  /** What somebody else left at a path where a call of ours has changed it before that was told. */
  #overtaken({ path, before_hash }: Change, since: number): Change | undefined {
    if (before_hash === undefined) return undefined
    const known = this.#own.known(path)
    const heardBefore = !this.#own.has(path) && (this.#heard.get(path) ?? since) < since
    if (known?.hash === undefined ? !heardBefore : known.hash === before_hash) return undefined
    if (this.#surroundings.where(path, known ?? UNSEEN) !== 'shown') return undefined
    return this.#contents.withHashes({ path, operation: known ? 'modified' : 'created' }, known?.hash, before_hash)
  }
}

const UNSEEN: Seen = { kind: 'file', mode: 0, ino: 0, size: 0, ctime: 0, mtime: 0 }

// The clock of files may be a few milliseconds behind.
const CLOCK_MS = 50

/** What came, but was made before that time. */
const isOlder = ({ from, before, after }: Difference, time: number) =>
  from === undefined && !before && after !== undefined && Math.max(after.mtime, after.ctime) < time - CLOCK_MS
