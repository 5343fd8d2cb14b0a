// Tracks which running read-only programs may have seen a secret. What is hidden from a program is what existed when it started: a
// secret or a git repository that appears, is replaced or moved afterwards is visible to it. Programs that run at the same time can
// exchange a few bits, by locks on files of the workspace, so an exposure counts for all of them.
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Watcher } from '../../watch/watcher.ts'
import { isWithin } from '../path-within.ts'
import type { SecretExposure } from '../sandbox.ts'
import type { GuardedEntry } from './guarded-tree.ts'

/** Maximum time in milliseconds for which a program waits until those that have seen a secret are ended. */
const MAX_ENDING_MS = 10_000

/** An entry that may become visible to a program that runs. */
export type ExposableEntry = Pick<GuardedEntry, 'path' | 'identity' | 'kind'>

interface ExposureSources {
  root: string
  /** Returns the uppermost secrets that exist now, except those below the exposed folders, and the git repositories. */
  findSecrets(exposed: readonly string[]): Promise<readonly ExposableEntry[]>
  /** Checks a path, relative to the root, by its name. */
  isSensitive(name: string): boolean
  /** The watcher of the workspace, if it has one. It finds what is gone again before the next look. */
  watcher?: Watcher | undefined
}

interface TrackedProgram {
  /** Absolute paths below which secrets are visible to anybody. */
  exposed: readonly string[]
  /** Identity by path of what is hidden from it; undefined until that is known. */
  hidden: ReadonlyMap<string, string> | undefined
  /** Secrets that it, or a program that ran beside it, may have seen: paths relative to the root. */
  seen: Set<string>
  detected: AbortController
  ended: PromiseWithResolvers<void>
}

export class ExposureTracker {
  readonly #sources: ExposureSources
  readonly #running = new Set<TrackedProgram>()
  #unsubscribe: (() => void) | undefined

  constructor(sources: ExposureSources) {
    this.#sources = sources
  }

  /**
   * Tracks a program from before its secrets are looked for until `end`. `hide` states what is hidden from it. Waits until programs
   * that have seen a secret have ended; one that starts beside them nevertheless counts as having seen it.
   */
  async track(exposed: readonly string[]): Promise<SecretExposure & { hide(hidden: readonly ExposableEntry[]): void }> {
    const { watcher } = this.#sources
    await this.#untilExposedEnd()
    // Names that were added before are not new to the program.
    await watcher?.settled()
    this.#unsubscribe ??= watcher?.subscribe(({ renamed }) => this.#noteRenamed(renamed))
    const program: TrackedProgram = {
      exposed,
      hidden: undefined,
      seen: new Set(),
      detected: new AbortController(),
      ended: Promise.withResolvers<void>()
    }
    this.#running.add(program)
    this.#expose(
      program,
      [...this.#running].flatMap(({ seen }) => [...seen])
    )
    return {
      detected: program.detected.signal,
      find: async () => {
        await this.#look()
        return [...program.seen]
      },
      hide: hidden => {
        program.hidden = new Map(hidden.map(one => [one.path, one.identity]))
      },
      end: () => {
        this.#running.delete(program)
        program.ended.resolve()
        if (this.#running.size > 0) return
        this.#unsubscribe?.()
        this.#unsubscribe = undefined
      }
    }
  }

  async #untilExposedEnd() {
    const exposed = [...this.#running].filter(({ detected }) => detected.signal.aborted)
    if (exposed.length === 0) return
    const limit = new AbortController()
    const late = pause(MAX_ENDING_MS, undefined, { signal: limit.signal }).catch(() => {})
    await Promise.race([late, Promise.all(exposed.map(({ ended }) => ended.promise))])
    limit.abort()
  }

  /** Looks for what each of the running programs can see. */
  async #look(): Promise<void> {
    await this.#sources.watcher?.settled()
    const found = await Promise.all([...this.#running].map(program => this.#findVisible(program)))
    this.#exposeAll(found.flat())
  }

  /** Returns the secrets that are not covered by what was hidden: mounts belong to a path and to the entry that was there. */
  async #findVisible({ exposed, hidden }: TrackedProgram): Promise<string[]> {
    if (!hidden) return []
    const now = await this.#sources.findSecrets(exposed)
    return now
      .filter(one => one.kind !== 'other' && one.kind !== 'socket' && hidden.get(one.path) !== one.identity)
      .map(one => one.path)
  }

  /**
   * A name that was added may be gone again at the next look. One that was removed may have been moved to where it is visible, or
   * moved away and back: a mount does not survive that.
   */
  #noteRenamed(renamed: readonly string[]) {
    const { root, isSensitive } = this.#sources
    for (const name of renamed.filter(isSensitive)) {
      const file = path.join(root, name)
      const isVisibleToAll = ({ exposed }: TrackedProgram) => exposed.some(folder => isWithin(file, folder))
      if (![...this.#running].every(isVisibleToAll)) this.#exposeAll([name])
    }
  }

  #exposeAll(secrets: readonly string[]) {
    for (const program of this.#running) this.#expose(program, secrets)
  }

  #expose({ seen, detected }: TrackedProgram, secrets: readonly string[]) {
    if (secrets.length === 0) return
    for (const secret of secrets) seen.add(secret)
    detected.abort()
  }
}
