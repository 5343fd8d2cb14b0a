// In-memory cache of texts that callers have read, to compute what has changed since a caller's old hash. Each text is known only
// as a version of one file: a hash may be known to anyone and must not give access to the contents of others. Eviction is least
// recently used.
import type { Workspace } from '../workspace.ts'
import { classifyPath, type PathGuard } from './policy/path-policy.ts'

const MAX_TEXT_BYTES = 1024 * 1024
const MAX_TOTAL_BYTES = 16 * 1024 * 1024

/** A version of a file, by its canonical path. */
interface Version {
  path: string
  hash: string
}

/** Recent texts of one workspace. */
export interface WorkspaceTexts {
  /** Remembers a version. Secrets are not stored. */
  remember(version: Version, bytes: Buffer): void
  find(version: Version): Buffer | undefined
}

export class RecentTexts {
  readonly #byVersion = new Map<string, Buffer>()
  readonly #guard: PathGuard
  #bytes = 0

  constructor(guard: PathGuard) {
    this.#guard = guard
  }

  forWorkspace(workspace: Workspace): WorkspaceTexts {
    const key = ({ path, hash }: Version) => JSON.stringify([workspace.name, path, hash])
    return {
      remember: (version, bytes) => {
        const { sensitive } = classifyPath(workspace, this.#guard, { path: version.path, stat: undefined })
        if (!sensitive) this.#remember(key(version), bytes)
      },
      find: version => this.#byVersion.get(key(version))
    }
  }

  #remember(key: string, bytes: Buffer) {
    if (bytes.length > MAX_TEXT_BYTES) return
    this.#forget(key)
    this.#byVersion.set(key, bytes)
    this.#bytes += bytes.length
    for (const oldest of this.#byVersion.keys()) {
      if (this.#bytes <= MAX_TOTAL_BYTES) return
      this.#forget(oldest)
    }
  }

  #forget(key: string) {
    this.#bytes -= this.#byVersion.get(key)?.length ?? 0
    this.#byVersion.delete(key)
  }
}
