// Calls that wait for a decision, with what their servers show of them, and decisions that were sent.
import { parseObject } from '../text/json-object.ts'
import { HUB_CALL_COLUMNS, type KnownCallRow, REPORTED_CALLS } from './archive.ts'
import type { Queries } from './database/database.ts'

/** Maximum number of calls that are listed. */
const MAX_CALLS = 1_000
/** Bytes of events after which further calls are listed without theirs. */
const MAX_LIST_BYTES = 8 * 1024 * 1024

export interface WaitingCallRow {
  call: KnownCallRow
  /** The event that says what the call would do. Left out where the list is too large already: read the call. */
  began: Record<string, unknown> | undefined
  /** A decision that the server has not answered yet. */
  decision: SentDecision | undefined
}

export interface SentDecision {
  decision_id: number
  verdict: 'approve' | 'reject'
  person_name: string
  decided_at: Date
  state: 'sent'
}

interface Row extends KnownCallRow {
  data: string | null
  decision_id: number | null
  verdict: 'approve' | 'reject'
  person_name: string
  decided_at: Date
}

/** Lists calls that wait for a decision, the oldest first. Of a journal that is far behind, those of its report. */
export async function listWaitingCalls(database: Queries): Promise<WaitingCallRow[]> {
  const rows = await database.query<Row>(
    `SELECT w.n, w.server_id, w.server_name, w.journal_id, w.tool_call_id, w.tool, w.status, w.session_id, w.workspace, w.agent, w.client,
       w.title, w.created_at, w.ended_at, w.digest, w.decided_by,
       CASE WHEN sum(octet_length(w.data)) OVER (ORDER BY w.created_at, w.n) <= $2 THEN w.data END AS data,
       d.decision_id, d.verdict, d.person_name, d.decided_at
     FROM (
       (SELECT ${HUB_CALL_COLUMNS}, e.data
        FROM calls c JOIN journals j USING (journal_id) JOIN servers s USING (server_id)
          JOIN events e ON e.journal_id = c.journal_id AND e.seq = c.call_seq
        WHERE c.status = 'awaiting_approval' AND NOT EXISTS (SELECT 1 FROM waiting_reports r WHERE r.journal_id = c.journal_id)
        ORDER BY c.created_at, c.n LIMIT $1)
       UNION ALL SELECT ${REPORTED_CALLS}
     ) w LEFT JOIN LATERAL (
       SELECT * FROM decisions d
       WHERE d.journal_id = w.journal_id AND d.tool_call_id = w.tool_call_id AND d.digest = w.digest AND d.state = 'sent'
       ORDER BY d.place DESC LIMIT 1
     ) d ON true
     ORDER BY w.created_at, w.n LIMIT $1`,
    [MAX_CALLS, MAX_LIST_BYTES]
  )
  return rows.map(({ data, decision_id, verdict, person_name, decided_at, ...call }) => ({
    call,
    began: data === null ? undefined : parseObject(data),
    decision: decision_id === null ? undefined : { decision_id, verdict, person_name, decided_at, state: 'sent' }
  }))
}
