// The web, as one call may use it. What is fetched goes to addresses that the guard has judged; where it is sent on, the
// new address is judged anew, by the guard and by policy; and what a site asks programs to stay away from is not fetched.
import type { WebSettings } from '../../config/web.ts'
import { type HostPattern, readHostPattern } from '../../text/url/hosts.ts'
import type { ComputePool } from '../compute/compute-pool.ts'
import { type EgressNetwork, type EgressPolicy, resolveAllowedAddresses } from '../egress/guarded-connect.ts'
import type { Effects } from '../host.ts'
import { type CachedPage, freshUntil, PageCache } from './page-cache.ts'
import { Robots, USER_AGENT_PRODUCT } from './robots.ts'
import { inheritsPermission, parseWebAddress, stripFragment, type UrlPolicy, type WebAddress } from './web-address.ts'
import { WebSearch } from './web-search.ts'

export type { CachedPage } from './page-cache.ts'
export type { WebAddress } from './web-address.ts'

export interface WebRequest {
  url: string
  method: 'GET' | 'POST'
  /** The caller's own, with names in small letters. */
  headers: Readonly<Record<string, string>>
  body?: string | undefined
  /** The same page was asked for before, and is read on: as it was then, where it is still kept. */
  isContinuation: boolean
}

export interface FetchedPage extends CachedPage {
  /** Whether it was sent, is as it was kept, or was kept and has not changed. */
  source: 'network' | 'cache' | 'unchanged'
}

interface WebServiceOptions {
  settings: WebSettings
  version: string
  /** Ports that the server itself listens on. */
  ownPorts: readonly number[]
  environment: Readonly<Record<string, string | undefined>>
  compute: ComputePool
  network?: EgressNetwork
}

const NOT_MODIFIED = 304

const parsePatterns = (texts: readonly string[]): HostPattern[] => texts.flatMap(text => readHostPattern(text) ?? [])

/** What outlives a call: what is kept of pages and of what sites ask for. */
export class WebService {
  readonly settings: WebSettings
  readonly egressPolicy: EgressPolicy
  /** Patterns that may name ports besides those of the web. */
  readonly extraPorts: readonly HostPattern[]
  readonly cache: PageCache
  readonly robots: Robots
  readonly search: WebSearch
  readonly userAgent: string

  constructor({ settings, version, ownPorts, environment, compute, network }: WebServiceOptions) {
    const allowedPrivateHosts = parsePatterns(settings.local)
    this.settings = settings
    this.egressPolicy = { ownPorts, allowedPrivateHosts, ...(network && { network }) }
    this.extraPorts = [...parsePatterns(settings.allow), ...allowedPrivateHosts]
    this.cache = new PageCache(settings.cache)
    this.robots = new Robots(compute)
    this.search = new WebSearch(settings.search, environment)
    this.userAgent = `${USER_AGENT_PRODUCT}/${version}${settings.contact === undefined ? '' : ` (+${settings.contact})`}`
  }
}

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
