// Persistent cache of module descriptions: an unchanged module can be listed without starting a process.
import { createHash } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { ModuleReference } from './module-pool.ts'
import type { ModuleDescription } from './module-protocol.ts'

const MAX_MODULES = 500

export class ModuleDescriptionCache {
  readonly #file: string
  readonly #descriptions: Map<string, ModuleDescription>

  constructor(file: string) {
    this.#file = file
    this.#descriptions = new Map(Object.entries(readCache(file)))
  }

  get(module: ModuleReference): ModuleDescription | undefined {
    return this.#descriptions.get(cacheKey(module))
  }

  /** Stores a description; evicts the oldest. */
  set(module: ModuleReference, described: ModuleDescription) {
    this.#descriptions.set(cacheKey(module), described)
    for (const oldest of this.#descriptions.keys()) {
      if (this.#descriptions.size <= MAX_MODULES) break
      this.#descriptions.delete(oldest)
    }
    const fresh = `${this.#file}.${process.pid}`
    writeFileSync(fresh, JSON.stringify(Object.fromEntries(this.#descriptions)), { mode: 0o600 })
    renameSync(fresh, this.#file)
  }
}

const cacheKey = ({ folder, name, env_allow }: ModuleReference) =>
  createHash('sha256')
    .update(JSON.stringify([folder.path, folder.sha256, name, env_allow]))
    .digest('hex')

/** Returns an empty cache if the file is missing or incomplete. */
function readCache(file: string): Record<string, ModuleDescription> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, ModuleDescription>
  } catch {
    return {}
  }
}
