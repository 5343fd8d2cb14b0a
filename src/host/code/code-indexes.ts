// The code indexes of all served workspaces.
import { readdirSync } from 'node:fs'
import path from 'node:path'
import type { Config } from '../../config/schema.ts'
import { createFetch } from '../egress/proxied-fetch.ts'
import type { PathGuard } from '../files/policy/path-policy.ts'
import type { Environment } from '../processes/environment.ts'
import type { Watcher } from '../watch/watcher.ts'
import type { Workspace } from '../workspace.ts'
import { CodeIndex, type IndexState, indexFile, indexFolder } from './code-index.ts'
import { EmbeddingsClient } from './embeddings-client.ts'
import { removeIndex } from './index-schema.ts'

/** Receives each new state of a workspace's index. */
type IndexStateListener = (workspace: string, state: IndexState) => void

export class CodeIndexes {
  readonly #indexes = new Map<string, CodeIndex>()
  readonly #files: string[] = []
  readonly #guard: PathGuard
  readonly #settings: Config['search']
  readonly #embeddings: EmbeddingsClient | undefined
  #listener: IndexStateListener = () => {}

  /** `masked` redacts known secrets from requests to an endpoint; `environment` has its key. */
  constructor(
    guard: PathGuard,
    settings: Config['search'],
    { masked, environment }: { masked: (text: string) => string; environment: Environment }
  ) {
    this.#guard = guard
    const { url, ...embeddings } = settings.embeddings
    const key = embeddings.key_env === undefined ? undefined : environment[embeddings.key_env]
    this.#embeddings =
      url === undefined
        ? undefined
        : new EmbeddingsClient({ ...embeddings, url }, key, masked, createFetch(environment))
    this.#settings = settings
  }

  add(workspace: Workspace, watcher: Watcher): CodeIndex {
    const { name, root } = workspace
    const index = new CodeIndex(workspace, watcher, this.#guard, this.#settings, this.#embeddings, state => {
      if (state.state === 'building') this.removeUnused()
      this.#listener(name, state)
    })
    this.#indexes.set(name, index)
    this.#files.push(indexFile(this.#guard.stateDir, root))
    return index
  }

  get(workspace: string): CodeIndex | undefined {
    return this.#indexes.get(workspace)
  }

  onStateChange(hearer: IndexStateListener) {
    this.#listener = hearer
  }

  /** Starts the indexes that do not wait for a first request. */
  startEager() {
    if (this.#settings.index === 'on') for (const index of this.#indexes.values()) index.start()
  }

  /** Removes indexes of folders that are no longer served, and all if indexing is disabled. */
  removeUnused() {
    const folder = indexFolder(this.#guard.stateDir)
    const wanted = new Set(this.#settings.index === 'off' ? [] : this.#files)
    for (const name of listNames(folder)) {
      const file = path.join(folder, name.replace(/\.db(?:-wal|-shm)?$/, '.db'))
      if (!wanted.has(file)) removeIndex(file)
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#indexes.values()].map(index => index.close()))
  }
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
