// Keeps an index equal to the files of its workspace, a little at a time: whoever asks meanwhile is answered in between.

import { setImmediate as turn } from 'node:timers/promises'
import { foldersAbove } from '../../text/ancestors.ts'
import type { Seen } from '../watch/stat-snapshot.ts'
import type { News } from '../watch/watcher.ts'
import type { IndexStore } from './index-store.ts'
import { type IndexTree, isUnsure, stampOf } from './index-tree.ts'

/** How an index stands. */
export interface Progress {
  /** Every file was indexed once as it was after the start. */
  complete: boolean
  /** Files in the index, and those that are to be indexed, anew or for the first time. */
  files: number
  waiting: number
  /** Files that found no room. */
  left_out: number
  bytes: number
  /** When all files were compared last, as ISO time. */
  compared_at?: string
}

interface Limits {
  max_files: number
  max_bytes: number
}

/** How long one go may take before questions are heard. */
const SLICE_MS = 8
/** What was indexed since is lost by a kill. */
const COMMIT_AFTER = 1_000

export class Indexer {
  readonly #store: IndexStore
  readonly #tree: IndexTree
  readonly #limits: Limits
  readonly #tell: (progress: Progress) => void
  /** Stamps by path. */
  readonly #known: Map<string, string>
  readonly #todo = new Map<string, Seen>()
  #news: News[] = []
  #compare = false
  #complete = false
  #compared_at: string | undefined
  #left_out = new Set<string>()
  #uncommitted = 0
  #full = false
  #working: Promise<void> | undefined

  constructor(store: IndexStore, tree: IndexTree, limits: Limits, tell: (progress: Progress) => void) {
    this.#store = store
    this.#tree = tree
    this.#limits = limits
    this.#tell = tell
    this.#known = new Map(store.known().map(({ path, stamp }) => [path, stamp]))
  }

  get progress(): Progress {
    return {
      complete: this.#complete,
      files: this.#known.size,
      waiting: this.#todo.size,
      left_out: this.#left_out.size,
      bytes: this.#store.bytes(),
      ...(this.#compared_at !== undefined && { compared_at: this.#compared_at })
    }
  }

  /** Compares all files with what is known of them. */
  compare(): Promise<void> {
    this.#compare = true
    return this.#work()
  }

  /** Takes in what the watcher says. */
  hear(news: News): Promise<void> {
    if (news.everything) this.#compare = true
    else this.#news.push(news)
    return this.#work()
  }

  /** Resolves when nothing is left to do. */
  async settled(): Promise<void> {
    while (this.#working) await this.#working
  }

  #work(): Promise<void> {
    this.#working ??= this.#steps().finally(() => {
      this.#working = undefined
    })
    return this.#working
  }

  async #steps() {
    while (await this.#step()) {
      this.#tell(this.progress)
      await turn()
    }
    this.#commit()
    this.#complete = true
    this.#tell(this.progress)
  }

  /** Answers whether there was something to do. */
  async #step(): Promise<boolean> {
    const news = this.#news
    if (this.#compare) await this.#compareAll()
    else if (news.length > 0) {
      this.#news = []
      for (const each of news) this.#note(await this.#tree.changed(each, this.#beneath()))
    } else if (this.#todo.size > 0) await this.#someFiles()
    else return false
    return true
  }

  async #compareAll() {
    this.#compare = false
    // All that they say will be seen.
    this.#news = []
    this.#todo.clear()
    this.#left_out.clear()
    this.#full = false
    const began = new Date()
    const found: Map<string, Seen | undefined> = await this.#tree.all()
    for (const path of this.#known.keys()) if (!found.has(path)) found.set(path, undefined)
    this.#note(found)
    this.#compared_at = began.toISOString()
  }

  #note(found: ReadonlyMap<string, Seen | undefined>) {
    for (const [path, seen] of found) {
      this.#todo.delete(path)
      if (!seen) this.#drop(path)
      else if (isOther(this.#known.get(path), stampOf(seen))) this.#todo.set(path, seen)
    }
  }

  async #someFiles() {
    const until = performance.now() + SLICE_MS
    for (const [path, seen] of this.#todo) {
      this.#todo.delete(path)
      await this.#index(path, seen)
      if (performance.now() > until || this.#compare || this.#news.length > 0) return
    }
  }

  async #index(path: string, seen: Seen) {
    if (!this.#known.has(path) && (this.#full || this.#known.size >= this.#limits.max_files)) {
      this.#left_out.add(path)
      return
    }
    const taken = await this.#tree.take(path, seen)
    if (!taken) return this.#drop(path)
    const stamp = stampOf(seen)
    this.#store.put({ path, stamp }, taken.weight, taken.pieces)
    this.#known.set(path, stamp)
    this.#uncommitted += 1
    if (this.#uncommitted >= COMMIT_AFTER) this.#commit()
  }

  #drop(path: string) {
    this.#left_out.delete(path)
    if (!this.#known.delete(path)) return
    this.#store.drop(path)
  }

  #commit() {
    this.#store.commit()
    this.#uncommitted = 0
    this.#full = this.#store.bytes() >= this.#limits.max_bytes
  }

  /** Gives the files known in a folder, at any depth. */
  #beneath(): (folder: string) => string[] {
    const folders = new Set([...this.#known.keys()].flatMap(foldersAbove))
    return folder => (folders.has(folder) ? [...this.#known.keys()].filter(path => path.startsWith(`${folder}/`)) : [])
  }
}

/** A file that was changed only just now may be another although its stamp says nothing. */
const isOther = (known: string | undefined, stamp: string) => isUnsure(stamp) || known !== stamp
