// Texts that callers have read, in memory, so that whoever comes with an old hash can be told what has changed since. Each
// is known only as a version of its own file: a hash, which anybody may have come by, is no key to what others hold. The
// ones not asked for longest are forgotten first.
import type { Workspace } from '../workspace.ts'
import { classifyPath, type PathGuard } from './policy/path-policy.ts'

const MAX_TEXT_BYTES = 1024 * 1024
const MAX_TOTAL_BYTES = 16 * 1024 * 1024

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
