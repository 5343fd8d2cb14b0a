// Answers of reading calls, kept for a short while. An answer is given again only while it can be shown to be still
// true: the files it read have not changed by their fingerprints, the trees it listed by the watcher's word, and no call
// has changed anything in its workspace since.
import type { Result } from './call.ts'

export interface Kept {
  tool_call_id: string
  result: Result
  /** The result as JSON. */
  json: string
  /** What must still be so for the answer to hold. */
  evidence: string
}

interface Entry extends Kept {
  workspace: string
  until: number
  bytes: number
}

/** What an entry costs besides its texts. */
const OVERHEAD = 200

export class ResultCache {
  readonly #ttl_ms: number
  readonly #max_bytes: number
  /** Oldest use first. */
  readonly #entries = new Map<string, Entry>()
  #bytes = 0

  constructor({ ttl_ms, max_bytes }: { ttl_ms: number; max_bytes: number }) {
    this.#ttl_ms = ttl_ms
    this.#max_bytes = max_bytes
  }

  get on(): boolean {
    return this.#ttl_ms > 0
  }

  /** The answer kept under the key, if its evidence is the one that holds now. */
  get(key: string, evidence: string): Kept | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    if (entry.until < performance.now() || entry.evidence !== evidence) {
      this.#drop(key, entry)
      return undefined
    }
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry
  }

  put(key: string, workspace: string, kept: Kept) {
    const old = this.#entries.get(key)
    if (old) this.#drop(key, old)
    const bytes = OVERHEAD + key.length + 3 * kept.json.length
    if (bytes > this.#max_bytes / 4) return
    this.#entries.set(key, { ...kept, workspace, bytes, until: performance.now() + this.#ttl_ms })
    this.#bytes += bytes
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= this.#max_bytes) break
      this.#drop(oldest, entry)
    }
  }

  /** Drops every answer about a workspace: something in it may have changed. */
  forget(workspace: string) {
    for (const [key, entry] of this.#entries) if (entry.workspace === workspace) this.#drop(key, entry)
  }

  #drop(key: string, { bytes }: Entry) {
    this.#entries.delete(key)
    this.#bytes -= bytes
  }
}
