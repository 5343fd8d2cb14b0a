// In-memory cache of fetched pages: a long page is paged without another fetch, and revalidated when stale. Only plain requests
// are cached, without headers or body of the caller, so that content accessible by one caller's credentials is never shown to
// another.
import type { HttpResponse } from './send-request.ts'

/** An answer with its origin. */
export interface CachedPage extends HttpResponse {
  /** The requested address, its redirects, and the final one. */
  hops: string[]
  fetchedAt: number
  /** Until this time no revalidation is needed. */
  freshUntil: number
  /** Derived content, by form. */
  readonly derived: Map<string, unknown>
}

export interface CacheLimits {
  max_bytes: number
  ttl_ms: number
}

/** Derived content is stored with a page, and is about as large. */
const MEMORY_FACTOR = 3

export class PageCache {
  readonly #limits: CacheLimits
  /** In order of last use, oldest first. */
  readonly #pages = new Map<string, CachedPage>()
  #bytes = 0

  constructor(limits: CacheLimits) {
    this.#limits = limits
  }

  get(url: string): CachedPage | undefined {
    const kept = this.#pages.get(url)
    if (!kept) return undefined
    this.#remove(url)
    if (Date.now() - kept.fetchedAt > this.#limits.ttl_ms) return undefined
    this.#add(url, kept)
    return kept
  }

  put(url: string, kept: CachedPage) {
    this.#remove(url)
    if (sizeOf(kept) > this.#limits.max_bytes || !isCacheable(kept)) return
    this.#add(url, kept)
    for (const [oldest] of this.#pages) {
      if (this.#bytes <= this.#limits.max_bytes) break
      this.#remove(oldest)
    }
  }

  #add(url: string, kept: CachedPage) {
    this.#pages.set(url, kept)
    this.#bytes += sizeOf(kept)
  }

  #remove(url: string) {
    const kept = this.#pages.get(url)
    if (kept && this.#pages.delete(url)) this.#bytes -= sizeOf(kept)
  }
}

const sizeOf = ({ bytes }: CachedPage) => MEMORY_FACTOR * bytes.length + 2_048

const cacheDirectives = ({ headers }: Pick<HttpResponse, 'headers'>) =>
  new Map(
    (headers['cache-control'] ?? '')
      .toLowerCase()
      .split(',')
      .map((one): [string, string] => {
        const [name = '', value = ''] = one.trim().split('=')
        return [name, value.replaceAll('"', '')]
      })
  )

const OK = 200

function isCacheable(answer: HttpResponse): boolean {
  return answer.status === OK && !cacheDirectives(answer).has('no-store') && answer.headers.vary?.trim() !== '*'
}

/** Returns the time until which an answer received now is fresh, by its headers. */
export function freshUntil(answer: Pick<HttpResponse, 'headers'>, now: number): number {
  const said = cacheDirectives(answer)
  if (said.has('no-cache') || said.has('no-store')) return now
  const age = Number(said.get('max-age'))
  if (said.has('max-age') && Number.isFinite(age))
    return now + Math.max(0, age - (Number(answer.headers.age) || 0)) * 1_000
  const { expires, date } = answer.headers
  const until = expires === undefined ? Number.NaN : Date.parse(expires) - (Date.parse(date ?? '') || now)
  return Number.isNaN(until) ? now : now + Math.max(0, until)
}

/** Returns the headers of a conditional request. */
export function conditionalHeaders({
  headers: { etag, 'last-modified': modified }
}: CachedPage): Record<string, string> {
  return {
    ...(etag !== undefined && { 'if-none-match': etag }),
    ...(modified !== undefined && { 'if-modified-since': modified })
  }
}
