import type { WebSettings } from '../../config/web.ts'
import { type HostPattern, readHostPattern } from '../../text/url/hosts.ts'
import type { ComputePool } from '../compute/compute-pool.ts'
import type { EgressNetwork, EgressPolicy } from '../egress/guarded-connect.ts'
import { type CachedPage, PageCache } from './page-cache.ts'
import { Robots, USER_AGENT_PRODUCT } from './robots.ts'
import { WebSearch } from './web-search.ts'

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

export interface WebServiceOptions {
  settings: WebSettings
  version: string
  /** Ports that the server itself listens on. */
  ownPorts: readonly number[]
  environment: Readonly<Record<string, string | undefined>>
  compute: ComputePool
  network?: EgressNetwork
}
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
