// The web, as one call may use it. What is fetched goes to addresses that the guard has judged; where it is sent on, the
// new address is judged anew, by the guard and by policy; and what a site asks programs to stay away from is not fetched.
import type { WebSettings } from '../../config/web.ts'
import { type HostPattern, readHostPattern } from '../../text/url/hosts.ts'
import type { Compute } from '../compute/compute-pool.ts'
import { type Guarding, judgedAddresses, type Outside } from '../egress/guarded-connect.ts'
import type { Effects } from '../host.ts'
import { freshUntil, type Kept, PageCache } from './page-cache.ts'
import { PRODUCT, Robots } from './robots.ts'
import { goesWith, type Reach, readAddress, type WebAddress, withoutFragment } from './web-address.ts'
import { Search } from './web-search.ts'

export type { Kept } from './page-cache.ts'
export type { WebAddress } from './web-address.ts'

export interface WebRequest {
  url: string
  method: 'GET' | 'POST'
  /** The caller's own, with names in small letters. */
  headers: Readonly<Record<string, string>>
  body?: string | undefined
  /** The same page was asked for before, and is read on: as it was then, where it is still kept. */
  continues: boolean
}

export interface Fetched extends Kept {
  /** Whether it was sent, is as it was kept, or was kept and has not changed. */
  from: 'network' | 'cache' | 'unchanged'
}

interface Options {
  settings: WebSettings
  version: string
  /** Ports that the server itself listens on. */
  own_ports: readonly number[]
  environment: Readonly<Record<string, string | undefined>>
  compute: Compute
  outside?: Outside
}

const NOT_MODIFIED = 304

const patterns = (texts: readonly string[]): HostPattern[] => texts.flatMap(text => readHostPattern(text) ?? [])

/** What outlives a call: what is kept of pages and of what sites ask for. */
export class WebOnMachine {
  readonly settings: WebSettings
  readonly guarding: Guarding
  /** Patterns that may name ports besides those of the web. */
  readonly ports: readonly HostPattern[]
  readonly cache: PageCache
  readonly robots: Robots
  readonly search: Search
  readonly agent: string

  constructor({ settings, version, own_ports, environment, compute, outside }: Options) {
    const local = patterns(settings.local)
    this.settings = settings
    this.guarding = { own_ports, local, ...(outside && { outside }) }
    this.ports = [...patterns(settings.allow), ...local]
    this.cache = new PageCache(settings.cache)
    this.robots = new Robots(compute)
    this.search = new Search(settings.search, environment)
    this.agent = `${PRODUCT}/${version}${settings.contact === undefined ? '' : ` (+${settings.contact})`}`
  }
}

export class Web {
  readonly #machine: WebOnMachine
  readonly #effects: Pick<Effects, 'signal' | 'committed'>

  constructor(machine: WebOnMachine, effects: Pick<Effects, 'signal' | 'committed'>) {
    this.#machine = machine
    this.#effects = effects
  }

  /** Throws INVALID_PARAMS for what is no address, and URL_BLOCKED for one that is never fetched. Reaches nothing. */
  address(url: string): WebAddress {
    return readAddress(url, this.#machine.ports)
  }

  /** Where it would be fetched from. Throws URL_BLOCKED where that may not be, and NETWORK_ERROR where there is nothing. */
  addresses({ host, port }: WebAddress): Promise<readonly string[]> {
    return judgedAddresses(host, port, this.#machine.guarding)
  }

  get search(): Search {
    return this.#machine.search
  }

  async fetch(request: WebRequest, reach: Reach): Promise<Fetched> {
    const { cache } = this.#machine
    const start = this.address(request.url)
    const key = withoutFragment(start.url)
    const isPlain = request.method === 'GET' && Object.keys(request.headers).length === 0
    const kept = isPlain ? cache.get(key) : undefined
    const isGood = kept && (request.continues || kept.fresh_until > Date.now())
    // Rules may have changed since.
    if (
      isGood &&
      kept.hops.slice(1).every(hop => reach(hop) === 'allow' || goesWith({ start, reach }, this.address(hop)))
    )
      return { ...kept, from: 'cache' }
    // What is sent may have an effect there, so the call's intent comes first, and it is not tried twice.
    if (request.method === 'POST') await this.#effects.committed()
    // Loaded only now, as most servers never fetch anything.
    const { follow } = await import('./follow-redirects.ts')
    const { answer, hops } = await follow(this.#machine, request, { start, reach, signal: this.#effects.signal, kept })
    const now = Date.now()
    const fresh = { fetched_at: now, fresh_until: freshUntil(answer, now) }
    const unchanged = answer.status === NOT_MODIFIED && kept
    const page: Kept = unchanged ? { ...kept, ...fresh } : { ...answer, ...fresh, hops, made: new Map() }
    if (isPlain) cache.put(key, page)
    return { ...page, from: unchanged ? 'unchanged' : 'network' }
  }
}
