// Rows by which calls are found, from the events about them. The events themselves hold the rest.
import { ToolError } from '../errors.ts'
import { formatDecider } from '../protocol/format-decider.ts'
import { MAX_APPROVALS } from '../protocol/rules.ts'
import type { UplinkEvent, WaitingCall } from '../protocol/uplink.ts'
import { isObject, parseObject } from '../text/json-object.ts'
import type { Queries } from './database/database.ts'

/** Bounds the name that a server sends. */
const MAX_DECIDER_LENGTH = 256

/** An event with the fields of its data. */
export interface ParsedEvent extends UplinkEvent {
  fields: Record<string, unknown>
}

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
  isApproved: boolean
  /** The person who decided; null for a rule and the like. */
  decided_by: string | null
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
export const readCallChanges = (events: readonly ParsedEvent[]): CallChange[] => events.flatMap(readCallChange)

function readCallChange({ seq, type, time, tool_call_id, fields }: ParsedEvent): CallChange[] {
  if (tool_call_id === undefined) return []
  if (type === 'tool.decision') {
    const isApproved = fields.decision === 'approved'
    return [{ kind: 'decided', seq, tool_call_id, isApproved, decided_by: readDecider(fields.by) }]
  }
  if (type === 'tool.result') {
    const status = textOf(fields.status)
    return status === null ? [] : [{ kind: 'ended', seq, tool_call_id, status, ended_at: time }]
  }
  if (type === 'tool.content_removed') return [{ kind: 'removed', seq, tool_call_id }]
  if (type !== 'tool.call') return []
  const status = fields.requires_approval === true ? 'awaiting_approval' : 'running'
  return [{ kind: 'began', seq, tool_call_id, status, created_at: time, ...readCallFields(fields) }]
}

/** Returns the name of the person who decided, as clients show it. */
function readDecider(value: unknown): string | null {
  const { source, token, client, channel } = objectOf(value)
  if (source !== 'user') return null
  const name = textOf(objectOf(token).name)
  const decider = formatDecider({
    source,
    token: name === null ? undefined : { name },
    client: textOf(client) ?? undefined,
    channel: textOf(channel) ?? undefined
  })
  return decider.slice(0, MAX_DECIDER_LENGTH)
}

/** Returns the fields of a call that waits, from the JSON of its event. Throws INVALID_PARAMS unless it is a JSON object on one line. */
export function readBegunCall({ tool_call_id, time, data }: WaitingCall) {
  const fields = parseLine(data)
  if (!fields)
    throw new ToolError(
      'INVALID_PARAMS',
      `The data of the call ${tool_call_id} must be the JSON of the call on one line.`
    )
  return { tool_call_id, created_at: time, ...readCallFields(fields) }
}

/** Returns the object of a JSON text on one line; undefined for anything else. */
export const parseLine = (data: string): Record<string, unknown> | undefined =>
  data.startsWith('{"') && !/[\r\n]/.test(data) ? parseObject(data) : undefined

function readCallFields({ tool, session_id, workspace, agent, client, approval }: Record<string, unknown>) {
  const { digest, preview } = objectOf(approval)
  return {
    tool: textOf(tool) ?? '',
    session_id: textOf(session_id),
    workspace: textOf(workspace),
    agent: textOf(agent),
    client: textOf(client),
    title: textOf(objectOf(preview).title),
    digest: textOf(digest)
  }
}

const DECISION_TYPES: readonly string[] = ['tool.decision', 'tool.cancel']

/** Returns the approvals of a call that waits for further ones. */
function readApprovals(type: string, { approval }: Record<string, unknown>): Record<string, unknown>[] {
  const { approvals } = objectOf(approval)
  return type === 'tool.call' && Array.isArray(approvals) ? approvals.slice(0, MAX_APPROVALS).map(objectOf) : []
}

/** Returns the ids of decisions and cancels at the hub that events say were applied. */
export const readAppliedDecisions = (events: readonly ParsedEvent[]): number[] =>
  events
    .flatMap(({ type, fields }) =>
      DECISION_TYPES.includes(type) ? [objectOf(fields.by)] : readApprovals(type, fields)
    )
    .flatMap(({ via, decision_id }) =>
      via === 'hub' && Number.isSafeInteger(decision_id) ? [decision_id as number] : []
    )

/** Writes changes: all calls at once, each as its last change leaves it. */
export async function writeCallChanges(db: Queries, journalId: string, changes: readonly CallChange[]) {
  const removed = changes.filter(({ kind }) => kind === 'removed')
  if (removed.length > 0)
    await db.query(REMOVE_CONTENT, [
      journalId,
      removed.map(({ tool_call_id }) => tool_call_id),
      removed.map(({ seq }) => seq)
    ])
  const updates = foldChanges(changes)
  const began = updates.filter(update => 'first' in update)
  const others = updates.filter(update => !('first' in update))
  if (began.length > 0) await writeBegan(db, journalId, began)
  if (others.length > 0) await writeOthers(db, journalId, others)
}

/** The sum of the changes of a call. A field that is undefined stays as it is. */
interface CallUpdate {
  tool_call_id: string
  status?: string
  /** Approved, if it waits. */
  isDecided?: boolean
  decided_by?: string
  title?: string | null
  digest?: string | null
  ended_at?: string
  result_seq?: number
}

interface BeganUpdate extends CallUpdate {
  /** The first event of the call: a call that waits for a new decision has a second one. */
  first: BeganCall
  call_seq: number
}

/** Returns one update for each call, in the order in which calls come first. */
function foldChanges(changes: readonly CallChange[]): (CallUpdate | BeganUpdate)[] {
  const updates = new Map<string, CallUpdate | BeganUpdate>()
  for (const change of changes) {
    const { tool_call_id } = change
    updates.set(tool_call_id, applyChange(updates.get(tool_call_id) ?? { tool_call_id }, change))
  }
  return [...updates.values()]
}

function applyChange(update: CallUpdate | BeganUpdate, change: CallChange): CallUpdate | BeganUpdate {
  if (change.kind === 'removed') return { ...update, title: null }
  if (change.kind === 'ended')
    return { ...update, status: change.status, digest: null, ended_at: change.ended_at, result_seq: change.seq }
  if (change.kind === 'began') {
    const { status, title, digest, seq } = change
    return { ...update, first: 'first' in update ? update.first : change, status, title, digest, call_seq: seq }
  }
  const named = change.decided_by === null ? update : { ...update, decided_by: change.decided_by }
  if (!change.isApproved) return named
  if (update.status === undefined) return { ...named, isDecided: true }
  return update.status === 'awaiting_approval' ? { ...named, status: 'running', digest: null } : named
}

/** The content that a server has removed of a call is removed here, too: params, preview and result of the events until then. */
const REMOVE_CONTENT = `UPDATE events SET data = json_build_object(
    'seq', events.seq, 'time', to_char(time AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'type', type,
    'tool_call_id', events.tool_call_id, 'content_removed', true)
  FROM unnest($2::text[], $3::bigint[]) AS removed (tool_call_id, seq)
  WHERE events.journal_id = $1 AND events.tool_call_id = removed.tool_call_id AND events.seq < removed.seq
    AND type LIKE 'tool.%' AND type <> 'tool.content_removed'`

const writeBegan = (db: Queries, journalId: string, calls: readonly BeganUpdate[]) =>
  db.query(
    `INSERT INTO calls (journal_id, tool_call_id, tool, session_id, workspace, agent, client, created_at,
       status, title, digest, call_seq, ended_at, result_seq, decided_by)
     SELECT $1, tool_call_id, tool, session_id, workspace, agent, client, created_at,
       status, title, digest, call_seq, ended_at, result_seq, decided_by
     FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::timestamptz[],
         $9::text[], $10::text[], $11::text[], $12::bigint[], $13::timestamptz[], $14::bigint[], $15::text[])
       WITH ORDINALITY AS changed (tool_call_id, tool, session_id, workspace, agent, client, created_at,
         status, title, digest, call_seq, ended_at, result_seq, decided_by, place)
     ORDER BY place
     ON CONFLICT (journal_id, tool_call_id) DO UPDATE SET status = excluded.status, title = excluded.title,
       digest = excluded.digest, call_seq = excluded.call_seq, ended_at = coalesce(excluded.ended_at, calls.ended_at),
       result_seq = coalesce(excluded.result_seq, calls.result_seq),
       decided_by = coalesce(excluded.decided_by, calls.decided_by)`,
    [
      journalId,
      calls.map(({ tool_call_id }) => tool_call_id),
      calls.map(({ first }) => first.tool),
      calls.map(({ first }) => first.session_id),
      calls.map(({ first }) => first.workspace),
      calls.map(({ first }) => first.agent),
      calls.map(({ first }) => first.client),
      calls.map(({ first }) => first.created_at),
      calls.map(({ status }) => status),
      calls.map(({ title }) => title),
      calls.map(({ digest }) => digest),
      calls.map(({ call_seq }) => call_seq),
      calls.map(({ ended_at }) => ended_at),
      calls.map(({ result_seq }) => result_seq),
      calls.map(({ decided_by }) => decided_by)
    ]
  )

const writeOthers = (db: Queries, journalId: string, calls: readonly CallUpdate[]) =>
  db.query(
    `UPDATE calls SET
       status = CASE WHEN changed.status IS NOT NULL THEN changed.status WHEN released THEN 'running' ELSE calls.status END,
       digest = CASE WHEN changed.status IS NOT NULL OR released THEN NULL ELSE digest END,
       title = CASE WHEN untitled THEN NULL ELSE title END,
       ended_at = coalesce(changed.ended_at, calls.ended_at),
       result_seq = coalesce(changed.result_seq, calls.result_seq),
       decided_by = coalesce(changed.decided_by, calls.decided_by)
     FROM (
       SELECT sent.*, decided AND waiting.status = 'awaiting_approval' AS released
       FROM unnest($2::text[], $3::text[], $4::boolean[], $5::boolean[], $6::timestamptz[], $7::bigint[], $8::text[])
         AS sent (tool_call_id, status, decided, untitled, ended_at, result_seq, decided_by)
       JOIN calls waiting ON waiting.journal_id = $1 AND waiting.tool_call_id = sent.tool_call_id
     ) changed
     WHERE calls.journal_id = $1 AND calls.tool_call_id = changed.tool_call_id`,
    [
      journalId,
      calls.map(({ tool_call_id }) => tool_call_id),
      calls.map(({ status }) => status),
      calls.map(({ isDecided = false }) => isDecided),
      calls.map(({ title }) => title === null),
      calls.map(({ ended_at }) => ended_at),
      calls.map(({ result_seq }) => result_seq),
      calls.map(({ decided_by }) => decided_by)
    ]
  )

/** Returns a value that is an object, else an empty one. */
const objectOf = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {})

/** PostgreSQL has no texts with a zero character. */
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : null)
