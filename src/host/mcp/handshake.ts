// How a server is got to speak with us. It may be an older one, that ends at the first question that it does not know, or
// listens in the way of before; what was found out holds for later runs.
import type { Workspace } from '../host.ts'
import type { Link } from './connection.ts'
import { faultOf, Gone } from './errors.ts'
import { Session } from './mcp-client-session.ts'

export type Transport = 'stdio' | 'http' | 'sse'

export interface ApproachTerms {
  workspace: Workspace
  version: string
  /** As it is configured, or taken to be. */
  transport: Transport
  /** The transport was only guessed. */
  guessed: boolean
  /** What all that a server says of its tools may have. */
  most_bytes: number
  open(transport: Transport): Promise<Link>
  /** The server says that its tools are others. */
  changed(): void
}

const UNSPOKEN = 'it could not be spoken with'

export class Approach {
  readonly #terms: ApproachTerms
  #transport: Transport
  #legacy = false
  #printed = ''

  constructor(terms: ApproachTerms) {
    this.#terms = terms
    this.#transport = terms.transport
  }

  get transport(): Transport {
    return this.#transport
  }

  /** The last that the last try printed. */
  get printed(): string {
    return this.#printed
  }

  async session(signal: AbortSignal): Promise<Session> {
    try {
      return await this.#introduced(this.#transport, this.#legacy || this.#transport === 'sse', signal)
    } catch (error) {
      signal.throwIfAborted()
      const { kind } = await faultOf(error)
      if (this.#transport === 'stdio' && kind === 'gone' && !this.#legacy) {
        const session = await this.#introduced('stdio', true, signal)
        this.#legacy = true
        return session
      }
      if (this.#terms.guessed && this.#transport === 'http' && (kind === 'elsewhere' || kind === 'forgotten')) {
        // What the first try came to says more, where neither is there.
        const session = await this.#introduced('sse', true, signal).catch(() => Promise.reject(error))
        this.#transport = 'sse'
        return session
      }
      throw error
    }
  }

  async #introduced(transport: Transport, legacy: boolean, signal: AbortSignal): Promise<Session> {
    const { workspace, version, most_bytes, open, changed } = this.#terms
    const link = await open(transport)
    const abort = () => link.kill((signal.reason as Error).message)
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
    try {
      return await Session.begin({ link, workspace, version, legacy, most_bytes, changed }, signal)
    } catch (error) {
      link.kill(UNSPOKEN)
      const { why } = await link.ended
      this.#printed = link.printed()
      signal.throwIfAborted()
      throw why === UNSPOKEN ? error : new Gone(why)
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }
}
