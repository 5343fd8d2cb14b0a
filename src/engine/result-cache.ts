// Answers of reading calls, kept for a short while. An answer is given again only while it can be shown to be still
// true: the files it read have not changed by their fingerprints, the trees it listed by the watcher's word, and no call
// has changed anything in its workspace since.
import type { CallResult } from './call.ts'

export interface CachedResult {
  tool_call_id: string
  result: CallResult
  /** The result as JSON. */
  json: string
  /** What must still be so for the answer to hold. */
  validator: string
}

interface CacheEntry extends CachedResult {
  workspace: string
  expiresAt: number
  bytes: number
}

/** What an entry costs besides its texts. */
const ENTRY_OVERHEAD_BYTES = 200

export class ResultCache {
  readonly #ttlMs: number
  readonly #maxBytes: number
  /** Oldest use first. */
  readonly #entries = new Map<string, CacheEntry>()
  #bytes = 0

  constructor({ ttl_ms, max_bytes }: { ttl_ms: number; max_bytes: number }) {
    this.#ttlMs = ttl_ms
    this.#maxBytes = max_bytes
  }

  get isEnabled(): boolean {
    return this.#ttlMs > 0
  }

  /** The answer kept under the key, if its evidence is the one that holds now. */
  get(key: string, evidence: string): CachedResult | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    if (entry.expiresAt < performance.now() || entry.validator !== evidence) {
      this.#evict(key, entry)
      return undefined
    }
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry
  }

  put(key: string, workspace: string, kept: CachedResult) {
    const old = this.#entries.get(key)
    if (old) this.#evict(key, old)
    const bytes = ENTRY_OVERHEAD_BYTES + key.length + 3 * kept.json.length
    if (bytes > this.#maxBytes / 4) return
    this.#entries.set(key, { ...kept, workspace, bytes, expiresAt: performance.now() + this.#ttlMs })
    this.#bytes += bytes
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) break
      this.#evict(oldest, entry)
    }
  }

  /** Drops every answer about a workspace: something in it may have changed. */
  invalidate(workspace: string) {
    for (const [key, entry] of this.#entries) if (entry.workspace === workspace) this.#evict(key, entry)
  }

  #evict(key: string, { bytes }: CacheEntry) {
    this.#entries.delete(key)
    this.#bytes -= bytes
  }
}
