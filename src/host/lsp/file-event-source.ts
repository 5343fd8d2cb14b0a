// What becomes of the files of a workspace while language servers run: what calls change, and what others do.
import { lstatSync } from 'node:fs'
import type { Change } from '../host.ts'
import type { News } from '../watch/watcher.ts'
import type { FileEvent } from './pending-file-events.ts'
import type { Served } from './pool.ts'

/** One with more files is not compared as a whole. */
const MOST_COMPARED = 50_000

export class FileNews {
  readonly #workspace: Served
  readonly #tell: (path: string, event: FileEvent) => void
  #started: Promise<void> | undefined
  #off: () => void = () => {}
  /** Files that are there, as far as is known. */
  #files = new Set<string>()
  #comparing: Promise<void> = Promise.resolve()
  /** When changes were lost last, or it began to tell. */
  #looked = 0

  constructor(workspace: Served, tell: (path: string, event: FileEvent) => void) {
    this.#workspace = workspace
    this.#tell = tell
  }

  /** Begins to tell; waits for nothing. */
  start() {
    this.#started ??= this.#start().catch(() => {
      this.#started = undefined
    })
  }

  /** Resolves once all changes made before are told, where that can be known. */
  async settled(): Promise<void> {
    await this.#started
    await this.#workspace.watcher.settled()
    await this.#comparing
  }

  /** A call has changed something. */
  own({ path, operation, from, kind }: Change) {
    if (kind === 'directory') return
    if (operation === 'moved') {
      if (from !== undefined) this.#note(from, 'deleted')
      this.#note(path, 'created')
    } else this.#note(path, operation === 'modified' ? 'changed' : operation)
  }

  close() {
    this.#off()
  }

  async #start() {
    const { watcher, list } = this.#workspace
    await watcher.start()
    if (!watcher.live) return
    this.#off = watcher.on(news => this.#hear(news))
    this.#looked = Date.now()
    for (const path of await list.files()) this.#files.add(path)
  }

  #hear({ paths, gone, everything }: News) {
    let folders = everything || gone.length > 0
    for (const path of paths) {
      const kind = kindOf(`${this.#workspace.root}/${path}`)
      if (kind === 'folder') folders = true
      else if (kind === 'file') this.#note(path, this.#files.has(path) ? 'changed' : 'created')
      else if (this.#files.has(path)) this.#note(path, 'deleted')
    }
    if (folders) this.#comparing = this.#comparing.then(() => this.#compare(everything)).catch(() => {})
  }

  /** A folder came or went, or rules changed: the names that are there now are held against those that were. Where changes
   * were lost, files are looked at too. */
  async #compare(everything: boolean): Promise<void> {
    const { list, root } = this.#workspace
    const now = new Set(await list.files())
    for (const path of this.#files) if (!now.has(path)) this.#note(path, 'deleted')
    for (const path of now) if (!this.#files.has(path)) this.#note(path, 'created')
    if (!everything) return
    const since = this.#looked
    this.#looked = Date.now()
    if (now.size <= MOST_COMPARED)
      for (const path of now) if (modified(`${root}/${path}`) >= since) this.#note(path, 'changed')
  }

  #note(path: string, event: FileEvent) {
    if (event === 'deleted') this.#files.delete(path)
    else this.#files.add(path)
    this.#tell(path, event)
  }
}

function kindOf(path: string): 'file' | 'folder' | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  return stat?.isDirectory() ? 'folder' : stat && 'file'
}

function modified(path: string): number {
  return lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
