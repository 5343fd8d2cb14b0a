// Rows by which calls are found, from the events about them. The events themselves hold the rest.
import type { UplinkEvent } from '../uplink/wire.ts'
import type { Queries } from './database/database.ts'

interface BeganCall {
  kind: 'began'
  seq: number
  tool_call_id: string
  tool: string
  status: 'awaiting_approval' | 'running'
  session_id: string | null
  workspace: string | null
  agent: string | null
  client: string | null
  title: string | null
  created_at: string
  digest: string | null
}

interface DecidedCall {
  kind: 'decided'
  seq: number
  tool_call_id: string
}

interface EndedCall {
  kind: 'ended'
  seq: number
  tool_call_id: string
  status: string
  ended_at: string
}

interface RemovedContent {
  kind: 'removed'
  seq: number
  tool_call_id: string
}

/** A change of a call by one event. */
export type CallChange = BeganCall | DecidedCall | EndedCall | RemovedContent

/** Returns the changes that events report, in their order. Events that are not understood report none. */
export const readCallChanges = (events: readonly UplinkEvent[]): CallChange[] => events.flatMap(readCallChange)

function readCallChange({ seq, type, time, tool_call_id, data }: UplinkEvent): CallChange[] {
  if (tool_call_id === undefined) return []
  if (type === 'tool.decision')
    return textOf(parse(data).decision) === 'approved' ? [{ kind: 'decided', seq, tool_call_id }] : []
  if (type === 'tool.result') {
    const status = textOf(parse(data).status)
    return status === null ? [] : [{ kind: 'ended', seq, tool_call_id, status, ended_at: time }]
  }
  if (type === 'tool.content_removed') return [{ kind: 'removed', seq, tool_call_id }]
  if (type !== 'tool.call') return []
  const { tool, session_id, workspace, agent, client, requires_approval, approval } = parse(data)
  const { digest, preview } = objectOf(approval)
  return [
    {
      kind: 'began',
      seq,
      tool_call_id,
      tool: textOf(tool) ?? '',
      status: requires_approval === true ? 'awaiting_approval' : 'running',
      session_id: textOf(session_id),
      workspace: textOf(workspace),
      agent: textOf(agent),
      client: textOf(client),
      title: textOf(objectOf(preview).title),
      created_at: time,
      digest: textOf(digest)
    }
  ]
}

/** Returns the ids of decisions at the hub that events say were applied. */
export const readAppliedDecisions = (events: readonly UplinkEvent[]): number[] =>
  events
    .filter(({ type }) => type === 'tool.decision')
    .map(({ data }) => objectOf(parse(data).by))
    .flatMap(({ via, decision_id }) =>
      via === 'hub' && Number.isSafeInteger(decision_id) ? [decision_id as number] : []
    )

export async function writeCallChanges(db: Queries, journalId: string, changes: readonly CallChange[]) {
  for (const change of changes)
    if (change.kind === 'began') await writeBegan(db, journalId, change)
    else if (change.kind === 'decided') await db.query(DECIDE, [journalId, change.tool_call_id])
    else if (change.kind === 'ended')
      await db.query(END, [journalId, change.tool_call_id, change.status, change.ended_at, change.seq])
    else for (const statement of REMOVE_CONTENT) await db.query(statement, [journalId, change.tool_call_id])
}

const DECIDE = `UPDATE calls SET status = 'running', digest = NULL
  WHERE journal_id = $1 AND tool_call_id = $2 AND status = 'awaiting_approval'`
const END = `UPDATE calls SET status = $3, ended_at = $4, digest = NULL, result_seq = $5
  WHERE journal_id = $1 AND tool_call_id = $2`
/** The content that a server has removed of a call is removed here, too: params, preview and result. */
const REMOVE_CONTENT = [
  `UPDATE events SET data = json_build_object('seq', seq, 'time', time, 'type', type, 'tool_call_id', tool_call_id, 'content_removed', true)
   WHERE journal_id = $1 AND tool_call_id = $2 AND type LIKE 'tool.%' AND type <> 'tool.content_removed'`,
  'UPDATE calls SET title = NULL WHERE journal_id = $1 AND tool_call_id = $2'
]

/** A call that waits for a new decision has a second such event. */
const writeBegan = (db: Queries, journalId: string, call: BeganCall) =>
  db.query(
    `INSERT INTO calls (journal_id, tool_call_id, tool, status, session_id, workspace, agent, client, title, created_at, digest, call_seq)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
     ON CONFLICT (journal_id, tool_call_id) DO UPDATE SET status = excluded.status, title = excluded.title,
       digest = excluded.digest, call_seq = excluded.call_seq`,
    [
      journalId,
      call.tool_call_id,
      call.tool,
      call.status,
      call.session_id,
      call.workspace,
      call.agent,
      call.client,
      call.title,
      call.created_at,
      call.digest,
      call.seq
    ]
  )

function parse(data: string): Record<string, unknown> {
  try {
    return objectOf(JSON.parse(data))
  } catch {
    return {}
  }
}

const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

/** PostgreSQL has no texts with a zero character. */
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : null)
