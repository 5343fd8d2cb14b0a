// One-time codes that bring a token to a page: the holder of a token makes one, a browser gets it in the fragment of an address,
// which no server and no log sees, and trades it once, before it expires. Only its hash is stored, and in memory alone.
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { ToolError } from '../errors.ts'
import type { Principal } from './tokens.ts'

interface OpenCode {
  digest: Buffer
  expiresAt: number
  holder: Principal
}

/** How long a code counts that was asked for: long enough to open a page. */
const CODE_LIFETIME_MS = 60_000
/** How long the login counts that a server prints at a terminal when it starts: long enough to read and to click. */
export const START_LOGIN_LIFETIME_MS = 10 * 60_000
/** Of those with the right to approve, and of those without it, so that whoever may only call cannot push out a person. More
 * at once push out the oldest. */
const MAX_CODES = 16
/** 128 bits are not guessed; this tells whoever tries to wait. A right code is taken whoever else tries. */
const MAX_WRONG_PER_MINUTE = 30
const MINUTE_MS = 60_000

/** A code, and where a browser goes with it, after the address of the server. */
export interface Login {
  code: string
  path: string
  expires_at: string
}

export class OneTimeCodes {
  #codes: OpenCode[] = []
  #wrongAttempts: number[] = []
  readonly #now: () => number

  /** `now`: a clock in milliseconds that never goes back. */
  constructor(now = () => performance.now()) {
    this.#now = now
  }

  /** Makes a login with the rights of `holder`. It counts once, for a minute unless another lifetime is given. */
  makeLogin(holder: Principal, lifetimeMs = CODE_LIFETIME_MS): Login {
    const code = this.create(holder, lifetimeMs)
    return { code, path: `/#code=${code}`, expires_at: new Date(Date.now() + lifetimeMs).toISOString() }
  }

  /** Makes a code with the rights of `holder`. */
  create(holder: Principal, lifetimeMs = CODE_LIFETIME_MS): string {
    const code = randomBytes(16).toString('base64url')
    const left = this.#validCodes()
    const same = left.filter(open => canApprove(open.holder) === canApprove(holder))
    const tooMany = same.slice(0, Math.max(0, same.length + 1 - MAX_CODES))
    const made = { digest: digestOf(code), expiresAt: this.#now() + lifetimeMs, holder }
    this.#codes = [...left.filter(open => !tooMany.includes(open)), made]
    return code
  }

  /** What the code is for, once. Undefined when it counts no longer or never did. */
  redeem(code: string): Principal | undefined {
    const given = digestOf(code)
    // Every code is compared each time, so that the time taken tells nothing.
    const matches = this.#validCodes().filter(({ digest }) => timingSafeEqual(digest, given))
    this.#codes = this.#validCodes().filter(open => !matches.includes(open))
    if (matches.length === 0) this.#recordWrongAttempt()
    return matches[0]?.holder
  }

  #recordWrongAttempt() {
    const now = this.#now()
    this.#wrongAttempts = this.#wrongAttempts.filter(at => at > now - MINUTE_MS)
    if (this.#wrongAttempts.length >= MAX_WRONG_PER_MINUTE) {
      const retry_after_s = Math.ceil((this.#wrongAttempts[0]! + MINUTE_MS - now) / 1_000)
      throw new ToolError('OVERLOADED', `Too many wrong codes were tried. Wait ${retry_after_s} s.`, { retry_after_s })
    }
    this.#wrongAttempts.push(now)
  }

  /** A code of a token that was revoked counts no more than the token. */
  #validCodes() {
    return this.#codes.filter(({ expiresAt, holder }) => expiresAt > this.#now() && !holder.issued?.revoked.aborted)
  }
}

const canApprove = ({ rights }: Principal) => rights.has('approve')
const digestOf = (code: string) => hash('sha256', code, 'buffer')
