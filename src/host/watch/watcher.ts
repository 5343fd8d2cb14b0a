// Notices changes in a workspace: one watch for each folder that is not ignored, made on demand. A change is counted
// when the kernel's word of it has been read; `settled` waits for that, and until folders that appeared are watched too.
import { type Dirent, existsSync, type FSWatcher, lstatSync, readdirSync, watch } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { Workspace } from '../workspace.ts'
import { IGNORE_NAMES, IgnoreRules } from './ignore-rules.ts'
import { countEvent, LIMIT_ERROR_CODES, readInotifyLimits } from './watcher-limits.ts'
import { joinPath } from './workspace-tree.ts'

// How long the event loop may be held up by one go of looking at folders.
const SLICE_MS = 4

/** What changed since the last news. Paths are relative to the root. */
export interface WatchEvents {
  /** What was touched in any way. */
  paths: readonly string[]
  /** Folders in which names came or went, and folders that are new; all of them are there. */
  folders: readonly string[]
  /** Folders that are gone, or ignored now, or other folders than before; the last are among `folders` too. */
  gone: readonly string[]
  /** Ignore rules changed, or events were lost: nothing known before can be relied on. */
  everything: boolean
}

interface FolderWatch {
  watcher: FSWatcher
  rules: IgnoreRules
  /** Of a repository's own ignore rules, where the folder is one. */
  excludesWatcher?: FSWatcher | undefined
}

export class Watcher {
  readonly #root: string
  readonly #limits = readInotifyLimits()
  readonly #maxFolders: number
  readonly #listeners = new Set<(news: WatchEvents) => void>()
  #watched = new Map<string, FolderWatch>()
  #started: Promise<void> | undefined
  #isLive = false
  #stopReason: string | undefined
  #closed = false
  #generation = 0
  // Folders to be looked at, with the rules that hold above them.
  #queue: { folder: string; rules: IgnoreRules }[] = []
  #renamed = new Set<string>()
  #needsRescan = false
  #pending = noEvents()
  #working: Promise<void> | undefined

  constructor(workspace: Workspace, { max_folders = Number.POSITIVE_INFINITY } = {}) {
    this.#root = workspace.root
    this.#maxFolders = max_folders
  }

  /** False before the start, and for good once the system's limits forbid watching all: then nothing here holds. */
  get isLive() {
    return this.#isLive
  }

  /** Why not all is watched, once that is so for good. */
  get stopReason() {
    return this.#stopReason
  }

  /** The folders watched: all that are not ignored. Relative to the root, which is `.`. */
  folders(): Iterable<string> {
    return this.#watched.keys()
  }

  /** The ignore rules in a folder; undefined where it is not watched. */
  rulesIn(folder: string): IgnoreRules | undefined {
    return this.#watched.get(folder)?.rules
  }

  /** Grows with every change seen. */
  get generation() {
    return this.#generation
  }

  /** Resolves once every folder is watched; look at `isLive` then. */
  start(): Promise<void> {
    this.#started ??= this.#start()
    return this.#started
  }

  /** Resolves once all changes made before the call are counted and told. */
  async settled(): Promise<void> {
    if (!this.#isLive) return
    // A turn may already be past reading events when we are called; the next one reads all there are.
    await turn()
    await turn()
    while (this.#working) await this.#working
  }

  /** Calls the listener with what changed, many changes at once, until the returned function is called. */
  subscribe(listener: (news: WatchEvents) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  close() {
    this.#closed = true
    this.#stop()
  }

  async #start() {
    this.#isLive = true
    this.#needsRescan = true
    await this.#work()
    // Whoever starts us knows nothing yet that could be old.
    this.#pending = noEvents()
  }

  #stop() {
    this.#isLive = false
    this.#generation += 1
    for (const watched of this.#watched.values()) end(watched)
    this.#watched.clear()
    this.#queue = []
    this.#renamed.clear()
    this.#publish({ ...noEvents(), everything: true })
  }

  #onEvent(folder: string, event: string, name: string | null) {
    if (!this.#isLive) return
    this.#generation += 1
    const events = countEvent()
    const path = name === null ? folder : joinPath(folder, name)
    this.#pending.paths.add(path)
    // So many in one turn that the queue may have been full are taken for a loss.
    if (events >= this.#limits.max_queued_events / 2 || (name !== null && IGNORE_NAMES.has(name)))
      this.#needsRescan = true
    else if (event === 'rename') {
      this.#pending.folders.add(folder)
      this.#renamed.add(path)
    }
    void this.#work()
  }

  /** Does what is to be done, a slice in each turn, then tells the news. */
  #work(): Promise<void> {
    this.#working ??= this.#runSlices().finally(() => {
      this.#working = undefined
    })
    return this.#working
  }

  async #runSlices() {
    do {
      // Further events of the same turn come first.
      await turn()
      if (this.#needsRescan) this.#rescan()
      const until = performance.now() + SLICE_MS
      while (this.#isLive && performance.now() < until && this.#step());
    } while (this.#isLive && (this.#needsRescan || this.#renamed.size > 0 || this.#queue.length > 0))
    const news = this.#pending
    this.#pending = noEvents()
    if (this.#isLive && (news.paths.size > 0 || news.everything)) this.#publish(news)
  }

  #step(): boolean {
    const [renamed] = this.#renamed
    if (renamed !== undefined) {
      this.#renamed.delete(renamed)
      this.#rewatch(renamed)
      return true
    }
    const next = this.#queue.pop()
    if (next) this.#watchFolder(next.folder, next.rules)
    return next !== undefined
  }

  // New rules for all; folders that they leave out are found by not being met again.
  #rescan() {
    this.#needsRescan = false
    this.#renamed.clear()
    this.#pending.everything = true
    this.#unwatch('.')
    this.#queue = [{ folder: '.', rules: IgnoreRules.aboveRoot(this.#root) }]
  }

  // Something came or went under this path. A folder there now is taken for a new one: not even its inode number would
  // tell, since the next folder may get the number of the one just removed.
  #rewatch(path: string) {
    if (this.#watched.has(path)) this.#unwatch(path)
    const above = this.#watched.get(path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.')
    if (above && isFolder(join(this.#root, path))) this.#enqueue(path, above.rules)
  }

  #enqueue(folder: string, rules: IgnoreRules) {
    if (!rules.ignores(join(this.#root, folder))) this.#queue.push({ folder, rules })
  }

  #watchFolder(folder: string, rulesAbove: IgnoreRules) {
    if (this.#watched.has(folder)) return
    const path = join(this.#root, folder)
    if (this.#watched.size >= this.#maxFolders)
      return this.#giveUp(`There are more than ${this.#maxFolders} folders that are not ignored.`)
    if (this.#watched.size >= this.#limits.max_user_watches / 2) return this.#giveUp(WATCH_LIMIT_REACHED)
    let entries: Dirent[]
    try {
      // First the watch, then the names: what comes between is told at least once.
      const watcher = watch(path, { persistent: false }, (event, name) => this.#onEvent(folder, event, name))
      watcher.on('error', () => this.#giveUp(WATCH_LIMIT_REACHED))
      this.#watched.set(folder, { watcher, rules: rulesAbove })
      entries = isFolder(path) ? readdirSync(path, { withFileTypes: true }) : []
    } catch (error) {
      // A folder that is gone again, or closed to us, holds nothing that we could list either.
      if (LIMIT_ERROR_CODES.has((error as NodeJS.ErrnoException).code)) this.#giveUp(WATCH_LIMIT_REACHED)
      return
    }
    this.#pending.folders.add(folder)
    const watched = this.#watched.get(folder)!
    const names = new Set(entries.map(({ name }) => name))
    if (names.has('.git')) watched.excludesWatcher = this.#watchExcludes(join(path, '.git'))
    const rules = rulesAbove.within(path, names)
    watched.rules = rules
    for (const entry of entries)
      if (entry.isDirectory() && entry.name !== '.git') this.#enqueue(joinPath(folder, entry.name), rules)
  }

  // Of a repository only this is watched: `info/exclude`, or the coming of `info` where there is none yet. (In a worktree
  // `.git` is a file and the rules are elsewhere: there they count as they were when they were first seen.)
  #watchExcludes(git: string): FSWatcher | undefined {
    const info = join(git, 'info')
    const [folder, wanted] = existsSync(info) ? [info, 'exclude'] : [git, 'info']
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        if (name !== wanted || !this.#isLive) return
        this.#generation += 1
        this.#needsRescan = true
        void this.#work()
      })
      return watcher.on('error', () => watcher.close())
    } catch {
      return undefined
    }
  }

  #unwatch(folder: string) {
    const prefix = `${folder}/`
    for (const [path, watched] of this.#watched) {
      if (folder !== '.' && path !== folder && !path.startsWith(prefix)) continue
      end(watched)
      this.#watched.delete(path)
      this.#pending.gone.add(path)
    }
    this.#queue = this.#queue.filter(each => each.folder !== folder && !each.folder.startsWith(prefix))
  }

  #giveUp(why: string) {
    if (this.#closed) return
    this.#stopReason ??= why
    this.#stop()
  }

  #publish(news: PendingEvents) {
    const { paths, folders, gone, everything } = news
    const there = [...folders].filter(folder => this.#watched.has(folder))
    const told = { paths: [...paths], folders: there, gone: [...gone], everything }
    for (const listener of this.#listeners) listener(told)
  }
}

interface PendingEvents {
  paths: Set<string>
  folders: Set<string>
  gone: Set<string>
  everything: boolean
}

const WATCH_LIMIT_REACHED = 'The system gives no more watches.'

const noEvents = (): PendingEvents => ({ paths: new Set(), folders: new Set(), gone: new Set(), everything: false })

function end({ watcher, excludesWatcher }: FolderWatch) {
  watcher.close()
  excludesWatcher?.close()
}

function isFolder(path: string) {
  try {
    return lstatSync(path).isDirectory()
  } catch {
    return false
  }
}
