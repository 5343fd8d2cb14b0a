// Contents trusted by a person: one exact content of a file or folder, by its path. Other content at the path is not trusted, and
// neither is the same content elsewhere.
import { isDeepStrictEqual } from 'node:util'
import { watchFiles } from '../watch-files.ts'
import { readTrustFile } from './trust-file.ts'

export interface TrustStore {
  isTrusted(path: string, sha256: string): boolean
  /** Checks if some content of it was trusted: a different one means that it has changed. */
  isKnown(path: string): boolean
  /** Subscribes to changes of trust. Returns the unsubscribe function. */
  onChange(listener: () => void): () => void
}

/** Contents by path, from the user's configuration and flags. */
type PinnedContents = Readonly<Record<string, string>>

/** Trusts nothing. */
export const NO_TRUST: TrustStore = { isTrusted: () => false, isKnown: () => false, onChange: () => () => {} }

/** The trust of a server: the user's file, which is watched, and the configured contents. */
export class LiveTrustStore implements TrustStore {
  readonly #file: string
  readonly #onError: (message: string) => void
  readonly #listeners = new Set<() => void>()
  #stored: ReadonlyMap<string, { sha256: string }> = new Map()
  #pinned: PinnedContents = {}
  #unwatch: (() => void) | undefined

  /** `faulty` is called with the reason if the file is invalid; nothing is trusted by it then. */
  constructor(file: string, faulty: (message: string) => void) {
    this.#file = file
    this.#onError = faulty
    this.#read()
  }

  isTrusted(path: string, sha256: string): boolean {
    return this.#stored.get(path)?.sha256 === sha256 || ownValue(this.#pinned, path) === sha256
  }

  isKnown(path: string): boolean {
    return this.#stored.has(path) || ownValue(this.#pinned, path) !== undefined
  }

  /** Replaces the configured contents. */
  setPinned(given: PinnedContents) {
    if (isDeepStrictEqual(given, this.#pinned)) return
    this.#pinned = given
    this.#notify()
  }

  /** Starts watching the file. */
  watch() {
    this.#unwatch ??= watchFiles([this.#file], () => {
      this.#read()
      this.#notify()
    })
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  close() {
    this.#unwatch?.()
  }

  #read() {
    try {
      this.#stored = readTrustFile(this.#file)
    } catch (error) {
      this.#stored = new Map()
      this.#onError((error as Error).message)
    }
  }

  #notify() {
    for (const listener of this.#listeners) listener()
  }
}

const ownValue = (by: PinnedContents, path: string) => (Object.hasOwn(by, path) ? by[path] : undefined)
