// The web, as one call may use it. What is fetched goes to addresses that the guard has judged; where it is sent on, the
// new address is judged anew, by the guard and by policy; and what a site asks programs to stay away from is not fetched.

import type { Effects } from '../effects.ts'
import { resolveAllowedAddresses } from '../egress/guarded-connect.ts'
import { type CachedPage, freshUntil } from './page-cache.ts'
import { inheritsPermission, parseWebAddress, stripFragment, type UrlPolicy, type WebAddress } from './web-address.ts'
import type { WebSearch } from './web-search.ts'
import type { FetchedPage, WebRequest, WebService } from './web-service.ts'

export type { CachedPage } from './page-cache.ts'
export type { WebAddress } from './web-address.ts'

const NOT_MODIFIED = 304

export class WebClient {
  readonly #service: WebService
  readonly #effects: Pick<Effects, 'signal' | 'commitIntent'>

  constructor(machine: WebService, effects: Pick<Effects, 'signal' | 'commitIntent'>) {
    this.#service = machine
    this.#effects = effects
  }

  /** Throws INVALID_PARAMS for what is no address, and URL_BLOCKED for one that is never fetched. Reaches nothing. */
  parseAddress(url: string): WebAddress {
    return parseWebAddress(url, this.#service.extraPorts)
  }

  /** Where it would be fetched from. Throws URL_BLOCKED where that may not be, and NETWORK_ERROR where there is nothing. */
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
    // What is sent may have an effect there, so the call's intent comes first, and it is not tried twice.
    if (request.method === 'POST') await this.#effects.commitIntent()
    // Loaded only now, as most servers never fetch anything.
    const { followRedirects } = await import('./follow-redirects.ts')
    const { answer, hops } = await followRedirects(this.#service, request, {
      start,
      reach,
      signal: this.#effects.signal,
      cached
    })
    const now = Date.now()
    const fresh = { fetchedAt: now, freshUntil: freshUntil(answer, now) }
    const unchanged = answer.status === NOT_MODIFIED && cached
    const page: CachedPage = unchanged ? { ...cached, ...fresh } : { ...answer, ...fresh, hops, derived: new Map() }
    if (isPlain) cache.put(key, page)
    return { ...page, source: unchanged ? 'unchanged' : 'network' }
  }
}
