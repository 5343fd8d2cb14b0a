// Reads what the hub has of all servers: servers, calls, and events.
import type { Queries } from './database/database.ts'
import { unknownCallError } from './unknown-call.ts'

/** A server that says nothing for so long counts as silent: it is away, or was ended. */
export const SILENT_AFTER_MS = 60_000

export interface HubServer {
  server_id: string
  name: string
  enrolled_at: Date
  enrolled_by: string
  seen_at: Date | null
  revoked_at: Date | null
  /** JSON of the facts that it gave when it was enrolled. */
  facts: string
  journal_id: string | null
  /** Events of its newest journal that are stored, and that it has. */
  stored_seq: number | null
  head_seq: number | null
  waiting: number
  /** Version of the rules of the hub that is in force there. */
  rules_version: number | null
  /** JSON of the version that it has refused since, and the reason. */
  rules_refused: string | null
}

export interface HubCallRow {
  n: number
  server_id: string
  server_name: string
  journal_id: string
  tool_call_id: string
  tool: string
  status: string
  session_id: string | null
  workspace: string | null
  agent: string | null
  client: string | null
  title: string | null
  created_at: Date
  ended_at: Date | null
  digest: string | null
  /** The person who approved or rejected. */
  decided_by: string | null
}

export interface HubEvent {
  id: number
  server_id: string
  server_name: string
  journal_id: string
  seq: number
  type: string
  received_at: Date
  /** Its JSON. */
  data: string
}

export interface CallFilter {
  server_id?: string | undefined
  status?: string | undefined
  tool?: string | undefined
  session_id?: string | undefined
  agent?: string | undefined
  /** Part of the title. */
  text?: string | undefined
  /** Part of the name of the person who approved or rejected. */
  decided_by?: string | undefined
  /** Only calls before this `n`. */
  before?: number | undefined
  limit: number
}

/** Bytes of events after which a page ends, and number of the events of one call. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024
const MAX_CALL_EVENTS = 1_000
/** Columns of a call, whose tables are calls c, journals j and servers s. */
export const HUB_CALL_COLUMNS = `c.n, j.server_id, s.name AS server_name, c.journal_id, c.tool_call_id, c.tool, c.status, c.session_id,
  c.workspace, c.agent, c.client, c.title, c.created_at, c.ended_at, c.digest, c.decided_by`
const CALLS = `${HUB_CALL_COLUMNS} FROM calls c JOIN journals j USING (journal_id) JOIN servers s USING (server_id)`

export const listServers = (database: Queries): Promise<HubServer[]> =>
  database.query<HubServer>(
    `SELECT s.server_id, s.name, s.enrolled_at, s.enrolled_by, s.seen_at, s.revoked_at, s.facts, j.journal_id, j.stored_seq, j.head_seq,
       s.rules_version, s.rules_refused,
       (SELECT count(*) FROM calls c JOIN journals o USING (journal_id)
        WHERE o.server_id = s.server_id AND c.status = 'awaiting_approval'
          AND NOT EXISTS (SELECT 1 FROM waiting_reports w WHERE w.journal_id = c.journal_id))
       + (SELECT count(*) FROM reported_calls c JOIN journals o USING (journal_id) WHERE o.server_id = s.server_id) AS waiting
     FROM servers s LEFT JOIN LATERAL (
       SELECT journal_id, stored_seq, head_seq FROM journals WHERE journals.server_id = s.server_id ORDER BY began_at DESC LIMIT 1
     ) j ON true
     ORDER BY s.name, s.server_id`
  )

/** Lists calls, the newest first. */
export function listCalls(
  database: Queries,
  { limit, before, text, decided_by, ...equal }: CallFilter
): Promise<HubCallRow[]> {
  const columns = {
    server_id: 'j.server_id',
    status: 'c.status',
    tool: 'c.tool',
    session_id: 'c.session_id',
    agent: 'c.agent'
  } as const
  const values: unknown[] = []
  const add = (value: unknown) => `$${values.push(value)}`
  const conditions = Object.entries(columns).flatMap(([name, column]) => {
    const value = equal[name as keyof typeof columns]
    return value === undefined ? [] : [`${column} = ${add(value)}`]
  })
  if (before !== undefined) conditions.push(`c.n < ${add(before)}`)
  const addPart = (column: string, part: string | undefined) => {
    if (part !== undefined) conditions.push(`lower(${column}) LIKE lower(${add(`%${escapePattern(part)}%`)})`)
  }
  addPart('c.title', text)
  addPart('c.decided_by', decided_by)
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''
  return database.query<HubCallRow>(`SELECT ${CALLS} ${where} ORDER BY c.n DESC LIMIT ${add(limit)}`, values)
}

/** Escapes what has a meaning in a pattern of LIKE. */
const escapePattern = (text: string) => text.replace(/[\\%_]/g, '\\$&')

/** A call; without a number if the hub knows it by a report, ahead of its event. */
export type KnownCallRow = Omit<HubCallRow, 'n'> & { n: number | null }

/** The same columns of a call that a server has reported ahead of its event. */
export const REPORTED_CALLS = `NULL::bigint AS n, j.server_id, s.name AS server_name, c.journal_id, c.tool_call_id, c.tool,
  'awaiting_approval' AS status, c.session_id, c.workspace, c.agent, c.client, c.title, c.created_at, NULL::timestamptz AS ended_at,
  c.digest, NULL AS decided_by, c.data FROM reported_calls c JOIN journals j USING (journal_id) JOIN servers s USING (server_id)`

/**
 * Returns a call with the JSON of its events, in order; `truncated` if there are more, or they are large. Of a call that is known by a
 * report, that is all there is. Throws NOT_FOUND.
 */
export async function readCall(
  database: Queries,
  serverId: string,
  toolCallId: string
): Promise<KnownCallRow & { events: string[]; truncated: boolean }> {
  const [reported] = await database.query<KnownCallRow & { data: string }>(
    `SELECT ${REPORTED_CALLS} WHERE j.server_id = $1 AND c.tool_call_id = $2`,
    [serverId, toolCallId]
  )
  if (reported) {
    const { data, ...row } = reported
    return { ...row, events: [data], truncated: true }
  }
  const [call] = await database.query<HubCallRow>(
    `SELECT ${CALLS} WHERE j.server_id = $1 AND c.tool_call_id = $2 ORDER BY c.n DESC LIMIT 1`,
    [serverId, toolCallId]
  )
  if (!call) throw unknownCallError(serverId, toolCallId)
  const events = await database.query<{ data: string; before: number }>(
    `SELECT data FROM (${withSizes(
      `SELECT * FROM events WHERE journal_id = $1 AND tool_call_id = $2 ORDER BY seq LIMIT ${MAX_CALL_EVENTS}`,
      'seq'
    )}) e WHERE before < $3 ORDER BY seq`,
    [call.journal_id, toolCallId, MAX_PAGE_BYTES]
  )
  const [counted] = await database.query<{ total: number }>(
    'SELECT count(*) AS total FROM events WHERE journal_id = $1 AND tool_call_id = $2',
    [call.journal_id, toolCallId]
  )
  return { ...call, events: events.map(({ data }) => data), truncated: events.length < (counted?.total ?? 0) }
}

/** Returns events after one, in the order in which the hub stored them: at most `limit`, and fewer if they are large. */
export const readEvents = (database: Queries, after: number, limit: number): Promise<HubEvent[]> =>
  database.query<HubEvent>(
    `SELECT e.id, j.server_id, s.name AS server_name, e.journal_id, e.seq, e.type, e.received_at, e.data
     FROM (${withSizes('SELECT * FROM events WHERE id > $1 ORDER BY id LIMIT $2', 'id')}) e
       JOIN journals j USING (journal_id) JOIN servers s USING (server_id)
     WHERE e.before < $3 ORDER BY e.id`,
    [after, limit, MAX_PAGE_BYTES]
  )

/** Returns a query that adds to each event the bytes of those before it. */
const withSizes = (events: string, order: 'id' | 'seq') =>
  `SELECT *, sum(octet_length(data)) OVER (ORDER BY ${order}) - octet_length(data) AS before FROM (${events}) chosen`

/** Returns the number of the newest event. */
export async function latestEvent(database: Queries): Promise<number> {
  const [row] = await database.query<{ id: number | null }>('SELECT max(id) AS id FROM events')
  return row?.id ?? 0
}
