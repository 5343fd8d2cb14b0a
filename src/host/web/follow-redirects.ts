// The way from an address to the answer that it ends with: each address on it is judged by the guard and by policy.
import { ToolError } from '../../errors.ts'
import { Connections } from './connection-pool.ts'
import { ACCEPTED } from './decode-body.ts'
import { conditions, type Kept } from './page-cache.ts'
import { ROBOTS_BYTES } from './robots.ts'
import { type Answer, type Asked, exchange, isRedirect } from './send-request.ts'
import { goesWith, type Reach, readAddress, redirected, type WebAddress, withoutFragment } from './web-address.ts'
import type { WebOnMachine, WebRequest } from './web-client.ts'

const MOST_REDIRECTS = 5
const ACCEPT = 'text/html, application/xhtml+xml;q=0.9, text/markdown;q=0.9, */*;q=0.8'
/** Of the caller's headers these go along to another site. */
const FOR_ANYBODY: ReadonlySet<string> = new Set(['accept', 'accept-language'])

export interface Way {
  start: WebAddress
  reach: Reach
  signal: AbortSignal
  kept: Kept | undefined
}

/** Goes from an address to where it ends. */
export async function follow(machine: WebOnMachine, request: WebRequest, way: Way) {
  const connections = new Connections(machine.guarding)
  try {
    return await new Route(machine, connections, way).follow(request)
  } finally {
    await connections.close()
  }
}

class Route {
  readonly #machine: WebOnMachine
  readonly #connections: Connections
  readonly #way: Way

  constructor(machine: WebOnMachine, connections: Connections, way: Way) {
    this.#machine = machine
    this.#connections = connections
    this.#way = way
  }

  async follow(request: WebRequest): Promise<{ answer: Answer; hops: string[] }> {
    const { settings, robots } = this.#machine
    const { signal } = this.#way
    const { max_bytes: most } = settings
    return this.#onward(this.#way.start, { ...request, most, signal }, async (address, method) => {
      if (method === 'GET' && settings.robots === 'obey')
        await robots.check(address, file => this.#robotsFile(file), signal)
    })
  }

  /** `before` may refuse each address. */
  async #onward(
    start: WebAddress,
    asked: Asked,
    before: (address: WebAddress, method: Asked['method']) => Promise<void>
  ): Promise<{ answer: Answer; hops: string[] }> {
    const hops: string[] = []
    let [address, now] = [start, asked]
    for (;;) {
      await before(address, now.method)
      const href = withoutFragment(address.url)
      hops.push(href)
      const answer = await exchange(this.#connections, address, { ...now, headers: this.#headers(now, href) })
      if (!isRedirect(answer)) return { answer, hops: [...hops.slice(0, -1), address.url.href] }
      if (hops.length > MOST_REDIRECTS)
        throw new ToolError('EXECUTION_ERROR', `It was sent on more than ${MOST_REDIRECTS} times.`, { hops })
      const next = redirected(address.url, answer.headers.location!, this.#machine.ports)
      now = carriedOver(now, answer.status, { from: address, to: next })
      this.#mustBeReached(next, address, now.method)
      address = next
    }
  }

  #headers({ headers, method }: Asked, href: string): Record<string, string> {
    const { kept } = this.#way
    const isKept = kept && method === 'GET' && withoutFragment(new URL(kept.hops.at(-1)!)) === href
    return {
      'user-agent': this.#machine.agent,
      accept: ACCEPT,
      'accept-encoding': ACCEPTED,
      ...(isKept && conditions(kept)),
      ...headers
    }
  }

  /** Whoever allowed an address has not allowed every other that it leads to. */
  #mustBeReached(next: WebAddress, from: WebAddress, method: Asked['method']) {
    const said = this.#way.reach(next.url.href)
    const mayFollow = said === 'allow' || (said === 'ask' && goesWith(this.#way, next))
    // What is sent is for the address that was decided on.
    if (mayFollow && (method === 'GET' || next.url.origin === from.url.origin)) return
    const because = said === 'deny' ? 'which is denied by a rule' : 'where nobody has allowed it to go'
    throw new ToolError(
      'PERMISSION_DENIED',
      `${from.url.host} sends it on to ${next.url.href}, ${because}. To go there, fetch that address itself.`,
      { reason: 'redirect', redirect: next.url.href, from: from.url.href }
    )
  }

  /** Where it cannot be had by a way that is open, the site says nothing. */
  async #robotsFile(file: string): Promise<Answer> {
    const asked: Asked = { method: 'GET', headers: {}, most: ROBOTS_BYTES, signal: this.#way.signal }
    try {
      const { answer } = await this.#onward(readAddress(file, this.#machine.ports), asked, async () => {})
      return answer
    } catch (error) {
      if (!(error instanceof ToolError) || error.recoverable) throw error
      return { status: 404, headers: {}, bytes: Buffer.alloc(0), cut: false }
    }
  }
}

/** What of a request goes on to where its answer leads. */
function carriedOver(asked: Asked, status: number, { from, to }: { from: WebAddress; to: WebAddress }): Asked {
  const isAnew = asked.method === 'POST' && status !== 307 && status !== 308
  const mayGo = (name: string) =>
    (FOR_ANYBODY.has(name) || from.url.origin === to.url.origin) && !(isAnew && name.startsWith('content-'))
  const headers = Object.fromEntries(Object.entries(asked.headers).filter(([name]) => mayGo(name)))
  const { body, ...rest } = asked
  return isAnew ? { ...rest, headers, method: 'GET' } : { ...rest, headers, ...(body !== undefined && { body }) }
}
