// The indexes of all workspaces that are served.
import { readdirSync } from 'node:fs'
import path from 'node:path'
import type { Config } from '../../config/schema.ts'
import type { Guard } from '../files/policy/path-policy.ts'
import type { Workspace } from '../host.ts'
import type { Environment } from '../processes/environment.ts'
import type { Watcher } from '../watch/watcher.ts'
import { CodeIndex, type IndexState, indexFile, indexFolder } from './code-index.ts'
import { Embeddings } from './embeddings-client.ts'
import { removeIndex } from './index-schema.ts'

/** Hears of each new state of a workspace's index. */
type IndexHearer = (workspace: string, state: IndexState) => void

export class CodeIndexes {
  readonly #indexes = new Map<string, CodeIndex>()
  readonly #files: string[] = []
  readonly #guard: Guard
  readonly #settings: Config['search']
  readonly #embeddings: Embeddings | undefined
  #hearer: IndexHearer = () => {}

  /** `masked` takes known secrets out of what is sent to an endpoint; `environment` has its key. */
  constructor(
    guard: Guard,
    settings: Config['search'],
    { masked, environment }: { masked: (text: string) => string; environment: Environment }
  ) {
    this.#guard = guard
    const { url, ...embeddings } = settings.embeddings
    const key = embeddings.key_env === undefined ? undefined : environment[embeddings.key_env]
    this.#embeddings = url === undefined ? undefined : new Embeddings({ ...embeddings, url }, key, masked)
    this.#settings = settings
  }

  open(workspace: Workspace, watcher: Watcher): CodeIndex {
    const { name, root } = workspace
    const index = new CodeIndex(workspace, watcher, this.#guard, this.#settings, this.#embeddings, state => {
      if (state.state === 'building') this.sweep()
      this.#hearer(name, state)
    })
    this.#indexes.set(name, index)
    this.#files.push(indexFile(this.#guard.stateDir, root))
    return index
  }

  of(workspace: string): CodeIndex | undefined {
    return this.#indexes.get(workspace)
  }

  whenChanged(hearer: IndexHearer) {
    this.#hearer = hearer
  }

  /** Begins with those that wait for no question. */
  startUnasked() {
    if (this.#settings.index === 'on') for (const index of this.#indexes.values()) index.start()
  }

  /** Removes indexes of folders that are no longer served, and all where there should be none. */
  sweep() {
    const folder = indexFolder(this.#guard.stateDir)
    const wanted = new Set(this.#settings.index === 'off' ? [] : this.#files)
    for (const name of namesIn(folder)) {
      const file = path.join(folder, name.replace(/\.db(?:-wal|-shm)?$/, '.db'))
      if (!wanted.has(file)) removeIndex(file)
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#indexes.values()].map(index => index.close()))
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
