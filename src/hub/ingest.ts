// Stores what servers send of their journals: each event once, in the order of its journal.
import { ToolError } from '../errors.ts'
import type { UplinkBatch, UplinkEvent, UplinkGap } from '../protocol/uplink.ts'
import { type ParsedEvent, parseLine, readAppliedDecisions, readCallChanges, writeCallChanges } from './call-rows.ts'
import { CHANNELS, type Database, type Queries } from './database/database.ts'
import { LOCKS } from './database/migrations.ts'
import { recordApplied } from './decisions.ts'

/** Number of the newest event of a journal that is stored, with all before it. */
export interface JournalPosition {
  stored: number
}

/** Returns the position of a server's journal, which the hub may not know yet. */
export async function readPosition(database: Queries, serverId: string, journalId: string): Promise<JournalPosition> {
  const [row] = await database.query<{ server_id: string; stored_seq: number }>(
    'SELECT server_id, stored_seq FROM journals WHERE journal_id = $1',
    [journalId]
  )
  if (row) assertOwner(row.server_id, serverId)
  return { stored: row?.stored_seq ?? 0 }
}

/**
 * Stores a batch, and returns how far the journal is stored then. Events that are stored already are left out, so that a batch can be
 * sent again. Throws FORBIDDEN for the journal of another server, INVALID_PARAMS for events that cannot be stored.
 */
export function storeBatch(database: Database, serverId: string, batch: UplinkBatch): Promise<JournalPosition> {
  const { journal_id, head, events, gap } = batch
  if (events.length === 0 && !gap) return noteHeartbeat(database, serverId, batch)
  const parsed = parseEvents(events)
  return database.transaction(async db => {
    // With one writer at a time the numbers of events become visible in their order.
    await db.query('SELECT pg_advisory_xact_lock($1)', [LOCKS.ingest])
    await db.query('INSERT INTO journals (journal_id, server_id) VALUES ($1, $2) ON CONFLICT (journal_id) DO NOTHING', [
      journal_id,
      serverId
    ])
    const { stored } = await readPosition(db, serverId, journal_id)
    const fresh = parsed.filter(({ seq }) => seq > stored)
    if (gap) await recordGap(db, journal_id, gap)
    if (fresh.length > 0) await insertEvents(db, journal_id, fresh)
    await writeCallChanges(db, journal_id, readCallChanges(fresh))
    const applied = readAppliedDecisions(fresh)
    if (applied.length > 0) await recordApplied(db, journal_id, applied)
    const reached = Math.max(stored, fresh.at(-1)?.seq ?? 0, gap?.until ?? 0)
    await db.query(
      `WITH seen AS (UPDATE servers SET seen_at = now() WHERE server_id = $4),
         moved AS (UPDATE journals SET stored_seq = $2, head_seq = greatest(head_seq, $3) WHERE journal_id = $1)
       SELECT pg_notify($5, '') WHERE $6`,
      [journal_id, reached, head, serverId, CHANNELS.events, fresh.length > 0]
    )
    await db.query('DELETE FROM waiting_reports WHERE journal_id = $1 AND head_seq <= $2', [journal_id, reached])
    return { stored: reached }
  })
}

/** Parses events. Throws INVALID_PARAMS unless they are in ascending order, and each is a JSON object on one line, with its number. */
function parseEvents(events: readonly UplinkEvent[]): ParsedEvent[] {
  return events.map((event, i) => {
    const { seq, data } = event
    if (i > 0 && seq <= events[i - 1]!.seq)
      throw new ToolError('INVALID_PARAMS', 'The events are not in ascending order.')
    const fields = parseLine(data)
    if (fields?.seq !== seq)
      throw new ToolError('INVALID_PARAMS', `The data of event ${seq} must be the JSON of the event on one line.`)
    return { ...event, fields }
  })
}

/** Notes that a server is there. This waits for no writer. */
async function noteHeartbeat(database: Queries, serverId: string, { journal_id, head }: UplinkBatch) {
  const position = await readPosition(database, serverId, journal_id)
  await database.query(
    `WITH seen AS (UPDATE servers SET seen_at = now() WHERE server_id = $1)
     INSERT INTO journals (journal_id, server_id, head_seq) VALUES ($2, $1, $3)
     ON CONFLICT (journal_id) DO UPDATE SET head_seq = greatest(journals.head_seq, excluded.head_seq)`,
    [serverId, journal_id, head]
  )
  return position
}

function assertOwner(owner: string, serverId: string) {
  if (owner !== serverId) throw new ToolError('FORBIDDEN', 'Another server has already sent this journal to the hub.')
}

const insertEvents = (db: Queries, journalId: string, events: readonly UplinkEvent[]) =>
  db.query(
    `INSERT INTO events (journal_id, seq, type, time, tool_call_id, data)
     SELECT $1, seq, type, time, tool_call_id, data
     FROM unnest($2::bigint[], $3::text[], $4::timestamptz[], $5::text[], $6::text[])
       WITH ORDINALITY AS sent (seq, type, time, tool_call_id, data, place)
     ORDER BY place ON CONFLICT (journal_id, seq) DO NOTHING`,
    [
      journalId,
      events.map(({ seq }) => seq),
      events.map(({ type }) => type),
      events.map(({ time }) => time),
      events.map(({ tool_call_id = null }) => tool_call_id),
      events.map(({ data }) => data)
    ]
  )

const recordGap = (db: Queries, journalId: string, { after, until, reason }: UplinkGap) =>
  db.query(
    `INSERT INTO gaps (journal_id, after_seq, until_seq, reason) VALUES ($1, $2, $3, $4)
     ON CONFLICT (journal_id, after_seq) DO UPDATE SET until_seq = excluded.until_seq, reason = excluded.reason`,
    [journalId, after, until, reason]
  )
