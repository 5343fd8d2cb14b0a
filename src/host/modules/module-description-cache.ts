// How modules described themselves, kept across starts: one that is as it was needs no process to be listed.
import { createHash } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { Module } from './module-pool.ts'
import type { Described } from './module-protocol.ts'

const MOST = 500

export class KnownModules {
  readonly #file: string
  readonly #known: Map<string, Described>

  constructor(file: string) {
    this.#file = file
    this.#known = new Map(Object.entries(readIn(file)))
  }

  get(module: Module): Described | undefined {
    return this.#known.get(keyOf(module))
  }

  /** The oldest are forgotten. */
  set(module: Module, described: Described) {
    this.#known.set(keyOf(module), described)
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MOST) break
      this.#known.delete(oldest)
    }
    const fresh = `${this.#file}.${process.pid}`
    writeFileSync(fresh, JSON.stringify(Object.fromEntries(this.#known)), { mode: 0o600 })
    renameSync(fresh, this.#file)
  }
}

const keyOf = ({ folder, name, env_allow }: Module) =>
  createHash('sha256')
    .update(JSON.stringify([folder.path, folder.sha256, name, env_allow]))
    .digest('hex')

/** Nothing, where it is missing or was not written whole. */
function readIn(file: string): Record<string, Described> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, Described>
  } catch {
    return {}
  }
}
