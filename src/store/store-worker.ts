// Writer of the store, in a worker thread so that fsync never blocks the server. It commits one batch at a time and answers each;
// a failed batch is rolled back and ends the writer, since a journal must not lose a write.
import { DatabaseSync } from 'node:sqlite'
import { parentPort } from 'node:worker_threads'
import type { EpochReason } from './chain-records.ts'
import { ChainedWrites } from './chained-writes.ts'
import type { EventChain } from './event-chain.ts'
import { JournalGuard } from './journal-guard.ts'
import { openEpoch } from './open-epoch.ts'
import {
  DROP_PATH,
  ERASING_STATEMENTS,
  type HistoryBorder,
  migrate,
  type StoreWrite,
  splitPaths
} from './store-schema.ts'

export interface RetentionLimits {
  /** Events and settled calls below these numbers are dropped. */
  before: HistoryBorder | undefined
  max_bytes: number
}
export type WriterRequest = { open: string } | { writes: StoreWrite[] } | { retain: RetentionLimits } | { close: true }
export type WriterResponse =
  /** `epoch` says why this start began an epoch of the journal, if it did. */
  | { ready: true; epoch: EpochReason | undefined }
  | { committed: true }
  | { retained: number; size: number }
  | { failed: string }
  /** The disk is full: nothing of the writes is stored, and they can be sent again. */
  | { full: string }

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
  WHERE n < ?) RETURNING n, paths`

const DROP_CLOSED_PARAMS = `DELETE FROM open_params
  WHERE tool_call_id NOT IN (SELECT tool_call_id FROM calls WHERE ${OPEN_CALLS})`

const ALL: HistoryBorder = { seq: Number.MAX_SAFE_INTEGER, n: Number.MAX_SAFE_INTEGER }

const port = parentPort!
const reply = (message: WriterResponse) => port.postMessage(message)
let db: DatabaseSync
let guard: JournalGuard
let chain: EventChain
let writes: ChainedWrites

port.on('message', (message: WriterRequest) => {
  try {
    if ('writes' in message) {
      commit(message.writes)
      reply({ committed: true })
      chain.signIfDue()
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
  const opened = openEpoch(file, db)
  chain = opened.chain
  writes = new ChainedWrites(db, chain)
  guard = new JournalGuard(file, db, { ...opened.marker, record: chain.last }, error =>
    reply({ failed: error.message })
  )
  reply({ ready: true, epoch: opened.reason })
}

function commit(batch: StoreWrite[]) {
  transaction(() => writes.execute(batch))
  if (batch.some(([name]) => ERASING_STATEMENTS.has(name))) truncateLog()
  guard.acknowledge(batch, chain.last)
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

/** Runs the work in a transaction, after the anchor that is due. */
function transaction<T>(work: () => T): T {
  guard.assertIntact()
  db.exec('BEGIN IMMEDIATE')
  try {
    chain.appendAnchor()
    const done = work()
    db.exec('COMMIT')
    chain.commit()
    return done
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    chain.rollback()
    writes.forget()
    throw error
  }
}

/** Signs the chain up to its end. A full disk leaves that for the next time. */
function signEnd() {
  if (!chain.sign()) return
  try {
    transaction(() => {})
    guard.acknowledge([], chain.last)
  } catch (error) {
    if (!isDiskFull(error)) throw error
  }
}

/** Checkpoints the file if possible: after a failure it may not be, and the next start recovers. */
function close() {
  try {
    signEnd()
    guard.close()
    truncateLog()
    db.close()
  } finally {
    process.exit()
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

const dropSlice = ({ seq, n }: HistoryBorder) => {
  const dropped = transaction(() => {
    const events = takeNumbers(DROP_EVENTS, seq)
    const calls = dropCalls(n)
    if (events.length > 0) db.prepare(RAISE_DROPPED_MARK).run(events.at(-1)!)
    if (calls.length > 0)
      for (const table of ['keys', 'vacated_paths', 'content_expiry'])
        db.exec(`DELETE FROM ${table} WHERE tool_call_id NOT IN (SELECT tool_call_id FROM calls)`)
    if (events.length + calls.length > 0) chain.cut(events, calls)
    writes.forget()
    return events.length + calls.length
  })
  guard.acknowledge([], chain.last)
  return dropped
}

/** Drops a slice of calls, with their paths, and returns their numbers in order. */
function dropCalls(before: number): number[] {
  const dropped = db.prepare(DROP_CALLS).all(before) as { n: number; paths: string }[]
  const dropPath = db.prepare(DROP_PATH)
  for (const { n, paths } of dropped) for (const path of splitPaths(paths)) dropPath.run(path, n)
  return dropped.map(({ n }) => n).sort((one, other) => one - other)
}

/** Executes a statement that returns numbers, and returns them in order. */
const takeNumbers = (sql: string, before: number): number[] =>
  db
    .prepare(sql)
    .all(before)
    .map(row => Number(Object.values(row)[0]))
    .sort((one, other) => one - other)

function size() {
  const read = (pragma: string) => Object.values(db.prepare(`PRAGMA ${pragma}`).get() as Record<string, number>)[0]!
  return (read('page_count') - read('freelist_count')) * read('page_size')
}
