// Looks at the database of a hub without changing it, for people who search for a fault.
import type { Database } from './database.ts'
import { KNOWN_VERSION, LOCKS } from './migrations.ts'

export interface DatabaseFacts {
  /** Version of PostgreSQL, such as 15.6. */
  version: string
  /** Version of the tables; undefined if there are none, and the one that this program makes. */
  tables: number | undefined
  known_tables: number
  /** It is a standby, which takes no events. */
  is_standby: boolean
  bytes: number
  /** Seconds for which the oldest transaction has held the lock of those who store events; undefined if none does. */
  lock_held_s: number | undefined
  /** Milliseconds by which its clock is ahead of ours. */
  clock_ahead_ms: number
}

/** Returns facts about a database. Throws if it does not answer. */
export async function inspectDatabase(database: Database): Promise<DatabaseFacts> {
  const asked = Date.now()
  const [server] = await database.query<{ version: string; is_standby: boolean; bytes: number; now_ms: number }>(
    `SELECT current_setting('server_version') AS version, pg_is_in_recovery() AS is_standby,
       pg_database_size(current_database()) AS bytes, (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms`
  )
  // An answer says what time it was in the middle of its way.
  const now = (asked + Date.now()) / 2
  const { version, is_standby, bytes, now_ms } = server!
  return {
    version: version.split(' ')[0]!,
    tables: await readTableVersion(database),
    known_tables: KNOWN_VERSION,
    is_standby,
    bytes,
    lock_held_s: await readLockAge(database),
    clock_ahead_ms: Math.round(now_ms - now)
  }
}

/** Writes a table and takes it back. Throws if the database cannot write, as with a full disk. */
export async function tryWriting(database: Database): Promise<void> {
  const undone = new Error('The table is not kept.')
  await database
    .transaction(async db => {
      await db.query(
        'CREATE TABLE toolgate_doctor AS SELECT repeat(md5(n::text), 64) AS text FROM generate_series(1, 1000) n'
      )
      throw undone
    })
    .catch(error => {
      if (error !== undone) throw error
    })
}

async function readTableVersion(database: Database): Promise<number | undefined> {
  const [table] = await database.query<{ name: string | null }>(`SELECT to_regclass('hub_version')::text AS name`)
  if (!table?.name) return undefined
  const [row] = await database.query<{ version: number }>('SELECT version FROM hub_version')
  return row?.version
}

async function readLockAge(database: Database): Promise<number | undefined> {
  const [row] = await database.query<{ seconds: number | null }>(
    `SELECT max(extract(epoch FROM now() - xact_start))::float8 AS seconds FROM pg_locks JOIN pg_stat_activity USING (pid)
     WHERE locktype = 'advisory' AND granted AND classid = 0 AND objid = $1`,
    [LOCKS.ingest]
  )
  return row?.seconds ?? undefined
}
