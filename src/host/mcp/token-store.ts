// Store of OAuth tokens: in a private file of the state folder, and in memory so that they can be redacted.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { OAuthDiscoveryState, StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client'

/** The latest refusal of a server, as it matters to a login. */
export interface AuthChallenge {
  /** Address of the protected resource's metadata. */
  resource_metadata?: string | undefined
  scope?: string | undefined
  /** The scope is that granted so far, and more: it counts whatever is configured. */
  widened?: boolean | undefined
}

export interface StoredOAuthState {
  client?: StoredOAuthClientInformation | undefined
  tokens?: StoredOAuthTokens | undefined
  verifier?: string | undefined
  discovery?: OAuthDiscoveryState | undefined
  /** The scope that the latest login asked for: the granted one, unless the tokens name another. */
  requested_scope?: string | undefined
  challenge?: AuthChallenge | undefined
}

type GrantedCredentials = Pick<StoredOAuthTokens, 'access_token' | 'refresh_token'> | StoredOAuthClientInformation

/** Maximum number of remembered secrets. A replaced one may still be valid; older ones no longer are. */
const MAX_KNOWN_SECRETS = 64

export class McpTokenStore {
  readonly #folder: string
  #secrets: readonly string[] = []

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Tokens used or obtained since the start. */
  get secrets(): readonly string[] {
    return this.#secrets
  }

  /** Returns the login of a server by name and address: another address has no access to it. */
  forServer(name: string, url: string): StoredLogin {
    const id = createHash('sha256')
      .update(JSON.stringify([name, url]))
      .digest('hex')
      .slice(0, 32)
    return new StoredLogin(path.join(this.#folder, `${id}.json`), this)
  }

  /** Redacts these credentials from now on. */
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
      const state = JSON.parse(readFileSync(this.#file, 'utf8')) as StoredOAuthState
      this.#addSecrets(state)
      return state
    } catch {
      return {}
    }
  }

  /** Atomic write: a temporary file, then rename. */
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
