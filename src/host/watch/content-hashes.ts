// Hashes of externally changed contents.

import type { Change } from '../change.ts'
import { hashBytes } from '../files/content-source.ts'
import type { KnownEntry } from './inventory.ts'
import type { StatSnapshot } from './stat-snapshot.ts'
import type { WorkspaceTree } from './workspace-tree.ts'

/** Larger files are not read: no hash of them is reported. */
const MAX_HASHED_BYTES = 1024 * 1024

export class ContentHashes {
  readonly #tree: WorkspaceTree

  constructor(tree: WorkspaceTree) {
    this.#tree = tree
  }

  /** Hashes a file; returns undefined if it is too large or has changed since it was inspected. */
  async hash(path: string, seen: StatSnapshot): Promise<string | undefined> {
    if (seen.kind !== 'file' || seen.size > MAX_HASHED_BYTES) return undefined
    const bytes = await this.#tree.readIfUnchanged(path, seen)
    return bytes && hashBytes(bytes)
  }

  /** Compares contents if metadata alone cannot decide. */
  async isSame(path: string, known: KnownEntry, seen: StatSnapshot): Promise<boolean> {
    if (!known.isRacy) return true
    const hash = await this.hash(path, seen)
    return hash === undefined || hash === known.hash
  }

  /** Adds hashes to a change. They are omitted for possible secrets: a guess of the content could be verified by them. */
  withHashes(change: Change, before_hash: string | undefined, after_hash: string | undefined): Change {
    if (this.#tree.isSensitive(change.path)) return change
    return {
      ...change,
      ...(before_hash !== undefined && change.from === undefined && { before_hash }),
      ...(after_hash !== undefined && { after_hash })
    }
  }
}
