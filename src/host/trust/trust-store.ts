// What a person has trusted: one exact content of a file or folder, by its path. Whatever else comes to stand there is
// not trusted, and neither is the same content elsewhere.
import { isDeepStrictEqual } from 'node:util'
import { watchFiles } from '../watch-files.ts'
import { readTrustFile } from './trust-file.ts'

export interface Trust {
  isTrusted(path: string, sha256: string): boolean
  /** Whether some content of it was trusted: another one has changed since. */
  knows(path: string): boolean
  /** Hears each time that something may be trusted, or not be any more. Gives what ends that. */
  onChange(listener: () => void): () => void
}

/** Contents by path, as the user's configuration and flags give them. */
type Given = Readonly<Record<string, string>>

/** Trusts nothing, for ever. */
export const NO_TRUST: Trust = { isTrusted: () => false, knows: () => false, onChange: () => () => {} }

/** The trust of a server: what the file of the user holds, which is followed, besides what the configuration gives. */
export class LiveTrust implements Trust {
  readonly #file: string
  readonly #faulty: (message: string) => void
  readonly #listeners = new Set<() => void>()
  #kept: ReadonlyMap<string, { sha256: string }> = new Map()
  #given: Given = {}
  #unwatch: (() => void) | undefined

  /** `faulty` hears why the file cannot be taken; then nothing is trusted by it. */
  constructor(file: string, faulty: (message: string) => void) {
    this.#file = file
    this.#faulty = faulty
    this.#read()
  }

  isTrusted(path: string, sha256: string): boolean {
    return this.#kept.get(path)?.sha256 === sha256 || ownOf(this.#given, path) === sha256
  }

  knows(path: string): boolean {
    return this.#kept.has(path) || ownOf(this.#given, path) !== undefined
  }

  /** What the configuration gives, in place of what it gave. */
  give(given: Given) {
    if (isDeepStrictEqual(given, this.#given)) return
    this.#given = given
    this.#tell()
  }

  /** Takes each change of the file from now on. */
  follow() {
    this.#unwatch ??= watchFiles([this.#file], () => {
      this.#read()
      this.#tell()
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
      this.#kept = readTrustFile(this.#file)
    } catch (error) {
      this.#kept = new Map()
      this.#faulty((error as Error).message)
    }
  }

  #tell() {
    for (const listener of this.#listeners) listener()
  }
}

const ownOf = (by: Given, path: string) => (Object.hasOwn(by, path) ? by[path] : undefined)
