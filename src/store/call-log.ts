// Queries of the log of calls, newest first. Each filter has an index; where filters together select few of many calls, a page ends after a
// time, and the next one goes on there.
import type { DatabaseSync } from 'node:sqlite'
import { Statements } from './statements.ts'
import { PATHS_TABLE } from './store-schema.ts'

/** A stored call: its JSON in two parts, since the result may be shared with the call that first produced it. */
export interface StoredCall {
  n: number
  tool_call_id: string
  head: string
  result: string | null
  /** The token that it belongs to, if that may not approve. */
  owner: string | null
}

export type StoredCallHead = Omit<StoredCall, 'result'>

export interface CallQuery {
  status?: string | undefined
  tool?: string | undefined
  session_id?: string | undefined
  workspace?: string | undefined
  path?: string | undefined
  /** Only calls that belong to this token. */
  owner?: string | undefined
  /** Beginning of `tool_call_id`: letters, digits and `_`. */
  id_prefix?: string | undefined
  since?: string | undefined
  until?: string | undefined
  /** Only calls before this `n`. */
  before?: number | undefined
  limit: number
}

/** At most `limit` calls; fewer if they are large, or take long to find. */
export interface LogPage<T> {
  calls: T[]
  /** The `before` of the next page, if more calls may follow. */
  next?: number
}

/** The columns of a page, by name. */
export interface LogRows {
  calls: StoredCall
  heads: StoredCallHead
}

const JOIN_RESULT = 'LEFT JOIN calls o ON o.tool_call_id = c.result_of'
const CALL_COLUMNS = 'c.n, c.tool_call_id, c.head, coalesce(c.result, o.result) AS result, c.owner'
export const SELECT_CALL = `SELECT ${CALL_COLUMNS} FROM calls c ${JOIN_RESULT}`

const ROWS = {
  calls: { columns: CALL_COLUMNS, join: JOIN_RESULT },
  heads: { columns: 'c.n, c.tool_call_id, c.head, c.owner', join: '' }
} as const

/** Filters for which there are indexes that also order by number. */
const EQUAL = {
  status: 'c.status = ?',
  tool: 'c.tool = ?',
  session_id: 'c.session_id = ?',
  workspace: 'c.workspace = ?',
  owner: 'c.owner = ?',
  // The call may have been written with other paths first.
  path: 'p.path = ? AND instr(c.paths, char(10) || p.path || char(10)) > 0'
} as const

/** Filters that select a range of numbers. The plus keeps SQLite from their indexes, which do not order by number. */
const RANGES = {
  since: '+c.created_at >= ?',
  until: '+c.created_at < ?',
  id_prefix: 'instr(c.tool_call_id, ?) = 1'
} as const

/** Comes after every character of a call's id. */
const AFTER_IDS = '~'
const FIRST_TIME = ''
const AFTER_TIMES = '~'

/** Number of characters with which a page of rows ends: those of earlier versions may be large. */
export const MAX_PAGE_LENGTH = 8 * 1024 * 1024
/** Numbers among which calls are looked for at a time. */
const WINDOW = 10_000
/** Time after which a page ends with what was found. */
const MAX_PAGE_MS = 1_000

interface NumberRange {
  first: number
  last: number
}

export class CallLog {
  readonly #statements: Statements

  constructor(db: DatabaseSync) {
    this.#statements = new Statements(db)
  }

  read<K extends keyof LogRows>(rows: K, query: CallQuery): LogPage<LogRows[K]> {
    const { sql, values } = selectWindow(rows, query)
    const select = this.#statements.prepare(sql)
    const range = this.#findRange(query)
    const calls: LogRows[K][] = []
    const until = performance.now() + MAX_PAGE_MS
    let length = 0
    for (let { last } = range; last >= range.first; ) {
      const first = Math.max(range.first, last - WINDOW + 1)
      for (const row of select.iterate(...values, first, last, query.limit - calls.length)) {
        const call = row as unknown as LogRows[K] & { result?: string | null }
        calls.push(call)
        length += call.head.length + (call.result?.length ?? 0)
        if (length > MAX_PAGE_LENGTH) break
      }
      if (calls.length === query.limit || length > MAX_PAGE_LENGTH) return { calls, next: calls.at(-1)!.n }
      last = first - 1
      if (performance.now() > until && last >= range.first) return { calls, next: first }
    }
    return { calls }
  }

  /** Returns the numbers of the oldest and the newest call that may be wanted. */
  #findRange({ since = FIRST_TIME, until = AFTER_TIMES, id_prefix = '', before }: CallQuery): NumberRange {
    const ranges: NumberRange[] = [{ first: 1, last: (before ?? Number.POSITIVE_INFINITY) - 1 }]
    ranges.push(this.#toRange(OLDEST_AND_NEWEST, []))
    if (since !== FIRST_TIME || until !== AFTER_TIMES) ranges.push(this.#toRange(RANGE_OF_TIMES, [since, until]))
    if (id_prefix !== '') ranges.push(this.#toRange(RANGE_OF_IDS, [id_prefix, id_prefix + AFTER_IDS]))
    return {
      first: Math.max(...ranges.map(({ first }) => first)),
      last: Math.min(...ranges.map(({ last }) => last))
    }
  }

  #toRange(sql: string, values: readonly string[]): NumberRange {
    const { first, last } = this.#statements.prepare(sql).get(...values) as {
      first: number | null
      last: number | null
    }
    return { first: first ?? 1, last: last ?? 0 }
  }
}

const OLDEST_AND_NEWEST = 'SELECT (SELECT min(n) FROM calls) AS first, (SELECT max(n) FROM calls) AS last'
const RANGE_OF_TIMES = 'SELECT min(n) AS first, max(n) AS last FROM calls WHERE created_at >= ? AND created_at < ?'
const RANGE_OF_IDS = 'SELECT min(n) AS first, max(n) AS last FROM calls WHERE tool_call_id >= ? AND tool_call_id < ?'

/** Returns the query for a range of numbers, and the values that come before the range and the limit. */
function selectWindow(rows: keyof LogRows, query: CallQuery) {
  const { columns, join } = ROWS[rows]
  const given = (Object.keys(EQUAL) as (keyof typeof EQUAL)[]).filter(name => query[name] !== undefined)
  const ranges = (Object.keys(RANGES) as (keyof typeof RANGES)[]).filter(name => query[name] !== undefined)
  const from = query.path === undefined ? 'calls c' : `${PATHS_TABLE} p CROSS JOIN calls c ON c.n = p.n`
  const n = query.path === undefined ? 'c.n' : 'p.n'
  const conditions = [...given.map(name => EQUAL[name]), ...ranges.map(name => RANGES[name]), `${n} BETWEEN ? AND ?`]
  return {
    sql: `SELECT ${columns} FROM ${from} ${join} WHERE ${conditions.join(' AND ')} ORDER BY ${n} DESC LIMIT ?`,
    values: [...given, ...ranges].map(name => query[name]!)
  }
}
