// Reports of servers that are far behind: the calls that wait there, ahead of their events. A report stands for the calls of its journal
// until the events up to it are stored.
import type { WaitingCall, WaitingCalls } from '../protocol/uplink.ts'
import { readBegunCall } from './call-rows.ts'
import type { Database, Queries } from './database/database.ts'
import { readPosition } from './ingest.ts'

/** Replaces the report of a journal. One that the events have overtaken is left out. */
export function storeWaiting(database: Database, serverId: string, { journal_id, head, calls }: WaitingCalls) {
  return database.transaction(async db => {
    await db.query('INSERT INTO journals (journal_id, server_id) VALUES ($1, $2) ON CONFLICT (journal_id) DO NOTHING', [
      journal_id,
      serverId
    ])
    // A batch of events takes this row at its end, and then removes reports: this one too, if the events overtake it.
    await db.query('SELECT 1 FROM journals WHERE journal_id = $1 FOR UPDATE', [journal_id])
    const { stored } = await readPosition(db, serverId, journal_id)
    await db.query('DELETE FROM waiting_reports WHERE journal_id = $1', [journal_id])
    if (stored >= head) return
    await db.query('INSERT INTO waiting_reports (journal_id, head_seq) VALUES ($1, $2)', [journal_id, head])
    if (calls.length > 0) await insertCalls(db, journal_id, calls)
  })
}

function insertCalls(db: Queries, journalId: string, calls: readonly WaitingCall[]) {
  const rows = calls.map(readBegunCall)
  return db.query(
    `INSERT INTO reported_calls (journal_id, tool_call_id, tool, session_id, workspace, agent, client, title, created_at, digest, data)
     SELECT $1, sent.*
     FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::timestamptz[],
       $10::text[], $11::text[]) AS sent ON CONFLICT DO NOTHING`,
    [
      journalId,
      rows.map(({ tool_call_id }) => tool_call_id),
      rows.map(({ tool }) => tool),
      rows.map(({ session_id }) => session_id),
      rows.map(({ workspace }) => workspace),
      rows.map(({ agent }) => agent),
      rows.map(({ client }) => client),
      rows.map(({ title }) => title),
      rows.map(({ created_at }) => created_at),
      rows.map(({ digest }) => digest),
      calls.map(({ data }) => data)
    ]
  )
}
