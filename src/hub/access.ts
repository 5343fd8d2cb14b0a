// Principals of the hub: people, servers by their tokens, and the bearers of codes that enroll a server. Only hashes are stored.
// They are kept in memory, and read again when another process of the hub has changed them.
import { hash, randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { ToolError } from '../errors.ts'
import type { ServerFacts } from '../uplink/wire.ts'
import { CHANNELS, type Database } from './database/database.ts'

/** Time for which a code to enroll a server is valid. */
export const CODE_LIFETIME_MS = 60 * 60_000
const RELOAD_RETRY_MS = 1_000
/** Minimum time between two reads for tokens that are not known: guesses cause no more. */
const REFRESH_INTERVAL_MS = 1_000
const SECRET_BYTES = 24

/** A person reads and decides, a server sends its journal, and a code makes one server's token. */
export type HubRole = 'person' | 'server' | 'code'

/** The bearer of a token or a code at the hub. */
export interface HubPrincipal {
  role: HubRole
  /** Id of the server; for a person, and for a code, that of its maker. */
  id: string
  name: string
}

/** A token that may decide, such as that of the account which is made when the hub starts. */
export interface PersonToken {
  token: string
  name: string
}

interface EnrolledServer {
  server_id: string
  token: string
}

const hashOf = (secret: string) => hash('sha256', secret)
const newSecret = (prefix: string) => `${prefix}_${randomBytes(SECRET_BYTES).toString('base64url')}`

export class HubAccess {
  readonly #database: Database
  readonly #people: ReadonlyMap<string, HubPrincipal>
  #servers: ReadonlyMap<string, HubPrincipal> = new Map()
  #loads = 0
  /** Number of the load that #servers is from. */
  #loaded = 0
  #refreshedAt = Number.NEGATIVE_INFINITY
  #refreshing: Promise<void> | undefined

  static async open(database: Database, people: readonly PersonToken[]): Promise<HubAccess> {
    const access = new HubAccess(database, people)
    await access.#load()
    await database.listen(CHANNELS.access, () => void access.#reload())
    return access
  }

  private constructor(database: Database, people: readonly PersonToken[]) {
    this.#database = database
    this.#people = new Map(
      people.map(({ token, name }) => [hashOf(token), { role: 'person', id: `person:${name}`, name }])
    )
  }

  authenticate(bearer: string): HubPrincipal | undefined {
    const hashed = hashOf(bearer)
    return this.#people.get(hashed) ?? this.#servers.get(hashed)
  }

  /** Reads the tokens again for one that is not known: another process may have made it just now. Does so once in a while only. */
  async refreshFor(bearer: string): Promise<void> {
    if (this.authenticate(bearer)) return
    if (performance.now() - this.#refreshedAt >= REFRESH_INTERVAL_MS) {
      this.#refreshedAt = performance.now()
      this.#refreshing = this.#load().catch(() => {})
    }
    await this.#refreshing
  }

  /** Makes a code with which one server can be enrolled, once. */
  async createCode(madeBy: string, name: string | undefined): Promise<{ code: string; expires_at: string }> {
    const code = newSecret('enroll')
    const expires_at = new Date(Date.now() + CODE_LIFETIME_MS).toISOString()
    await this.#change(async db => {
      await db.query('DELETE FROM enrolment_codes WHERE expires_at < now()')
      await db.query('INSERT INTO enrolment_codes (code_hash, name, made_by, expires_at) VALUES ($1, $2, $3, $4)', [
        hashOf(code),
        name ?? null,
        madeBy,
        expires_at
      ])
    })
    return { code, expires_at }
  }

  /** Exchanges a code for a server's own token. Throws FORBIDDEN for a code that was used or has expired. */
  async enroll(code: string, facts: ServerFacts): Promise<EnrolledServer> {
    const server = { server_id: `sv_${randomBytes(10).toString('hex')}`, token: newSecret('server') }
    await this.#change(async db => {
      const [taken] = await db.query<{ name: string | null; made_by: string }>(
        'DELETE FROM enrolment_codes WHERE code_hash = $1 AND expires_at > now() RETURNING name, made_by',
        [hashOf(code)]
      )
      if (!taken)
        throw new ToolError(
          'FORBIDDEN',
          'This code was used already, or has expired. Ask for another: toolgate hub enroll'
        )
      await db.query(
        'INSERT INTO servers (server_id, name, token_hash, enrolled_by, facts) VALUES ($1, $2, $3, $4, $5)',
        [server.server_id, taken.name ?? facts.host, hashOf(server.token), taken.made_by, JSON.stringify(facts)]
      )
    })
    return server
  }

  /** Takes a server's token away: what it has sent stays. Throws NOT_FOUND for an unknown server. */
  async revoke(serverId: string) {
    await this.#change(async db => {
      const revoked = await db.query(
        'UPDATE servers SET revoked_at = coalesce(revoked_at, now()) WHERE server_id = $1 RETURNING server_id',
        [serverId]
      )
      if (revoked.length === 0) throw new ToolError('NOT_FOUND', `The hub knows no server ${serverId}.`)
    })
  }

  async #change(work: Parameters<Database['transaction']>[0]) {
    await this.#database.transaction(async db => {
      await work(db)
      await db.query('SELECT pg_notify($1, $2)', [CHANNELS.access, ''])
    })
    // The notification comes back to this process as well, but the next request may be sooner.
    await this.#load()
  }

  async #load() {
    const load = ++this.#loads
    const servers = await this.#database.query<{ token_hash: string; server_id: string; name: string }>(
      'SELECT token_hash, server_id, name FROM servers WHERE revoked_at IS NULL'
    )
    const codes = await this.#database.query<{ code_hash: string; made_by: string }>(
      'SELECT code_hash, made_by FROM enrolment_codes WHERE expires_at > now()'
    )
    // One that began earlier may end later, and not know the newest server.
    if (load < this.#loaded) return
    this.#loaded = load
    this.#servers = new Map<string, HubPrincipal>([
      ...servers.map(({ token_hash, server_id, name }): [string, HubPrincipal] => [
        token_hash,
        { role: 'server', id: server_id, name }
      ]),
      ...codes.map(({ code_hash, made_by }): [string, HubPrincipal] => [
        code_hash,
        { role: 'code', id: made_by, name: made_by }
      ])
    ])
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
