// What logins to servers gave, kept for as long as it holds: in the state folder, for its owner alone to read, and in the
// memory of this run so that it can be hidden in what is shown.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { OAuthDiscoveryState, StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client'

export interface StoredOAuthState {
  client?: StoredOAuthClientInformation | undefined
  tokens?: StoredOAuthTokens | undefined
  verifier?: string | undefined
  discovery?: OAuthDiscoveryState | undefined
}

type GrantedCredentials = Pick<StoredOAuthTokens, 'access_token' | 'refresh_token'> | StoredOAuthClientInformation

/** One that was replaced may let somebody in still; of more than these none is left that does. */
const MAX_KNOWN_SECRETS = 64

export class McpTokenStore {
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
  forServer(name: string, url: string): StoredLogin {
    const id = createHash('sha256')
      .update(JSON.stringify([name, url]))
      .digest('hex')
      .slice(0, 32)
    return new StoredLogin(path.join(this.#folder, `${id}.json`), this)
  }

  /** Keeps what was granted out of what is shown from now on. */
  addSecrets(granted: GrantedCredentials | undefined) {
    const given = Object.entries(granted ?? {})
      .filter(([name]) => name === 'access_token' || name === 'refresh_token' || name === 'client_secret')
      .map(([, value]) => String(value))
    const fresh = given.filter(secret => secret !== '' && !this.#secrets.includes(secret))
    if (fresh.length > 0) this.#secrets = [...fresh, ...this.#secrets].slice(0, MAX_KNOWN_SECRETS)
  }
}

export class StoredLogin {
  readonly #file: string
  readonly #store: McpTokenStore

  constructor(file: string, logins: McpTokenStore) {
    this.#file = file
    this.#store = logins
  }

  read(): StoredOAuthState {
    try {
      const kept = JSON.parse(readFileSync(this.#file, 'utf8')) as StoredOAuthState
      this.#addSecrets(kept)
      return kept
    } catch {
      return {}
    }
  }

  /** Written beside and put in place, so that it is never half there. */
  save(part: StoredOAuthState) {
    this.#addSecrets(part)
    mkdirSync(path.dirname(this.#file), { recursive: true, mode: 0o700 })
    const draft = `${this.#file}.${process.pid}`
    rmSync(draft, { force: true })
    writeFileSync(draft, JSON.stringify({ ...this.read(), ...part }), { mode: 0o600, flag: 'wx', flush: true })
    renameSync(draft, this.#file)
  }

  remove() {
    rmSync(this.#file, { force: true })
  }

  #addSecrets({ tokens, client }: StoredOAuthState) {
    for (const granted of [tokens, client]) this.#store.addSecrets(granted)
  }
}
