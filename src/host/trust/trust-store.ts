// What a person has trusted: one exact content of a file or folder, by its path. Whatever else comes to stand there is
// not trusted, and neither is the same content elsewhere.
import { isDeepStrictEqual } from 'node:util'
import { watchFiles } from '../watch-files.ts'
import { readTrustFile } from './trust-file.ts'

export interface TrustStore {
  isTrusted(path: string, sha256: string): boolean
  /** Whether some content of it was trusted: another one has changed since. */
  isKnown(path: string): boolean
  /** Hears each time that something may be trusted, or not be any more. Gives what ends that. */
  onChange(listener: () => void): () => void
}

/** Contents by path, as the user's configuration and flags give them. */
type PinnedContents = Readonly<Record<string, string>>

/** Trusts nothing, for ever. */
export const NO_TRUST: TrustStore = { isTrusted: () => false, isKnown: () => false, onChange: () => () => {} }

/** The trust of a server: what the file of the user holds, which is followed, besides what the configuration gives. */
export class LiveTrustStore implements TrustStore {
  readonly #file: string
  readonly #onError: (message: string) => void
  readonly #listeners = new Set<() => void>()
  #stored: ReadonlyMap<string, { sha256: string }> = new Map()
  #pinned: PinnedContents = {}
  #unwatch: (() => void) | undefined

  /** `faulty` hears why the file cannot be taken; then nothing is trusted by it. */
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

  /** What the configuration gives, in place of what it gave. */
  setPinned(given: PinnedContents) {
    if (isDeepStrictEqual(given, this.#pinned)) return
    this.#pinned = given
    this.#notify()
  }

  /** Takes each change of the file from now on. */
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
