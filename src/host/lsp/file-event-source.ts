// File events of a workspace for language servers: changes by calls, and external ones.
import { lstatSync } from 'node:fs'
import type { Change } from '../change.ts'
import type { WatchEvents } from '../watch/watcher.ts'
import type { FileEvent } from './pending-file-events.ts'
import type { WatchedWorkspace } from './watched-workspace.ts'

/** Workspaces with more files are not compared as a whole. */
const MAX_COMPARED_FILES = 50_000

export class FileEventSource {
  readonly #workspace: WatchedWorkspace
  readonly #emit: (path: string, event: FileEvent) => void
  #starting: Promise<void> | undefined
  #unsubscribe: () => void = () => {}
  /** Known existing files. */
  #files = new Set<string>()
  #comparison: Promise<void> = Promise.resolve()
  /** Time of the last lost events, or of the start. */
  #comparedAt = 0

  constructor(workspace: WatchedWorkspace, emit: (path: string, event: FileEvent) => void) {
    this.#workspace = workspace
    this.#emit = emit
  }

  /** Starts reporting events, without waiting. */
  start() {
    this.#starting ??= this.#start().catch(() => {
      this.#starting = undefined
    })
  }

  /** Resolves once all earlier changes are reported, if that can be determined. */
  async settled(): Promise<void> {
    await this.#starting
    await this.#workspace.watcher.settled()
    await this.#comparison
  }

  /** Records a change made by a call. */
  recordOwnChange({ path, operation, from, kind }: Change) {
    if (kind === 'directory') return
    if (operation === 'moved') {
      if (from !== undefined) this.#record(from, 'deleted')
      this.#record(path, 'created')
    } else this.#record(path, operation === 'modified' ? 'changed' : operation)
  }

  close() {
    this.#unsubscribe()
  }

  async #start() {
    const { watcher, list } = this.#workspace
    await watcher.start()
    if (!watcher.isLive) return
    this.#unsubscribe = watcher.subscribe(news => this.#onWatchEvents(news))
    this.#comparedAt = Date.now()
    for (const path of await list.files()) this.#files.add(path)
  }

  #onWatchEvents({ paths, gone, everything }: WatchEvents) {
    let folders = everything || gone.length > 0
    for (const path of paths) {
      const kind = entryKind(`${this.#workspace.root}/${path}`)
      if (kind === 'folder') folders = true
      else if (kind === 'file') this.#record(path, this.#files.has(path) ? 'changed' : 'created')
      else if (this.#files.has(path)) this.#record(path, 'deleted')
    }
    if (folders) this.#comparison = this.#comparison.then(() => this.#compare(everything)).catch(() => {})
  }

  /**
   * Compares current names with known ones after a folder was created or removed, or rules changed. After lost events, files are
   * inspected too.
   */
  async #compare(everything: boolean): Promise<void> {
    const { list, root } = this.#workspace
    const now = new Set(await list.files())
    for (const path of this.#files) if (!now.has(path)) this.#record(path, 'deleted')
    for (const path of now) if (!this.#files.has(path)) this.#record(path, 'created')
    if (!everything) return
    const since = this.#comparedAt
    this.#comparedAt = Date.now()
    if (now.size <= MAX_COMPARED_FILES)
      for (const path of now) if (mtimeOf(`${root}/${path}`) >= since) this.#record(path, 'changed')
  }

  #record(path: string, event: FileEvent) {
    if (event === 'deleted') this.#files.delete(path)
    else this.#files.add(path)
    this.#emit(path, event)
  }
}

function entryKind(path: string): 'file' | 'folder' | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  return stat?.isDirectory() ? 'folder' : stat && 'file'
}

function mtimeOf(path: string): number {
  return lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
