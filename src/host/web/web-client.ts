// Web access of one call. Requests go to addresses that passed the guard; redirect targets are checked again, by the guard and by
// policy.

import type { Effects } from '../effects.ts'
import { resolveAllowedAddresses } from '../egress/guarded-connect.ts'
import { type CachedPage, freshUntil } from './page-cache.ts'
import { inheritsPermission, parseWebAddress, stripFragment, type UrlPolicy, type WebAddress } from './web-address.ts'
import type { WebSearch } from './web-search.ts'
import type { FetchedPage, WebRequest, WebService } from './web-service.ts'

const NOT_MODIFIED = 304

export class WebClient {
  readonly #service: WebService
  readonly #effects: Pick<Effects, 'signal' | 'commitIntent'>

  constructor(machine: WebService, effects: Pick<Effects, 'signal' | 'commitIntent'>) {
    this.#service = machine
    this.#effects = effects
  }

  /** Throws INVALID_PARAMS for an invalid address, and URL_BLOCKED for one that is never fetched. Does not access the network. */
  parseAddress(url: string): WebAddress {
    return parseWebAddress(url, this.#service.extraPorts)
  }

  /** Resolves an address. Throws URL_BLOCKED if it is not permitted, and NETWORK_ERROR if it does not exist. */
  resolveAddresses({ host, port }: WebAddress): Promise<readonly string[]> {
    return resolveAllowedAddresses(host, port, this.#service.egressPolicy)
  }

  get search(): WebSearch {
    return this.#service.search
  }

  async fetch(request: WebRequest, reach: UrlPolicy): Promise<FetchedPage> {
    const { cache } = this.#service
    const start = this.parseAddress(request.url)
    const key = stripFragment(start.url)
    const isPlain = request.method === 'GET' && Object.keys(request.headers).length === 0
    const cached = isPlain ? cache.get(key) : undefined
    const isGood = cached && (request.isContinuation || cached.freshUntil > Date.now())
    // Rules may have changed since.
    if (
      isGood &&
      cached.hops
        .slice(1)
        .every(hop => reach(hop) === 'allow' || inheritsPermission({ start, reach }, this.parseAddress(hop)))
    )
      return { ...cached, source: 'cache' }
    // A POST may have an effect, so the call's intent comes first, and it is not retried.
    if (request.method === 'POST') await this.#effects.commitIntent()
    // Loaded on demand: most servers never fetch anything.
    const { followRedirects } = await import('./follow-redirects.ts')
    const { answer, hops } = await followRedirects(this.#service, request, {
      start,
      reach,
      signal: this.#effects.signal,
      cached,
      trace: request.trace
    })
    const now = Date.now()
    const fresh = { fetchedAt: now, freshUntil: freshUntil(answer, now) }
    const unchanged = answer.status === NOT_MODIFIED && cached
    const page: CachedPage = unchanged ? { ...cached, ...fresh } : { ...answer, ...fresh, hops, derived: new Map() }
    if (isPlain) cache.put(key, page)
    return { ...page, source: unchanged ? 'unchanged' : 'network' }
  }
}
