// State of web access that outlives a call: page cache and egress policy.
import type { Config } from '../../config/schema.ts'
import type { TraceHeaders } from '../../protocol/trace-context.ts'
import { type HostPattern, readHostPattern } from '../../text/url/hosts.ts'
import type { EgressNetwork, EgressPolicy } from '../egress/guarded-connect.ts'
import { UpstreamProxy } from '../egress/upstream-proxy.ts'
import { type CachedPage, PageCache } from './page-cache.ts'
import { WebSearch } from './web-search.ts'

export interface WebRequest {
  url: string
  method: 'GET' | 'POST'
  /** The caller's headers, with lower-case names. */
  headers: Readonly<Record<string, string>>
  body?: string | undefined
  /** Sent to the hosts that the configuration names. */
  trace?: TraceHeaders | undefined
  /** Continues an earlier read of the page: from the cached version, if there is one. */
  isContinuation: boolean
}

export interface FetchedPage extends CachedPage {
  /** Source of the page: fetched, cached, or revalidated. */
  source: 'network' | 'cache' | 'unchanged'
}

interface WebServiceOptions {
  settings: Config['web']
  /** Patterns of the hosts that receive trace contexts. */
  propagateTo: readonly string[]
  version: string
  /** Ports on which the server itself listens. */
  ownPorts: readonly number[]
  environment: Readonly<Record<string, string | undefined>>
  network?: EgressNetwork
}
const parsePatterns = (texts: readonly string[]): HostPattern[] => texts.flatMap(text => readHostPattern(text) ?? [])
/** State that outlives a call: the settings and the cache of pages. */
export class WebService {
  readonly settings: Config['web']
  readonly egressPolicy: EgressPolicy
  /** Patterns that may permit ports besides the standard ones. */
  readonly extraPorts: readonly HostPattern[]
  /** Hosts that receive trace contexts. */
  readonly propagateTo: readonly HostPattern[]
  readonly cache: PageCache
  readonly search: WebSearch
  readonly userAgent: string

  constructor({ settings, propagateTo, version, ownPorts, environment, network }: WebServiceOptions) {
    const allowedPrivateHosts = parsePatterns(settings.local)
    this.settings = settings
    this.egressPolicy = {
      ownPorts,
      allowedPrivateHosts,
      ...(network ? { network } : { proxy: UpstreamProxy.fromEnvironment(environment) })
    }
    this.extraPorts = [...parsePatterns(settings.allow), ...allowedPrivateHosts]
    this.propagateTo = parsePatterns(propagateTo)
    this.cache = new PageCache(settings.cache)
    this.search = new WebSearch(settings.search, environment)
    this.userAgent = `toolgate/${version}${settings.contact === undefined ? '' : ` (+${settings.contact})`}`
  }
}
