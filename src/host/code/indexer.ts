// Updates an index to match the files of its workspace, in time slices: queries are answered in between.

import { setImmediate as turn } from 'node:timers/promises'
import { listAncestors } from '../../text/ancestors.ts'
import type { StatSnapshot } from '../watch/stat-snapshot.ts'
import type { WatchEvents } from '../watch/watcher.ts'
import type { IndexStore } from './index-store.ts'
import { type IndexTree, indexFingerprint, isRacyFingerprint } from './index-tree.ts'

/** Progress of an index. */
export interface IndexProgress {
  /** Every file was indexed once since the start. */
  complete: boolean
  /** Number of indexed files, and of those waiting to be indexed or updated. */
  files: number
  waiting: number
  /** Number of files that exceed the index's limits. */
  left_out: number
  bytes: number
  /** Time of the last complete comparison, in ISO format. */
  compared_at?: string
}

interface IndexLimits {
  max_files: number
  max_bytes: number
}

/** Maximum duration of a slice before queries are handled. */
const TIME_SLICE_MS = 8
/** Files indexed since the last commit are lost by a kill. */
const FILES_PER_COMMIT = 1_000

export class Indexer {
  readonly #store: IndexStore
  readonly #tree: IndexTree
  readonly #limits: IndexLimits
  readonly #onProgress: (progress: IndexProgress) => void
  /** Fingerprints by path. */
  readonly #fingerprints: Map<string, string>
  readonly #pending = new Map<string, StatSnapshot>()
  #events: WatchEvents[] = []
  #needsRescan = false
  #isComplete = false
  #rescannedAt: string | undefined
  #leftOut = new Set<string>()
  #uncommitted = 0
  #isFull = false
  #working: Promise<void> | undefined

  constructor(store: IndexStore, tree: IndexTree, limits: IndexLimits, onProgress: (progress: IndexProgress) => void) {
    this.#store = store
    this.#tree = tree
    this.#limits = limits
    this.#onProgress = onProgress
    this.#fingerprints = new Map(store.listFiles().map(({ path, stamp }) => [path, stamp]))
  }

  get progress(): IndexProgress {
    return {
      complete: this.#isComplete,
      files: this.#fingerprints.size,
      waiting: this.#pending.size,
      left_out: this.#leftOut.size,
      bytes: this.#store.sizeOnDisk(),
      ...(this.#rescannedAt !== undefined && { compared_at: this.#rescannedAt })
    }
  }

  /** Compares all files with their known state. */
  rescan(): Promise<void> {
    this.#needsRescan = true
    return this.#run()
  }

  /** Handles watcher events. */
  handleEvents(news: WatchEvents): Promise<void> {
    if (news.everything) this.#needsRescan = true
    else this.#events.push(news)
    return this.#run()
  }

  /** Resolves when no work is left. */
  async settled(): Promise<void> {
    while (this.#working) await this.#working
  }

  #run(): Promise<void> {
    this.#working ??= this.#runSteps().finally(() => {
      this.#working = undefined
    })
    return this.#working
  }

  async #runSteps() {
    while (await this.#step()) {
      this.#onProgress(this.progress)
      await turn()
    }
    this.#commit()
    this.#isComplete = true
    this.#onProgress(this.progress)
  }

  /** Returns true if there was work. */
  async #step(): Promise<boolean> {
    const news = this.#events
    if (this.#needsRescan) await this.#rescan()
    else if (news.length > 0) {
      this.#events = []
      for (const each of news) this.#enqueue(await this.#tree.resolveEvents(each, this.#filesUnder()))
    } else if (this.#pending.size > 0) await this.#indexSome()
    else return false
    return true
  }

  async #rescan() {
    this.#needsRescan = false
    // The rescan covers all pending events.
    this.#events = []
    this.#pending.clear()
    this.#leftOut.clear()
    this.#isFull = false
    const began = new Date()
    const found: Map<string, StatSnapshot | undefined> = await this.#tree.listFiles()
    for (const path of this.#fingerprints.keys()) if (!found.has(path)) found.set(path, undefined)
    this.#enqueue(found)
    this.#rescannedAt = began.toISOString()
  }

  #enqueue(found: ReadonlyMap<string, StatSnapshot | undefined>) {
    for (const [path, seen] of found) {
      this.#pending.delete(path)
      if (!seen) this.#remove(path)
      else if (needsIndexing(this.#fingerprints.get(path), indexFingerprint(seen))) this.#pending.set(path, seen)
    }
  }

  async #indexSome() {
    const until = performance.now() + TIME_SLICE_MS
    for (const [path, seen] of this.#pending) {
      this.#pending.delete(path)
      await this.#index(path, seen)
      if (performance.now() > until || this.#needsRescan || this.#events.length > 0) return
    }
  }

  async #index(path: string, seen: StatSnapshot) {
    if (!this.#fingerprints.has(path) && (this.#isFull || this.#fingerprints.size >= this.#limits.max_files)) {
      this.#leftOut.add(path)
      return
    }
    // Not later: reading and parsing may take long, and the file may change again meanwhile without a trace.
    const stamp = indexFingerprint(seen)
    const taken = await this.#tree.load(path, seen)
    if (!taken) return this.#remove(path)
    this.#store.putFile({ path, stamp }, taken.weight, taken.pieces)
    this.#fingerprints.set(path, stamp)
    this.#uncommitted += 1
    if (this.#uncommitted >= FILES_PER_COMMIT) this.#commit()
  }

  #remove(path: string) {
    this.#leftOut.delete(path)
    if (!this.#fingerprints.delete(path)) return
    this.#store.removeFile(path)
  }

  #commit() {
    this.#store.commit()
    this.#uncommitted = 0
    this.#isFull = this.#store.sizeOnDisk() >= this.#limits.max_bytes
  }

  /** Returns a function that lists the known files in a folder, at any depth. */
  #filesUnder(): (folder: string) => string[] {
    const folders = new Set([...this.#fingerprints.keys()].flatMap(listAncestors))
    return folder =>
      folders.has(folder) ? [...this.#fingerprints.keys()].filter(path => path.startsWith(`${folder}/`)) : []
  }
}

/** A file that changed just now may differ despite an equal fingerprint. */
const needsIndexing = (known: string | undefined, stamp: string) => isRacyFingerprint(stamp) || known !== stamp
