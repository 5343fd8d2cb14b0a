// Cache for the results of reads, with a short lifetime. A result is reused only while it is provably current: the fingerprints
// of the files read are unchanged, the watcher reports no change in the listed trees, and no call has changed anything in its
// workspace since.
import type { CallResult } from '../protocol/calls.ts'

export interface CachedResult {
  tool_call_id: string
  result: CallResult
  /** The serialized result. */
  json: string
  /** State that must be unchanged for the result to be valid. */
  validator: string
}

interface CacheEntry extends CachedResult {
  workspace: string
  expiresAt: number
  bytes: number
}

/** Bytes of an entry besides its texts. */
const ENTRY_OVERHEAD_BYTES = 200

export class ResultCache {
  readonly #ttlMs: number
  readonly #maxBytes: number
  /** In LRU order: the least recently used first. */
  readonly #entries = new Map<string, CacheEntry>()
  #bytes = 0

  constructor({ ttl_ms, max_bytes }: { ttl_ms: number; max_bytes: number }) {
    this.#ttlMs = ttl_ms
    this.#maxBytes = max_bytes
  }

  get isEnabled(): boolean {
    return this.#ttlMs > 0
  }

  /** Returns the cached result for the key, if its validator matches the current one. */
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

  put(key: string, workspace: string, result: CachedResult) {
    const old = this.#entries.get(key)
    if (old) this.#evict(key, old)
    const bytes = ENTRY_OVERHEAD_BYTES + key.length + 3 * result.json.length
    if (bytes > this.#maxBytes / 4) return
    this.#entries.set(key, { ...result, workspace, bytes, expiresAt: performance.now() + this.#ttlMs })
    this.#bytes += bytes
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) break
      this.#evict(oldest, entry)
    }
  }

  /** Drops all results of a workspace, since something in it may have changed. */
  invalidate(workspace: string) {
    for (const [key, entry] of this.#entries) if (entry.workspace === workspace) this.#evict(key, entry)
  }

  #evict(key: string, { bytes }: CacheEntry) {
    this.#entries.delete(key)
    this.#bytes -= bytes
  }
}
