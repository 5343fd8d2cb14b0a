// The hub's database on PostgreSQL: a pool of connections, and one more that listens for notifications.
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { ToolError } from '../../errors.ts'
import type { Database, NotificationListener, Queries } from './database.ts'
import { toHubError } from './database-error.ts'

const ADDRESS = /^postgres(?:ql)?:\/\//
const MAX_CONNECTIONS = 10
const CONNECT_TIMEOUT_MS = 5_000
/** A query that takes longer is ended by the database. */
const STATEMENT_TIMEOUT_MS = 30_000
const RECONNECT_MS = 250
const INT8 = 20

export class PostgresDatabase implements Database {
  readonly #url: string
  readonly #pool: pg.Pool
  readonly #listeners = new Map<string, NotificationListener[]>()
  readonly #types = { getTypeParser }
  #listening: pg.Client | undefined
  #isClosed = false

  /** Resolves once the database answers. Rejects with the reason if it does not. */
  static async open(url: string): Promise<PostgresDatabase> {
    if (!ADDRESS.test(url))
      throw new ToolError(
        'INVALID_PARAMS',
        'The address of the database must begin with postgres:// such as postgres://user@host/toolgate.'
      )
    const database = new PostgresDatabase(url)
    try {
      await database.query('SELECT 1')
    } catch (error) {
      await database.close()
      throw error
    }
    return database
  }

  private constructor(url: string) {
    this.#url = url
    this.#pool = new pg.Pool({
      connectionString: url,
      max: MAX_CONNECTIONS,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      application_name: 'toolgate-hub',
      types: this.#types
    })
    // An idle connection was lost: the next query opens another.
    this.#pool.on('error', () => {})
  }

  async query<R extends object>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    try {
      return (await this.#pool.query<R & pg.QueryResultRow>(text, [...values])).rows
    } catch (error) {
      throw toHubError(error)
    }
  }

  async transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect().catch(error => {
      throw toHubError(error)
    })
    let failure: Error | undefined
    // Without a listener the loss of the connection would end the process.
    client.on('error', noteLoss)
    try {
      await client.query('BEGIN')
      const result = await work({
        query: async <R extends object>(text: string, values: readonly unknown[] = []) =>
          (await client.query<R & pg.QueryResultRow>(text, [...values])).rows
      })
      await client.query('COMMIT')
      return result
    } catch (error) {
      await client.query('ROLLBACK').catch(cause => noteLoss(cause as Error))
      throw toHubError(error)
    } finally {
      client.off('error', noteLoss)
      client.release(failure)
    }

    function noteLoss(error: Error) {
      failure = error
    }
  }

  async listen(channel: string, listener: NotificationListener) {
    this.#listeners.set(channel, [...(this.#listeners.get(channel) ?? []), listener])
    if (this.#listening) await this.#listening.query(`LISTEN ${channel}`).catch(() => {})
    else await this.#connectListener()
  }

  async close() {
    this.#isClosed = true
    await this.#listening?.end().catch(() => {})
    await this.#pool.end().catch(() => {})
  }

  /** Opens the connection that listens, again and again until that succeeds. */
  async #connectListener() {
    while (!this.#isClosed) {
      const client = new pg.Client({
        connectionString: this.#url,
        connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
        keepAlive: true,
        application_name: 'toolgate-hub'
      })
      client.on('error', () => this.#onLost(client))
      client.on('end', () => this.#onLost(client))
      client.on('notification', ({ channel, payload }) => this.#notify(channel, payload ?? ''))
      try {
        await client.connect()
        for (const channel of this.#listeners.keys()) await client.query(`LISTEN ${channel}`)
        this.#listening = client
        for (const channel of this.#listeners.keys()) this.#notify(channel, undefined)
        return
      } catch {
        await client.end().catch(() => {})
        await pause(RECONNECT_MS)
      }
    }
  }

  #onLost(client: pg.Client) {
    if (this.#listening !== client) return
    this.#listening = undefined
    void client.end().catch(() => {})
    void this.#connectListener()
  }

  #notify(channel: string, text: string | undefined) {
    for (const listener of this.#listeners.get(channel) ?? []) listener(text)
  }
}

const getTypeParser: typeof pg.types.getTypeParser = ((oid: number, format: 'text' | 'binary') =>
  oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser
