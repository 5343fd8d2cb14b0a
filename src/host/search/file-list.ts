// Cached list of a workspace's files: read from ripgrep once, then again only for folders in which the watcher saw names change.
// Excludes ignored files; includes hidden ones, and, separately, those that may hold credentials, and symbolic links, which ripgrep
// does not list.
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { WatchEvents, Watcher } from '../watch/watcher.ts'
import { splitPath } from '../watch/workspace-tree.ts'
import type { Workspace } from '../workspace.ts'
import { findLinks, type LinkQuery } from './find-links.ts'
import type { CountListener, FileListing, Ripgrep } from './ripgrep.ts'
import { SharedRuns } from './shared-runs.ts'

// With more changed folders than this, listing everything is cheaper.
const MAX_FOLDER_QUERIES = 16
// With more names that were added or removed at once, looking at each takes longer than listing their folders.
const MAX_NAME_CHECKS = 64
// Maximum time for which one slice of inspecting files may block the event loop.
const TIME_SLICE_MS = 4

interface FolderFiles {
  files: string[]
  sensitive: string[]
}

interface ListingOptions {
  signal?: AbortSignal
  onCount?: CountListener
}

const NEVER = new AbortController().signal

export class FileList {
  readonly #root: string
  readonly #ripgrep: Ripgrep
  readonly #watcher: Watcher
  readonly #unsubscribe: () => void
  // Files by parent folder; undefined until warm.
  #folders: Map<string, FileListing> | undefined
  #listing: FileListing | undefined
  #changedFolders = new Set<string>()
  // Folders removed while ripgrep was running may still be in its output.
  #removedFolders = new Set<string>()
  #warming: Promise<void> | undefined
  #catchingUp: Promise<FileListing> | undefined
  /** Listings by ripgrep, and walks for links, that concurrent requests share. */
  readonly #listings = new SharedRuns<FileListing>()
  readonly #walks = new SharedRuns<string[]>()

  constructor(workspace: Workspace, ripgrep: Ripgrep, watcher: Watcher) {
    this.#root = workspace.root
    this.#ripgrep = ripgrep
    this.#watcher = watcher
    this.#unsubscribe = watcher.subscribe(news => this.#onWatchEvents(news))
  }

  /**
   * Returns all paths, relative to the root, unordered; the same array while nothing changes. Includes all changes before the
   * call, and does not wait for later ones.
   */
  async files(): Promise<readonly string[]> {
    return (await this.listing()).files
  }

  /** Returns the same with the files that may hold credentials apart. `onCount` is called while ripgrep lists all. */
  async listing({ signal = NEVER, onCount = () => {} }: ListingOptions = {}): Promise<FileListing> {
    this.#warming ??= this.#warm()
    if (!this.#folders) return this.#listAll({ signal, onCount })
    await this.#watcher.settled()
    if (!this.#watcher.isLive) return this.#listAll({ signal, onCount })
    // A refresh in flight may have begun before this call.
    await this.#catchingUp?.catch(() => {})
    if (this.#listing) return this.#listing
    this.#catchingUp ??= this.#catchUp().finally(() => {
      this.#catchingUp = undefined
    })
    return this.#catchingUp
  }

  /** Returns the files below a folder, with those that .gitignore and similar files exclude if `ignored`; these are never in memory. */
  filesBelow(
    path: string,
    { ignored, ...requester }: Required<ListingOptions> & { ignored: boolean }
  ): Promise<FileListing> {
    return this.#listings.request(`${ignored} ${path}`, requester, run =>
      this.#ripgrep.files({ path, hidden: true, ignored, ...run })
    )
  }

  /**
   * Returns the symbolic links below a folder, unordered, whatever they lead to; those of watched folders from memory. Includes all
   * changes before the call.
   */
  async links(folder: string, query: LinkQuery): Promise<string[]> {
    const isKnown = !query.ignored && (await this.#isWatched(folder))
    const { ignored, signal } = query
    if (!isKnown)
      return this.#walks.request(`${ignored} ${folder}`, { signal, onCount: () => {} }, run =>
        findLinks(this.#root, folder, { ignored, signal: run.signal })
      )
    return this.#watcher.links().filter(link => folder === '.' || link.startsWith(`${folder}/`))
  }

  async #isWatched(folder: string): Promise<boolean> {
    try {
      await this.#watcher.start()
    } catch {
      return false
    }
    await this.#watcher.settled()
    return this.#watcher.rulesIn(folder) !== undefined
  }

  /**
   * Sorts files by modification time, newest first; deleted files come last. A link counts by the time of its file, which `targets`
   * has by link.
   */
  async newestFirst(
    files: readonly string[],
    signal: AbortSignal,
    targets: ReadonlyMap<string, string> = new Map()
  ): Promise<string[]> {
    const dated: { file: string; time: number }[] = []
    let until = performance.now() + TIME_SLICE_MS
    for (const file of files) {
      dated.push({ file, time: mtimeOf(join(this.#root, targets.get(file) ?? file)) })
      if (performance.now() < until) continue
      await turn()
      signal.throwIfAborted()
      until = performance.now() + TIME_SLICE_MS
    }
    return dated.sort((a, b) => b.time - a.time || (a.file < b.file ? -1 : 1)).map(({ file }) => file)
  }

  /** Resolves once the list is cached; until then requests run ripgrep. */
  async warm(): Promise<void> {
    this.#warming ??= this.#warm()
    await this.#warming
  }

  close() {
    this.#unsubscribe()
    this.#folders = undefined
    this.#listing = undefined
  }

  #listAll(requester: Required<ListingOptions>): Promise<FileListing> {
    return this.filesBelow('.', { ignored: false, ...requester })
  }

  async #warm() {
    try {
      await this.#watcher.start()
      if (!this.#watcher.isLive) return
      this.#folders = new Map()
      this.#onWatchEvents({ paths: [], renamed: [], folders: [], gone: [], everything: true })
      await this.files()
    } catch {
      // Concurrent requests get the same error; the next one retries.
      this.#folders = undefined
      this.#warming = undefined
    }
  }

  #onWatchEvents({ folders, renamed, gone, everything }: WatchEvents) {
    if (!this.#folders) {
      // The watcher is live again.
      if (everything) this.#warming = undefined
      return
    }
    if (everything) this.#changedFolders = new Set([ALL_FOLDERS])
    for (const folder of gone) {
      this.#folders.delete(folder)
      this.#removedFolders.add(folder)
    }
    const renamedIn =
      renamed.length > MAX_NAME_CHECKS ? undefined : Map.groupBy(renamed, path => splitPath(path).folder)
    for (const folder of folders)
      if (everything || !this.#isStillListed(folder, renamedIn?.get(folder))) this.#changedFolders.add(folder)
    if (this.#changedFolders.size > 0 || gone.length > 0) this.#listing = undefined
  }

  /** Checks if the names that were added or removed in a folder lead to no other list: as a rule, files were replaced. */
  #isStillListed(folder: string, renamed: readonly string[] | undefined): boolean {
    const listed = this.#folders?.get(folder)
    // A refresh in flight may have seen other names.
    if (!listed || !renamed || this.#catchingUp) return false
    return renamed.every(path => {
      const isListed = listed.files.includes(path) || listed.sensitive.includes(path)
      const stat = lstatSync(join(this.#root, path), { throwIfNoEntry: false })
      return isListed ? stat?.isFile() === true : stat === undefined
    })
  }

  async #catchUp(): Promise<FileListing> {
    const changed = this.#changedFolders
    this.#changedFolders = new Set()
    this.#removedFolders.clear()
    try {
      if (changed.has(ALL_FOLDERS) || changed.size > MAX_FOLDER_QUERIES)
        this.#folders = groupByFolder(await this.#listAll({ signal: NEVER, onCount: () => {} }))
      else if (changed.size > 0) {
        // Individually, by descriptor: ripgrep would follow a path if a link replaced the folder.
        const found = await Promise.all(
          [...changed].map(async folder => [folder, await this.#ripgrep.filesIn(folder)] as const)
        )
        for (const [folder, files] of found) this.#folders?.set(folder, files)
      }
    } catch (error) {
      for (const folder of changed) this.#changedFolders.add(folder)
      throw error
    }
    for (const folder of this.#removedFolders) this.#folders?.delete(folder)
    const all = [...(this.#folders?.values() ?? [])]
    const listing = { files: all.flatMap(({ files }) => files), sensitive: all.flatMap(({ sensitive }) => sensitive) }
    if (this.#changedFolders.size === 0 && this.#folders) this.#listing = listing
    return listing
  }
}

// Not a valid folder name.
const ALL_FOLDERS = ''

function mtimeOf(path: string) {
  try {
    return lstatSync(path).mtimeMs
  } catch {
    return 0
  }
}

function groupByFolder({ files, sensitive }: FileListing): Map<string, FileListing> {
  const folders = new Map<string, FolderFiles>()
  const add = (file: string, kind: keyof FolderFiles) => {
    const slash = file.lastIndexOf('/')
    const folder = slash < 0 ? '.' : file.slice(0, slash)
    const known = folders.get(folder) ?? { files: [], sensitive: [] }
    known[kind].push(file)
    folders.set(folder, known)
  }
  for (const file of files) add(file, 'files')
  for (const file of sensitive) add(file, 'sensitive')
  return folders
}
