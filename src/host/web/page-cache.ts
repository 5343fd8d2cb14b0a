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

interface CacheLimits {
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
    const cached = this.#pages.get(url)
    if (!cached) return undefined
    this.#remove(url)
    if (Date.now() - cached.fetchedAt > this.#limits.ttl_ms) return undefined
    this.#add(url, cached)
    return cached
  }

  put(url: string, page: CachedPage) {
    this.#remove(url)
    if (sizeOf(page) > this.#limits.max_bytes || !isCacheable(page)) return
    this.#add(url, page)
    for (const [oldest] of this.#pages) {
      if (this.#bytes <= this.#limits.max_bytes) break
      this.#remove(oldest)
    }
  }

  #add(url: string, page: CachedPage) {
    this.#pages.set(url, page)
    this.#bytes += sizeOf(page)
  }

  #remove(url: string) {
    const cached = this.#pages.get(url)
    if (cached && this.#pages.delete(url)) this.#bytes -= sizeOf(cached)
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
  const directives = cacheDirectives(answer)
  if (directives.has('no-cache') || directives.has('no-store')) return now
  const age = Number(directives.get('max-age'))
  if (directives.has('max-age') && Number.isFinite(age))
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
