// Texts that callers have read, in memory, so that whoever comes with an old hash can be told what has changed since. Each
// is known only as a version of its own file: a hash, which anybody may have come by, is no key to what others hold. The
// ones not asked for longest are forgotten first.
import type { Workspace } from '../host.ts'
import { type Guard, judge } from './policy/path-policy.ts'

const LARGEST = 1024 * 1024
const MOST_BYTES = 16 * 1024 * 1024

/** A version of a file, by its canonical path. */
interface Version {
  path: string
  hash: string
}

/** The texts of one workspace. */
export interface WorkspaceTexts {
  /** Secrets are not remembered. */
  remember(version: Version, bytes: Buffer): void
  find(version: Version): Buffer | undefined
}

export class Texts {
  readonly #byVersion = new Map<string, Buffer>()
  readonly #guard: Guard
  #bytes = 0

  constructor(guard: Guard) {
    this.#guard = guard
  }

  of(workspace: Workspace): WorkspaceTexts {
    const key = ({ path, hash }: Version) => JSON.stringify([workspace.name, path, hash])
    return {
      remember: (version, bytes) => {
        const { sensitive } = judge(workspace, this.#guard, { path: version.path, stat: undefined })
        if (!sensitive) this.#remember(key(version), bytes)
      },
      find: version => this.#byVersion.get(key(version))
    }
  }

  #remember(key: string, bytes: Buffer) {
    if (bytes.length > LARGEST) return
    this.#forget(key)
    this.#byVersion.set(key, bytes)
    this.#bytes += bytes.length
    for (const oldest of this.#byVersion.keys()) {
      if (this.#bytes <= MOST_BYTES) return
      this.#forget(oldest)
    }
  }

  #forget(key: string) {
    this.#bytes -= this.#byVersion.get(key)?.length ?? 0
    this.#byVersion.delete(key)
  }
}
