// Cancels by people at the hub. They travel as decisions do, and the journal of the server says what came of them.
import { ToolError } from '../errors.ts'
import { CHANNELS, type Database, type Queries } from './database/database.ts'
import { type DecisionState, STATE_COLUMNS } from './decisions.ts'
import { unknownCallError } from './unknown-call.ts'

interface NewCancel {
  server_id: string
  tool_call_id: string
  reason?: string | undefined
}

/**
 * Stores a cancel for the server of a call. A call that has ended may still have a job, so that the server checks what there is to
 * cancel. Throws NOT_FOUND for an unknown call, CONFLICT while another cancel is under way.
 */
export function cancel(
  database: Database,
  { server_id, tool_call_id, reason }: NewCancel,
  person: { id: string; name: string }
): Promise<DecisionState> {
  return database.transaction(async db => {
    const journalId = await findJournal(db, server_id, tool_call_id)
    const [made] = await db.query<DecisionState>(
      `INSERT INTO decisions (journal_id, tool_call_id, verdict, person_id, person_name, message)
       VALUES ($1, $2, 'cancel', $3, $4, $5) ON CONFLICT DO NOTHING RETURNING ${STATE_COLUMNS}`,
      [journalId, tool_call_id, person.id, person.name, JSON.stringify({ ...(reason !== undefined && { reason }) })]
    )
    if (!made) throw new ToolError('CONFLICT', 'The call is already being cancelled.')
    await db.query('SELECT pg_notify($1, $2)', [CHANNELS.decisions, server_id])
    return made
  })
}

async function findJournal(db: Queries, serverId: string, toolCallId: string): Promise<string> {
  const [call] = await db.query<{ journal_id: string }>(
    `SELECT journal_id FROM (SELECT journal_id, tool_call_id FROM calls UNION ALL SELECT journal_id, tool_call_id FROM reported_calls) c
       JOIN journals j USING (journal_id)
     WHERE j.server_id = $1 AND c.tool_call_id = $2 ORDER BY j.began_at DESC LIMIT 1`,
    [serverId, toolCallId]
  )
  if (call) return call.journal_id
  throw unknownCallError(serverId, toolCallId)
}
