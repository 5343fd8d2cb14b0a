// One-time codes that bring a token to a page: the holder of a token makes one, a browser gets it in the fragment of an address,
// which no server and no log sees, and trades it once, before it expires. Only its hash is stored, and in memory alone.
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { ToolError } from '../errors.ts'
import type { Holder } from './tokens.ts'

interface Open {
  digest: Buffer
  until: number
  holder: Holder
}

/** How long a code counts that was asked for: long enough to open a page. */
const CODE_LIFETIME_MS = 60_000
/** How long the login counts that a server prints at a terminal when it starts: long enough to read and to click. */
export const START_LOGIN_LIFETIME_MS = 10 * 60_000
/** Of those with the right to approve, and of those without it, so that whoever may only call cannot push out a person. More
 * at once push out the oldest. */
const MOST = 16
/** 128 bits are not guessed; this tells whoever tries to wait. A right code is taken whoever else tries. */
const WRONG_A_MINUTE = 30
const MINUTE_MS = 60_000

/** A code, and where a browser goes with it, after the address of the server. */
export interface Login {
  code: string
  path: string
  expires_at: string
}

export class OneTimeCodes {
  #open: Open[] = []
  #wrong: number[] = []
  readonly #now: () => number

  /** `now`: a clock in milliseconds that never goes back. */
  constructor(now = () => performance.now()) {
    this.#now = now
  }

  /** Makes a login with the rights of `holder`. It counts once, for a minute unless another lifetime is given. */
  makeLogin(holder: Holder, lifetimeMs = CODE_LIFETIME_MS): Login {
    const code = this.make(holder, lifetimeMs)
    return { code, path: `/#code=${code}`, expires_at: new Date(Date.now() + lifetimeMs).toISOString() }
  }

  /** Makes a code with the rights of `holder`. */
  make(holder: Holder, lifetimeMs = CODE_LIFETIME_MS): string {
    const code = randomBytes(16).toString('base64url')
    const left = this.#left()
    const same = left.filter(open => approves(open.holder) === approves(holder))
    const tooMany = same.slice(0, Math.max(0, same.length + 1 - MOST))
    const made = { digest: digestOf(code), until: this.#now() + lifetimeMs, holder }
    this.#open = [...left.filter(open => !tooMany.includes(open)), made]
    return code
  }

  /** What the code is for, once. Undefined when it counts no longer or never did. */
  take(code: string): Holder | undefined {
    const given = digestOf(code)
    // Every code is compared each time, so that the time taken tells nothing.
    const matches = this.#left().filter(({ digest }) => timingSafeEqual(digest, given))
    this.#open = this.#left().filter(open => !matches.includes(open))
    if (matches.length === 0) this.#countWrong()
    return matches[0]?.holder
  }

  #countWrong() {
    const now = this.#now()
    this.#wrong = this.#wrong.filter(at => at > now - MINUTE_MS)
    if (this.#wrong.length >= WRONG_A_MINUTE) {
      const retry_after_s = Math.ceil((this.#wrong[0]! + MINUTE_MS - now) / 1_000)
      throw new ToolError('OVERLOADED', `Too many wrong codes were tried. Wait ${retry_after_s} s.`, { retry_after_s })
    }
    this.#wrong.push(now)
  }

  /** A code of a token that was revoked counts no more than the token. */
  #left() {
    return this.#open.filter(({ until, holder }) => until > this.#now() && !holder.issued?.over.aborted)
  }
}

const approves = ({ rights }: Holder) => rights.has('approve')
const digestOf = (code: string) => hash('sha256', code, 'buffer')
