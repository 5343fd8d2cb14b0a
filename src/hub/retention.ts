// Deletes old events, and the calls that they are of, once an hour. Positions of journals stay, so that no event is stored a second time.
import type { Logger } from 'pino'
import { describeError } from '../errors.ts'
import type { Database } from './database/database.ts'
import { LOCKS } from './database/migrations.ts'

const INTERVAL_MS = 60 * 60 * 1_000
/** Number of events that one transaction looks at. Servers that send events wait for it. */
const BATCH_SIZE = 1_000

interface RetentionOptions {
  database: Database
  maxAgeDays: number
  log: Logger
  /** Aborts when the hub stops. */
  signal: AbortSignal
}

/** Deletes what is too old, now and once an hour, until the signal aborts. */
export function startRetention(options: RetentionOptions) {
  const { log, signal } = options
  const run = async () => {
    try {
      const deleted = await deleteOldEvents(options)
      if (deleted > 0) log.info({ events: deleted }, 'deleted old events')
    } catch (error) {
      if (!signal.aborted) log.warn({ reason: describeError(error).message }, 'failed to delete old events')
    }
  }
  void run()
  const timer = setInterval(() => void run(), INTERVAL_MS)
  timer.unref()
  signal.addEventListener('abort', () => clearInterval(timer), { once: true })
}

/** Deletes events that are older than a number of days, and returns how many. */
async function deleteOldEvents({ database, maxAgeDays, signal }: RetentionOptions): Promise<number> {
  let total = 0
  let last: number | null = 0
  while (last !== null && !signal.aborted) {
    const batch: DeletedBatch = await deleteBatch(database, last, maxAgeDays)
    total += batch.deleted
    last = batch.last
  }
  return total
}

interface DeletedBatch {
  deleted: number
  /** Number of the last event that was looked at; null if there are no older ones. */
  last: number | null
}

/** Deletes the old ones among the next events. */
const deleteBatch = (database: Database, after: number, maxAgeDays: number): Promise<DeletedBatch> =>
  database.transaction(async db => {
    await db.query('SELECT pg_advisory_xact_lock($1)', [LOCKS.ingest])
    const [looked] = await db.query<{ last: number | null }>(
      `SELECT max(id) AS last FROM (SELECT id, received_at FROM events WHERE id > $1 ORDER BY id LIMIT ${BATCH_SIZE}) next
       WHERE received_at < now() - make_interval(days => $2)`,
      [after, maxAgeDays]
    )
    const last = looked?.last ?? null
    if (last === null) return { deleted: 0, last }
    const deleted = await db.query<{ journal_id: string; tool_call_id: string | null }>(DELETE_EVENTS, [
      after,
      last,
      maxAgeDays
    ])
    const calls = deleted.filter(({ tool_call_id }) => tool_call_id !== null)
    if (calls.length > 0) {
      const ids = [calls.map(({ journal_id }) => journal_id), calls.map(({ tool_call_id }) => tool_call_id)]
      for (const statement of DELETE_CALLS) await db.query(statement, ids)
    }
    return { deleted: deleted.length, last }
  })

/** The events of a call stay until all are old and the call has ended, or its server was revoked. */
const DELETE_EVENTS = `DELETE FROM events e
  WHERE e.id > $1 AND e.id <= $2 AND e.received_at < now() - make_interval(days => $3) AND NOT EXISTS (
    SELECT 1 FROM calls c JOIN journals j USING (journal_id) JOIN servers s USING (server_id)
    WHERE c.journal_id = e.journal_id AND c.tool_call_id = e.tool_call_id AND (
      (c.ended_at IS NULL AND s.revoked_at IS NULL)
      OR EXISTS (
        SELECT 1 FROM events newer WHERE newer.journal_id = c.journal_id AND newer.tool_call_id = c.tool_call_id
          AND newer.received_at >= now() - make_interval(days => $3)
      )
    )
  )
  RETURNING e.journal_id, e.tool_call_id`

/** A call, with its decisions, is deleted with its last event. */
const DELETE_CALLS = ['decisions', 'calls'].map(
  table => `DELETE FROM ${table} t USING (SELECT DISTINCT * FROM unnest($1::text[], $2::text[]) AS ids (journal_id, tool_call_id)) deleted
    WHERE t.journal_id = deleted.journal_id AND t.tool_call_id = deleted.tool_call_id AND NOT EXISTS (
      SELECT 1 FROM events e WHERE e.journal_id = t.journal_id AND e.tool_call_id = t.tool_call_id
    )`
)
