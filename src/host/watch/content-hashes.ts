// What is known and told of contents that others changed.
import { hashOf } from '../files/content-source.ts'
import type { Change } from '../host.ts'
import type { Known } from './inventory.ts'
import type { Seen } from './stat-snapshot.ts'
import type { Tree } from './workspace-tree.ts'

/** Larger files are not read: no hash of them is told. */
const HASH_LIMIT = 1024 * 1024

export class Contents {
  readonly #tree: Tree

  constructor(tree: Tree) {
    this.#tree = tree
  }

  /** Undefined where it is too large, or no longer what was seen. */
  async hash(path: string, seen: Seen): Promise<string | undefined> {
    if (seen.kind !== 'file' || seen.size > HASH_LIMIT) return undefined
    const bytes = await this.#tree.read(path, seen)
    return bytes && hashOf(bytes)
  }

  /** Whether what looks the same holds the same, where the look is not enough to tell. */
  async isSame(path: string, known: Known, seen: Seen): Promise<boolean> {
    if (!known.unsure) return true
    const hash = await this.hash(path, seen)
    return hash === undefined || hash === known.hash
  }

  /** A change with its hashes. Of what may be a secret none is told: whoever can guess the content could tell by it. */
  withHashes(change: Change, before_hash: string | undefined, after_hash: string | undefined): Change {
    if (this.#tree.isSensitive(change.path)) return change
    return {
      ...change,
      ...(before_hash !== undefined && change.from === undefined && { before_hash }),
      ...(after_hash !== undefined && { after_hash })
    }
  }
}
