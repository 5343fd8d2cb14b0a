// Decisions by people at the hub. The first one on what was shown wins; the server of the call checks it as that of any approver, and
// its journal says what came of it.
import { ToolError } from '../errors.ts'
import type { HubDecision } from '../protocol/uplink.ts'
import { CHANNELS, type Database, type Queries } from './database/database.ts'
import { unknownCallError } from './unknown-call.ts'

type Verdict = Exclude<HubDecision['verdict'], 'cancel'>

export interface NewDecision {
  server_id: string
  tool_call_id: string
  /** Digest of what was shown. */
  digest: string
  verdict: Verdict
  /** Further fields for the server. */
  message: Pick<HubDecision, 'confirm' | 'reason' | 'user_message' | 'comments'>
}

/** A decision and what came of it. */
export interface DecisionState {
  decision_id: number
  verdict: HubDecision['verdict']
  person_name: string
  decided_at: Date
  state: 'sent' | 'applied' | 'refused'
  /** Reason of the server. */
  refusal: string | null
}

interface WaitingCall {
  journal_id: string
  status: string
  digest: string | null
  data: string
}

export const STATE_COLUMNS = 'decision_id, verdict, person_name, decided_at, state, refusal'

/**
 * Stores a decision for the server of a call. Throws NOT_FOUND for an unknown call, CONFLICT for one that does not wait or was
 * decided on, PREVIEW_CHANGED if something else is shown now, INVALID_PARAMS for an approval of a preview that the hub does not have whole.
 */
export function decide(
  database: Database,
  { server_id, tool_call_id, digest, verdict, message }: NewDecision,
  person: { id: string; name: string }
): Promise<DecisionState> {
  return database.transaction(async db => {
    const call = await findCall(db, server_id, tool_call_id)
    if (call.status !== 'awaiting_approval')
      throw new ToolError('CONFLICT', `The call does not wait for approval: its status is ${call.status}.`)
    if (call.digest !== digest)
      throw new ToolError(
        'PREVIEW_CHANGED',
        'The preview of the call has changed. Review the new preview, and decide again.'
      )
    if (verdict === 'approve') assertWhole(call.data)
    const place = await findPlace(db, { ...call, tool_call_id, digest, verdict }, person.id)
    const [made] = await db.query<DecisionState>(
      `INSERT INTO decisions (journal_id, tool_call_id, digest, verdict, person_id, person_name, message, place)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING RETURNING ${STATE_COLUMNS}`,
      [call.journal_id, tool_call_id, digest, verdict, person.id, person.name, JSON.stringify(message), place]
    )
    if (!made) throw await decidedError(db, call.journal_id, tool_call_id, digest)
    await db.query('SELECT pg_notify($1, $2)', [CHANNELS.decisions, server_id])
    return made
  })
}

/** Returns a decision. Throws NOT_FOUND. */
export async function readDecision(database: Queries, decisionId: number): Promise<DecisionState> {
  const [decision] = await database.query<DecisionState>(
    `SELECT ${STATE_COLUMNS} FROM decisions WHERE decision_id = $1`,
    [decisionId]
  )
  if (!decision) throw new ToolError('NOT_FOUND', `The hub has no decision with the id ${decisionId}.`)
  return decision
}

/** Lists the decisions for a server that have no answer yet, after one. */
export async function listSent(database: Queries, serverId: string, after: number): Promise<HubDecision[]> {
  const rows = await database.query<
    Omit<HubDecision, 'person'> & { person_id: string; person_name: string; message: string }
  >(
    `SELECT decision_id, d.journal_id, tool_call_id, digest, verdict, person_id, person_name, message
     FROM decisions d JOIN journals j USING (journal_id)
     WHERE j.server_id = $1 AND d.state = 'sent' AND decision_id > $2 ORDER BY decision_id`,
    [serverId, after]
  )
  return rows.map(({ person_id, person_name, message, ...decision }) => ({
    ...decision,
    ...(JSON.parse(message) as object),
    person: { id: person_id, name: person_name }
  }))
}

/** Records that a server did not apply a decision. One that its journal says was applied stays so. */
export async function recordRefusal(database: Queries, serverId: string, decisionId: number, reason: string) {
  await database.query(
    `UPDATE decisions SET state = 'refused', refusal = $3 WHERE decision_id = $2 AND state = 'sent'
       AND journal_id IN (SELECT journal_id FROM journals WHERE server_id = $1)`,
    [serverId, decisionId, reason]
  )
}

/** Records decisions that the journal of their server has. */
export const recordApplied = (db: Queries, journalId: string, decisionIds: readonly number[]) =>
  db.query(
    `UPDATE decisions SET state = 'applied', refusal = NULL WHERE journal_id = $1 AND decision_id = ANY($2::bigint[])`,
    [journalId, decisionIds]
  )

/** Returns the call by the newest report of its server, or else by its events. */
async function findCall(db: Queries, serverId: string, toolCallId: string): Promise<WaitingCall> {
  const [reported] = await db.query<WaitingCall>(
    `SELECT journal_id, 'awaiting_approval' AS status, digest, data FROM reported_calls JOIN journals USING (journal_id)
     WHERE server_id = $1 AND tool_call_id = $2`,
    [serverId, toolCallId]
  )
  if (reported) return reported
  const [call] = await db.query<WaitingCall>(
    `SELECT c.journal_id, c.status, c.digest, e.data
     FROM calls c JOIN journals j USING (journal_id) JOIN events e ON e.journal_id = c.journal_id AND e.seq = c.call_seq
     WHERE j.server_id = $1 AND c.tool_call_id = $2 ORDER BY c.n DESC LIMIT 1`,
    [serverId, toolCallId]
  )
  if (call) return call
  throw unknownCallError(serverId, toolCallId)
}

/**
 * Returns the place of a decision: 0, or for a call that needs several approvals the one after those that were sent. The server counts the
 * approvals, also those from elsewhere. Throws CONFLICT if a person has rejected the call, or this one has approved it.
 */
async function findPlace(
  db: Queries,
  { journal_id, tool_call_id, digest, data, verdict }: WaitingCall & Pick<NewDecision, 'tool_call_id' | 'verdict'>,
  personId: string
): Promise<number> {
  const { approval } = JSON.parse(data) as { approval?: { approvals_needed?: unknown } }
  if (typeof approval?.approvals_needed !== 'number') return 0
  const sent = await db.query<{ person_id: string; person_name: string; verdict: string; place: number }>(
    `SELECT person_id, person_name, verdict, place FROM decisions
     WHERE journal_id = $1 AND tool_call_id = $2 AND digest = $3 AND state <> 'refused'`,
    [journal_id, tool_call_id, digest]
  )
  const isFinal = (earlier: { person_id: string; verdict: string }) =>
    earlier.verdict === 'reject' || (earlier.person_id === personId && verdict === 'approve')
  const final = sent.find(isFinal)
  if (final) throw alreadyDecidedError(final)
  return Math.max(-1, ...sent.map(({ place }) => place)) + 1
}

/** Throws INVALID_PARAMS if a part of the preview is at the server alone: nothing is approved that was not shown. */
function assertWhole(data: string) {
  const { approval } = JSON.parse(data) as { approval?: { preview?: { cut?: boolean } } }
  if (approval?.preview?.cut)
    throw new ToolError(
      'INVALID_PARAMS',
      'The preview is shortened. Only the server of the call has the whole preview: approve the call at that server, or reject it here.'
    )
}

async function decidedError(db: Queries, journalId: string, toolCallId: string, digest: string) {
  const [first] = await db.query<DecisionState>(
    `SELECT ${STATE_COLUMNS} FROM decisions WHERE journal_id = $1 AND tool_call_id = $2 AND digest = $3 AND state <> 'refused'
     ORDER BY place DESC`,
    [journalId, toolCallId, digest]
  )
  return alreadyDecidedError(first)
}

function alreadyDecidedError(first: { verdict: string; person_name: string } | undefined) {
  const done = first?.verdict === 'approve' ? 'approved' : 'rejected'
  return new ToolError('CONFLICT', `${first?.person_name ?? 'Another person'} has already ${done} the call.`)
}
