// Access to the hub: of people by tokens and sessions, of servers by their tokens, and by codes that enroll a server. Only hashes are
// stored. They are kept in memory, and read again when another process of the hub has changed them.
import { setTimeout as pause } from 'node:timers/promises'
import type { PersonRole } from '../protocol/hub.ts'
import { CHANNELS, type Database, type Queries } from './database/database.ts'
import { Followers } from './followers.ts'
import { isPersonRole } from './people/roles.ts'
import {
  beginSession,
  endSession,
  grantOfToken,
  type NewSession,
  type Session,
  type SignedInPerson,
  tokenOfGrant
} from './people/sessions.ts'
import { type HubPrincipal, loadPrincipals, NO_PRINCIPALS } from './principals.ts'
import { hashSecret } from './secrets.ts'

const RELOAD_RETRY_MS = 1_000
/** Minimum time between two reads for tokens that are not known: guesses cause no more. */
const REFRESH_INTERVAL_MS = 1_000

/** A token of a person that is not in the database, such as that of the account which is made when the hub starts. */
export interface PersonToken {
  token: string
  name: string
}

/** Proof of a principal in a request. */
export interface Credential {
  kind: 'token' | 'session'
  secret: string
}

interface AccessOptions {
  /** They may do everything. */
  people: readonly PersonToken[]
  /** Roles by the grants of sessions that began with a provider. */
  grants: ReadonlyMap<string, PersonRole>
}

export class HubAccess {
  readonly #database: Database
  readonly #people: ReadonlyMap<string, HubPrincipal>
  readonly #grants: ReadonlyMap<string, PersonRole>
  readonly #followers = new Followers()
  #stored = NO_PRINCIPALS
  #loads = 0
  /** Number of the load that #stored is from. */
  #loaded = 0
  #refreshedAt = Number.NEGATIVE_INFINITY
  #refreshing: Promise<void> | undefined

  static async open(database: Database, options: AccessOptions): Promise<HubAccess> {
    const access = new HubAccess(database, options)
    await access.#load()
    await database.listen(CHANNELS.access, () => void access.#reload())
    return access
  }

  private constructor(database: Database, { people, grants }: AccessOptions) {
    this.#database = database
    this.#people = new Map(
      people.map(({ token, name }) => [hashSecret(token), { role: 'admin', id: `person:${name}`, name }])
    )
    this.#grants = grants
  }

  authenticate({ kind, secret }: Credential): HubPrincipal | undefined {
    const hashed = hashSecret(secret)
    if (kind === 'token') return this.#ofToken(hashed)
    const session = this.#stored.sessions.get(hashed)
    return session && this.#ofSession(session)
  }

  /** Reads the principals again for a credential that is not known: another process may have made it just now. Does so once in a while. */
  async refreshFor(credential: Credential): Promise<void> {
    if (this.authenticate(credential)) return
    if (performance.now() - this.#refreshedAt >= REFRESH_INTERVAL_MS) {
      this.#refreshedAt = performance.now()
      this.#refreshing = this.#load().catch(() => {})
    }
    await this.#refreshing
  }

  /** Follows a credential: the signal aborts once it is no longer valid. Call `release` when that is not needed any more. */
  follow(credential: Credential): { signal: AbortSignal; release: () => void } {
    return this.#followers.add(() => this.authenticate(credential) !== undefined)
  }

  /** Begins a session of the person with a token. Undefined if it is the token of no person. */
  async signInWithToken(token: string): Promise<NewSession | undefined> {
    const hashed = hashSecret(token)
    const person = this.#ofToken(hashed)
    if (!person || !isPersonRole(person.role)) return undefined
    const { id, name } = person
    return this.change(db => beginSession(db, { id, name, grantedBy: grantOfToken(hashed) }, undefined))
  }

  /** Begins a session of a person whom a provider has named. `signIn` begins one at most: throws CONFLICT for another. */
  signIn(person: SignedInPerson, signIn: string): Promise<NewSession> {
    return this.change(db => beginSession(db, person, signIn))
  }

  async signOut(secret: string) {
    await this.change(db => endSession(db, secret))
  }

  /** Changes what access depends on, for all processes of the hub. */
  async change<T>(work: (db: Queries) => Promise<T>): Promise<T> {
    const result = await this.#database.transaction(async db => {
      const done = await work(db)
      await db.query('SELECT pg_notify($1, $2)', [CHANNELS.access, ''])
      return done
    })
    // The notification comes back to this process as well, but the next request may be sooner.
    await this.#load()
    return result
  }

  close() {
    this.#followers.close()
  }

  #ofToken(hashed: string): HubPrincipal | undefined {
    return this.#people.get(hashed) ?? this.#stored.byToken.get(hashed)
  }

  /** The role is that of what let the person in, as it is now. */
  #ofSession({ id, name, grantedBy, expiresAt }: Session): HubPrincipal | undefined {
    if (expiresAt <= Date.now()) return undefined
    const role = this.#grants.get(grantedBy) ?? this.#ofToken(tokenOfGrant(grantedBy))?.role
    return role === undefined ? undefined : { role, id, name }
  }

  async #load() {
    const load = ++this.#loads
    const stored = await loadPrincipals(this.#database)
    // One that began earlier may end later, and not know the newest server.
    if (load < this.#loaded) return
    this.#loaded = load
    this.#stored = stored
    this.#followers.check()
  }

  /** Reads the tokens again, until that succeeds. */
  async #reload(): Promise<void> {
    try {
      await this.#load()
    } catch {
      await pause(RELOAD_RETRY_MS, undefined, { ref: false })
      await this.#reload()
    }
  }
}
