// Sessions of browsers at forwarded ports. A link with a one-time code opens one; a cookie, which the page's scripts cannot read and
// other sites cannot use, carries it. It is valid for one port of one job, and grants nothing else.
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { OneTimeCodes } from './one-time-codes.ts'
import type { Principal } from './tokens.ts'

interface PortSession {
  digest: Buffer
  holder: Principal
}

interface PortAccess {
  codes: OneTimeCodes
  sessions: PortSession[]
}

/** Maximum number of sessions at one port; a further one ends the oldest. */
const MAX_SESSIONS = 16

export class PortLogins {
  /** By the port, whose access ends with it. */
  readonly #access = new WeakMap<object, PortAccess>()

  /** Creates a code that opens the port with the rights of its holder, once and within a minute. */
  createCode(port: object, holder: Principal): { code: string; expires_at: string } {
    return this.#accessTo(port).codes.makeLogin(holder)
  }

  /** Redeems a code for the text of a session; undefined if it is expired or unknown. */
  redeem(port: object, code: string): string | undefined {
    const access = this.#accessTo(port)
    const holder = access.codes.redeem(code)
    if (!holder) return undefined
    const text = randomBytes(32).toString('base64url')
    access.sessions = [...access.sessions.slice(1 - MAX_SESSIONS), { digest: digestOf(text), holder }]
    return text
  }

  /** Returns the holder of a session; undefined if there is none, or its token was revoked. */
  find(port: object, text: string): Principal | undefined {
    const digest = digestOf(text)
    const matches = this.#accessTo(port).sessions.filter(session => timingSafeEqual(session.digest, digest))
    return matches.find(({ holder }) => !holder.issued?.revoked.aborted)?.holder
  }

  #accessTo(port: object): PortAccess {
    const access = this.#access.get(port) ?? { codes: new OneTimeCodes(), sessions: [] }
    this.#access.set(port, access)
    return access
  }
}

const digestOf = (text: string) => hash('sha256', text, 'buffer')
