// One-time codes for passing a token to a page: the holder of a token creates one; a browser gets it in a URL fragment, which no
// server and no log sees, and exchanges it once, before it expires. Only its hash is stored, and only in memory.
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { ToolError } from '../errors.ts'
import type { Principal } from './tokens.ts'

interface OpenCode {
  digest: Buffer
  expiresAt: number
  holder: Principal
}

/** Default lifetime of a code in milliseconds: long enough to open a page. */
const CODE_LIFETIME_MS = 60_000
/** Lifetime in milliseconds of the login that a server prints at startup: long enough to read and click. */
export const START_LOGIN_LIFETIME_MS = 10 * 60_000
/**
 * Limit, separately for holders with and without the right to approve, so that call-only bearers cannot evict a person's. Further
 * codes evict the oldest.
 */
const MAX_CODES = 16
/** Maximum number of open codes in the share of one token that may not approve; a further one is refused. */
const MAX_CODES_OF_SHARE = 8
/** Rate limit for wrong codes. 128 bits cannot be guessed; this only slows attempts. A correct code is always accepted. */
const MAX_WRONG_PER_MINUTE = 30
const MINUTE_MS = 60_000

/** A code, and the path for a browser, relative to the server's address. */
export interface Login {
  code: string
  path: string
  expires_at: string
}

export class OneTimeCodes {
  #codes: OpenCode[] = []
  #wrongAttempts: number[] = []
  readonly #now: () => number

  /** `now`: a monotonic clock in milliseconds. */
  constructor(now = () => performance.now()) {
    this.#now = now
  }

  /** Creates a login with the rights of `holder`. It is valid once, for a minute by default. */
  makeLogin(holder: Principal, lifetimeMs = CODE_LIFETIME_MS): Login {
    const code = this.create(holder, lifetimeMs)
    return { code, path: `/#code=${code}`, expires_at: new Date(Date.now() + lifetimeMs).toISOString() }
  }

  /** Creates a code with the rights of `holder`. */
  create(holder: Principal, lifetimeMs = CODE_LIFETIME_MS): string {
    const code = randomBytes(16).toString('base64url')
    const left = this.#validCodes()
    assertMayMakeCode(holder, left)
    const same = left.filter(open => canApprove(open.holder) === canApprove(holder))
    const tooMany = same.slice(0, Math.max(0, same.length + 1 - MAX_CODES))
    const made = { digest: digestOf(code), expiresAt: this.#now() + lifetimeMs, holder }
    this.#codes = [...left.filter(open => !tooMany.includes(open)), made]
    return code
  }

  /** Redeems a code once. Returns undefined if it is expired or unknown. */
  redeem(code: string): Principal | undefined {
    const given = digestOf(code)
    // Compare with every code each time, so that the timing reveals nothing.
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
      throw new ToolError('OVERLOADED', `Too many wrong codes were sent. Wait ${retry_after_s} s, and try again.`, {
        retry_after_s
      })
    }
    this.#wrongAttempts.push(now)
  }

  /** The codes of a revoked token are invalid too. */
  #validCodes() {
    return this.#codes.filter(({ expiresAt, holder }) => expiresAt > this.#now() && !holder.issued?.revoked.aborted)
  }
}

function assertMayMakeCode(holder: Principal, open: readonly OpenCode[]) {
  const own = open.filter(each => !canApprove(each.holder) && shareOf(each.holder) === shareOf(holder))
  if (canApprove(holder) || shareOf(holder) === undefined || own.length < MAX_CODES_OF_SHARE) return
  throw new ToolError(
    'QUOTA_EXCEEDED',
    `${own.length} codes of this token are still valid; the maximum is ${MAX_CODES_OF_SHARE}. Use one of them, or wait until they expire.`,
    { limit: 'codes_per_token', max: MAX_CODES_OF_SHARE, retry_after_s: CODE_LIFETIME_MS / 1_000 }
  )
}

const shareOf = ({ share, token }: Principal) => share ?? token?.id
const canApprove = ({ rights }: Principal) => rights.has('approve')
const digestOf = (code: string) => hash('sha256', code, 'buffer')
