// What logins to servers gave, kept for as long as it holds: in the state folder, for its owner alone to read, and in the
// memory of this run so that it can be hidden in what is shown.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { OAuthDiscoveryState, StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client'

export interface Kept {
  client?: StoredOAuthClientInformation | undefined
  tokens?: StoredOAuthTokens | undefined
  verifier?: string | undefined
  discovery?: OAuthDiscoveryState | undefined
}

type Granted = Pick<StoredOAuthTokens, 'access_token' | 'refresh_token'> | StoredOAuthClientInformation

/** One that was replaced may let somebody in still; of more than these none is left that does. */
const MOST_SECRETS = 64

export class Logins {
  readonly #folder: string
  #secrets: readonly string[] = []

  constructor(folder: string) {
    this.#folder = folder
  }

  /** What lets us in, as far as it was used or given since the start. */
  get secrets(): readonly string[] {
    return this.#secrets
  }

  /** To the server with that name at that address: at another one nothing of it is known. */
  to(name: string, url: string): KeptLogin {
    const id = createHash('sha256')
      .update(JSON.stringify([name, url]))
      .digest('hex')
      .slice(0, 32)
    return new KeptLogin(path.join(this.#folder, `${id}.json`), this)
  }

  /** Keeps what was granted out of what is shown from now on. */
  hide(granted: Granted | undefined) {
    const given = Object.entries(granted ?? {})
      .filter(([name]) => name === 'access_token' || name === 'refresh_token' || name === 'client_secret')
      .map(([, value]) => String(value))
    const fresh = given.filter(secret => secret !== '' && !this.#secrets.includes(secret))
    if (fresh.length > 0) this.#secrets = [...fresh, ...this.#secrets].slice(0, MOST_SECRETS)
  }
}

export class KeptLogin {
  readonly #file: string
  readonly #logins: Logins

  constructor(file: string, logins: Logins) {
    this.#file = file
    this.#logins = logins
  }

  read(): Kept {
    try {
      const kept = JSON.parse(readFileSync(this.#file, 'utf8')) as Kept
      this.#hide(kept)
      return kept
    } catch {
      return {}
    }
  }

  /** Written beside and put in place, so that it is never half there. */
  keep(part: Kept) {
    this.#hide(part)
    mkdirSync(path.dirname(this.#file), { recursive: true, mode: 0o700 })
    const draft = `${this.#file}.${process.pid}`
    rmSync(draft, { force: true })
    writeFileSync(draft, JSON.stringify({ ...this.read(), ...part }), { mode: 0o600, flag: 'wx', flush: true })
    renameSync(draft, this.#file)
  }

  forget() {
    rmSync(this.#file, { force: true })
  }

  #hide({ tokens, client }: Kept) {
    for (const granted of [tokens, client]) this.#logins.hide(granted)
  }
}
