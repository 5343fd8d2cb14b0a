// Writer of the store, in a worker thread so that fsync never blocks the server. It commits one batch at a time and answers each;
// a failed batch is rolled back and ends the writer, since a journal must not lose a write. It writes one store after another.
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { parentPort } from 'node:worker_threads'
import { JournalGuard } from './journal-guard.ts'
import {
  ERASING_STATEMENTS,
  type HistoryBorder,
  migrate,
  STATEMENTS,
  type StatementName,
  type StoreWrite
} from './store-schema.ts'

export interface RetentionLimits {
  /** Events and settled calls below these numbers are dropped. */
  before: HistoryBorder | undefined
  max_bytes: number
}
export type WriterRequest = { open: string } | { writes: StoreWrite[] } | { retain: RetentionLimits } | { close: true }
export type WriterResponse =
  | { ready: true }
  | { committed: true }
  | { retained: number; size: number }
  | { failed: string }
  /** The disk is full: nothing of the writes is stored, and they can be sent again. */
  | { full: string }
  /** False: the thread still holds the file. */
  | { closed: boolean }

const OPEN_CALLS = `status IN ('awaiting_approval', 'queued', 'running')`
const SLICE = 500
/** Milliseconds that a checkpoint waits for readers, which take far less. */
const READER_TIMEOUT_MS = 5_000
const DROP_EVENTS = `DELETE FROM events WHERE seq IN (
  SELECT seq FROM (
    SELECT seq FROM events
    WHERE seq < (SELECT max(seq) FROM events)
      AND coalesce(tool_call_id, '') NOT IN (SELECT tool_call_id FROM calls WHERE ${OPEN_CALLS})
    ORDER BY seq LIMIT ${SLICE})
  WHERE seq < ?) RETURNING seq`
/** Highest dropped sequence number: events of open calls are retained, so the oldest remaining one does not indicate it. */
const RAISE_DROPPED_MARK = `INSERT INTO marks (name, value) VALUES ('dropped', ?) ON CONFLICT DO UPDATE SET value = max(value, excluded.value)`
// A result that a later call shares is retained until that call is dropped.
const DROP_CALLS = `DELETE FROM calls WHERE n IN (
  SELECT n FROM (
    SELECT n FROM calls
    WHERE NOT ${OPEN_CALLS} AND tool_call_id NOT IN (SELECT result_of FROM calls WHERE result_of IS NOT NULL)
    ORDER BY n LIMIT ${SLICE})
  WHERE n < ?)`

const DROP_CLOSED_PARAMS = `DELETE FROM open_params
  WHERE tool_call_id NOT IN (SELECT tool_call_id FROM calls WHERE ${OPEN_CALLS})`

const ALL: HistoryBorder = { seq: Number.MAX_SAFE_INTEGER, n: Number.MAX_SAFE_INTEGER }

const port = parentPort!
const reply = (message: WriterResponse) => port.postMessage(message)
let db: DatabaseSync
let guard: JournalGuard
let statements: Record<StatementName, StatementSync>

port.on('message', (message: WriterRequest) => {
  try {
    if ('writes' in message) {
      commit(message.writes)
      reply({ committed: true })
    } else if ('retain' in message) reply({ retained: retain(message.retain), size: size() })
    else if ('open' in message) open(message.open)
    else close()
  } catch (error) {
    const { message: cause } = error as Error
    if (!isDiskFull(error) || 'open' in message) reply({ failed: cause })
    else reply('retain' in message ? { retained: 0, size: size() } : { full: cause })
  }
})

function open(file: string) {
  db = new DatabaseSync(file, { timeout: READER_TIMEOUT_MS })
  migrate(db)
  db.exec(DROP_CLOSED_PARAMS)
  statements = Object.fromEntries(
    Object.entries(STATEMENTS).map(([name, sql]) => [name, db.prepare(sql)])
  ) as typeof statements
  guard = new JournalGuard(file, db, error => reply({ failed: error.message }))
  reply({ ready: true })
}

function commit(writes: StoreWrite[]) {
  transaction(() => {
    for (const [name, ...values] of writes) statements[name].run(...values)
  })
  if (writes.some(([name]) => ERASING_STATEMENTS.has(name))) truncateLog()
  guard.acknowledge(writes)
}

/** SQLITE_FULL, and SQLITE_IOERR_SHMSIZE: the index of the write-ahead log cannot grow. */
const DISK_FULL_CODES = [13, 4_874]
const isDiskFull = (error: unknown) => DISK_FULL_CODES.includes((error as { errcode?: number }).errcode ?? 0)

/** Moves the write-ahead log into the file, where removed content is overwritten, and empties it. A full disk leaves that for the next time. */
function truncateLog() {
  try {
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch (error) {
    if (!isDiskFull(error)) throw error
  }
}

/** Runs the work in a transaction. */
function transaction<T>(work: () => T): T {
  guard.assertIntact()
  db.exec('BEGIN IMMEDIATE')
  try {
    const done = work()
    db.exec('COMMIT')
    return done
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

/** Checkpoints the file if possible: after a failure it may not be, and the next start recovers. */
function close() {
  try {
    guard.close()
    truncateLog()
    db.close()
    reply({ closed: true })
  } catch {
    reply({ closed: false })
  }
}

/**
 * Drops one slice of expired rows, or of the oldest ones while the store is too large. The newest event is always retained, since
 * it holds the last sequence number. Returns the number of dropped rows; 0 when done.
 */
function retain({ before, max_bytes }: RetentionLimits) {
  const dropped = (before && dropSlice(before)) || (size() > max_bytes ? dropSlice(ALL) : 0)
  if (dropped > 0) db.exec('PRAGMA incremental_vacuum(1000)')
  return dropped
}

const dropSlice = ({ seq, n }: HistoryBorder) =>
  transaction(() => {
    const events = db.prepare(DROP_EVENTS).all(seq) as { seq: number }[]
    if (events.length > 0) db.prepare(RAISE_DROPPED_MARK).run(Math.max(...events.map(event => event.seq)))
    const calls = Number(db.prepare(DROP_CALLS).run(n).changes)
    if (calls > 0)
      for (const table of ['keys', 'vacated_paths', 'content_expiry'])
        db.exec(`DELETE FROM ${table} WHERE tool_call_id NOT IN (SELECT tool_call_id FROM calls)`)
    return events.length + calls
  })

function size() {
  const read = (pragma: string) => Object.values(db.prepare(`PRAGMA ${pragma}`).get() as Record<string, number>)[0]!
  return (read('page_count') - read('freelist_count')) * read('page_size')
}
