// Robots exclusion by robots.txt (RFC 9309).
import { ToolError } from '../../errors.ts'
import type { ComputePool } from '../compute/compute-pool.ts'
import type { HttpResponse } from './send-request.ts'
import type { WebAddress } from './web-address.ts'

/** Product name for robots.txt. */
export const USER_AGENT_PRODUCT = 'toolgate'
/** Maximum size of the part that is read. */
export const MAX_ROBOTS_BYTES = 512 * 1024
const RULES_TTL_MS = 3_600_000
const MAX_CACHED_SITES = 64
const CHECK_TIMEOUT_MS = 5_000

interface Rules {
  /** Undefined if the site has none. */
  text: string | undefined
  expiresAt: number
}

export class Robots {
  readonly #compute: ComputePool
  /** By origin, in order of last use, oldest first. */
  readonly #sites = new Map<string, Rules>()

  constructor(compute: ComputePool) {
    this.#compute = compute
  }

  /** Throws URL_BLOCKED if the site disallows access. `read` fetches a file of the site. */
  async check({ url }: WebAddress, read: (file: string) => Promise<HttpResponse>, signal: AbortSignal): Promise<void> {
    const file = new URL('/robots.txt', url).href
    if (url.href === file) return
    const { text } = await this.#rules(url, file, read)
    if (text === undefined) return
    const { allowed, line } = await this.#compute.run(
      'robots',
      { file, text, url: url.href, agent: USER_AGENT_PRODUCT },
      { signal, deadlineMs: CHECK_TIMEOUT_MS }
    )
    if (allowed) return
    throw new ToolError(
      'URL_BLOCKED',
      `${url.host} asks programs to stay away from there (line ${line} of ${file}). A person may open it in a browser; ` +
        'whoever runs this server may set web.robots to "ignore".',
      { reason: 'robots', robots: file, line }
    )
  }

  async #rules({ origin, host }: URL, file: string, read: (file: string) => Promise<HttpResponse>): Promise<Rules> {
    const known = this.#sites.get(origin)
    if (known && known.expiresAt > performance.now()) return known
    const answer = await read(file)
    // By the standard, an unavailable robots.txt means complete disallow.
    if (answer.status >= 500 || answer.status === 429)
      throw new ToolError(
        'NETWORK_ERROR',
        `${host} cannot tell now what programs should stay away from: ${file} answers ${answer.status}.`,
        {
          reason: 'robots',
          status: answer.status
        }
      )
    const isThere = answer.status >= 200 && answer.status < 300
    const rules = {
      text: isThere ? answer.bytes.toString('utf8') : undefined,
      expiresAt: performance.now() + RULES_TTL_MS
    }
    this.#sites.delete(origin)
    this.#sites.set(origin, rules)
    for (const [oldest] of this.#sites) if (this.#sites.size > MAX_CACHED_SITES) this.#sites.delete(oldest)
    return rules
  }
}
