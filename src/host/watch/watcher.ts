// Watches a workspace: one watch per folder that is not ignored, created on demand. A change is counted when the kernel's event
// has been read; `settled` waits for that, and until new folders are watched too. Links are remembered on the way.

import type { Dirent, FSWatcher, Stats } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { existsSync, lstatSync, readdirSync, watch } from '../files/byte-path-fs.ts'
import type { Workspace } from '../workspace.ts'
import { IGNORE_NAMES, IgnoreRules } from './ignore-rules.ts'
import { countEvent, LIMIT_ERROR_CODES, readInotifyLimits } from './watcher-limits.ts'
import { joinPath, splitPath } from './workspace-tree.ts'

const RETRY_MS = 60_000
const MAX_RETRY_MS = 3_600_000
// Maximum time for which one slice of inspecting folders may block the event loop.
const SLICE_MS = 4

/** Changes since the last notification. Paths are relative to the root. */
export interface WatchEvents {
  /** Paths touched in any way. */
  paths: readonly string[]
  /** Names that were added or removed, or both. */
  renamed: readonly string[]
  /** Folders in which names were added or removed, and new folders; all of them exist. */
  folders: readonly string[]
  /** Folders that were removed, became ignored, or were replaced; the last are among `folders` too. */
  gone: readonly string[]
  /** Ignore rules changed, or events were lost: no earlier state is reliable. */
  everything: boolean
}

interface FolderWatch {
  watcher: FSWatcher
  rules: IgnoreRules
  /** Watches a repository's own ignore rules, if the folder is one. */
  excludesWatcher?: FSWatcher | undefined
}

interface WatchOptions {
  max_folders?: number
  /** Time after which it is tried again to watch a workspace for which the limits were reached; doubled each time that fails. */
  retryMs?: number
  /** Checks if a folder, by its absolute path, is not watched even though it is not ignored. */
  isExcluded?: (folder: string) => boolean
}

export class Watcher {
  readonly #root: string
  readonly #isExcluded: (folder: string) => boolean
  readonly #limits = readInotifyLimits()
  readonly #maxFolders: number
  readonly #listeners = new Set<(news: WatchEvents) => void>()
  #watched = new Map<string, FolderWatch>()
  // The symbolic links that are not ignored, by folder.
  readonly #links = new Map<string, Set<string>>()
  #started: Promise<void> | undefined
  #isLive = false
  #stopReason: string | undefined
  readonly #minRetryMs: number
  #retryMs: number
  #liveSince = 0
  #retryTimer: NodeJS.Timeout | undefined
  #closed = false
  #generation = 0
  // Folders to inspect, with the rules of their ancestors.
  #queue: { folder: string; rules: IgnoreRules }[] = []
  #renamed = new Set<string>()
  #needsRescan = false
  #pending = noEvents()
  #working: Promise<void> | undefined

  constructor(
    workspace: Workspace,
    { max_folders = Number.POSITIVE_INFINITY, retryMs = RETRY_MS, isExcluded = () => false }: WatchOptions = {}
  ) {
    this.#root = workspace.root
    this.#isExcluded = isExcluded
    this.#maxFolders = max_folders
    this.#minRetryMs = retryMs
    this.#retryMs = retryMs
  }

  /**
   * False before the start, and while limits prevent watching everything: no state here is valid then. Once it is true again, everything
   * is reported as changed.
   */
  get isLive() {
    return this.#isLive
  }

  /** Reason why not everything is watched, until that has been tried again. */
  get stopReason() {
    return this.#stopReason
  }

  /** Returns the watched folders: all that are neither ignored nor excluded. Relative to the root, which is `.`. */
  folders(): Iterable<string> {
    return this.#watched.keys()
  }

  /** Checks if a folder is watched. */
  isWatching(folder: string): boolean {
    return this.#watched.has(folder)
  }

  /** Returns the symbolic links in watched folders that are not ignored, whatever they lead to. */
  links(): string[] {
    return [...this.#links.values()].flatMap(links => [...links])
  }

  /** Returns the ignore rules in a folder; undefined if it is not watched. */
  rulesIn(folder: string): IgnoreRules | undefined {
    return this.#watched.get(folder)?.rules
  }

  /** Increases with every observed change. */
  get generation() {
    return this.#generation
  }

  /** Resolves once every folder is watched; check `isLive` then. */
  start(): Promise<void> {
    this.#started ??= this.#start()
    return this.#started
  }

  /** Resolves once all changes made before the call are counted and reported. */
  async settled(): Promise<void> {
    if (!this.#isLive) return
    // The current turn may already be past reading events; the next one reads all that are pending.
    await turn()
    await turn()
    while (this.#working) await this.#working
  }

  /** Subscribes to batched changes, until the returned function is called. */
  subscribe(listener: (news: WatchEvents) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  close() {
    this.#closed = true
    clearTimeout(this.#retryTimer)
    this.#stop()
  }

  async #start() {
    await this.#watchAll()
    // The subscriber has no state yet that could be stale.
    this.#pending = noEvents()
  }

  async #watchAll() {
    this.#stopReason = undefined
    this.#isLive = true
    this.#liveSince = performance.now()
    this.#needsRescan = true
    await this.#work()
  }

  #stop() {
    this.#isLive = false
    this.#generation += 1
    for (const watched of this.#watched.values()) end(watched)
    this.#watched.clear()
    this.#links.clear()
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
    if (event === 'rename') this.#pending.renamed.add(path)
    // So many events in one turn that the queue may have been full are treated as a loss.
    if (events >= this.#limits.max_queued_events / 2 || (name !== null && IGNORE_NAMES.has(name)))
      this.#needsRescan = true
    else if (event === 'rename') {
      this.#pending.folders.add(folder)
      this.#renamed.add(path)
    }
    void this.#work()
  }

  /** Processes pending work, a slice in each turn, then notifies subscribers. */
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

  // Applies new rules everywhere; folders that became ignored are found by not being visited again.
  #rescan() {
    this.#needsRescan = false
    this.#renamed.clear()
    this.#pending.everything = true
    this.#unwatch('.')
    this.#queue = [{ folder: '.', rules: IgnoreRules.aboveRoot(this.#root) }]
  }

  // Renews the watch of a path after an entry was created or removed. A folder there counts as new: even its inode number would
  // not help, since the next folder may reuse that of a removed one.
  #rewatch(path: string) {
    if (this.#watched.has(path)) this.#unwatch(path)
    const { folder } = splitPath(path)
    const above = this.#watched.get(folder)
    if (!above) return
    this.#links.get(folder)?.delete(path)
    const entry = statEntry(join(this.#root, path))
    if (entry?.isDirectory()) this.#enqueue(path, above.rules)
    else if (entry?.isSymbolicLink()) this.#addLink(path, above.rules)
  }

  #addLink(path: string, rules: IgnoreRules) {
    if (rules.ignoresFile(join(this.#root, path))) return
    const { folder } = splitPath(path)
    const links = this.#links.get(folder) ?? new Set()
    this.#links.set(folder, links.add(path))
  }

  #enqueue(folder: string, rules: IgnoreRules) {
    const path = join(this.#root, folder)
    if (!rules.ignores(path) && !this.#isExcluded(path)) this.#queue.push({ folder, rules })
  }

  #watchFolder(folder: string, rulesAbove: IgnoreRules) {
    if (this.#watched.has(folder)) return
    const path = join(this.#root, folder)
    if (this.#watched.size >= this.#maxFolders)
      return this.#giveUp(`The workspace has more than ${this.#maxFolders} folders that are not ignored.`)
    if (this.#watched.size >= this.#limits.max_user_watches / 2) return this.#giveUp(WATCH_LIMIT_REACHED)
    let entries: Dirent[]
    try {
      // Watch first, then list: changes in between are reported at least once.
      const watcher = watch(path, { persistent: false }, (event, name) => this.#onEvent(folder, event, name))
      watcher.on('error', () => this.#giveUp(WATCH_LIMIT_REACHED))
      this.#watched.set(folder, { watcher, rules: rulesAbove })
      entries = statEntry(path)?.isDirectory() ? readdirSync(path, { withFileTypes: true }) : []
    } catch (error) {
      // A folder that was removed, or is not accessible, has no entries to list either.
      if (LIMIT_ERROR_CODES.has((error as NodeJS.ErrnoException).code)) this.#giveUp(WATCH_LIMIT_REACHED)
      return
    }
    this.#pending.folders.add(folder)
    const watched = this.#watched.get(folder)!
    const names = new Set(entries.map(({ name }) => name))
    if (names.has('.git')) watched.excludesWatcher = this.#watchExcludes(join(path, '.git'))
    const rules = rulesAbove.within(path, names)
    watched.rules = rules
    for (const entry of entries) {
      if (entry.isDirectory() && entry.name !== '.git') this.#enqueue(joinPath(folder, entry.name), rules)
      if (entry.isSymbolicLink()) this.#addLink(joinPath(folder, entry.name), rules)
    }
  }

  // Watches only this part of a repository: `info/exclude`, or the creation of `info` if there is none yet. (In a worktree `.git`
  // is a file and the rules are elsewhere: there their first state applies.)
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
      this.#links.delete(path)
      this.#pending.gone.add(path)
    }
    this.#queue = this.#queue.filter(each => each.folder !== folder && !each.folder.startsWith(prefix))
  }

  #giveUp(why: string) {
    if (this.#closed || !this.#isLive) return
    this.#stopReason = why
    this.#stop()
    // It has worked for a while: what prevents it now is something new.
    if (performance.now() - this.#liveSince > this.#retryMs) this.#retryMs = this.#minRetryMs
    this.#retryTimer = setTimeout(() => void this.#watchAll(), this.#retryMs).unref()
    this.#retryMs = Math.min(2 * this.#retryMs, MAX_RETRY_MS)
  }

  #publish(news: PendingEvents) {
    const { paths, renamed, folders, gone, everything } = news
    const there = [...folders].filter(folder => this.#watched.has(folder))
    const events = { paths: [...paths], renamed: [...renamed], folders: there, gone: [...gone], everything }
    for (const listener of this.#listeners) listener(events)
  }
}

interface PendingEvents {
  paths: Set<string>
  renamed: Set<string>
  folders: Set<string>
  gone: Set<string>
  everything: boolean
}

const WATCH_LIMIT_REACHED =
  'The system limit for file watches is reached. Increase `fs.inotify.max_user_watches` and `fs.inotify.max_user_instances` (sysctl), or close programs that watch files. The server retries after a minute, then at longer intervals.'

const noEvents = (): PendingEvents => ({
  paths: new Set(),
  renamed: new Set(),
  folders: new Set(),
  gone: new Set(),
  everything: false
})

function end({ watcher, excludesWatcher }: FolderWatch) {
  watcher.close()
  excludesWatcher?.close()
}

function statEntry(path: string): Stats | undefined {
  try {
    return lstatSync(path)
  } catch {
    return undefined
  }
}
