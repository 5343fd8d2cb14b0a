// Reads the rows of a damaged database that can still be read.
import type { DatabaseSync } from 'node:sqlite'

export type Row = Record<string, string | number | null>

interface SalvagedRows {
  /** Rows may be repeated. */
  rows: Iterable<Row>
  /** Valid once the rows are read: numbers in damaged pages, which may have had a row. Absent for tables that are not numbered. */
  unreadable?: () => number
  /** Valid once the rows are read. */
  isComplete: () => boolean
}

/** Numbers tried in a table whose end is damaged, if no number is known that a row has. */
const MAX_TRIED = 100_000
/** Numbers tried past one that a row has. */
const MAX_TRIED_PAST_LAST = 10_000

/**
 * Reads a table whose row ids are numbers in a row. Where a page is damaged, the rest is read by ever smaller ranges. `last` is the number
 * of one of the newest rows, or a greater number; undefined if no such number is known.
 */
export function salvageNumberedTable(
  db: DatabaseSync,
  { table, columns }: SalvagedTable,
  last: number | undefined
): SalvagedRows {
  const tried = last === undefined ? MAX_TRIED : last + MAX_TRIED_PAST_LAST
  let unreadable = 0
  const select = `SELECT rowid AS "row id", ${columns.join(', ')} FROM ${table} NOT INDEXED`
  const range = attempt(() => db.prepare(`${select} WHERE rowid BETWEEN ? AND ? ORDER BY rowid`))

  function* salvage(first: number, end: number): Generator<Row> {
    let next = first
    const rows = attempt(() => range?.iterate(first, end))
    while (rows) {
      const read = attempt(() => rows.next())
      if (read === undefined) break
      if (read.done) return
      const { 'row id': id, ...row } = read.value as Row
      next = Number(id) + 1
      yield row
    }
    if (next > end) return
    if (next === end) {
      unreadable += 1
      return
    }
    const middle = Math.floor((next + end) / 2)
    yield* salvage(next, middle)
    yield* salvage(middle + 1, end)
  }

  function* all(): Generator<Row> {
    const newest = attempt(() => db.prepare(`${select} ORDER BY rowid DESC LIMIT 1`).get())
    const wasRead = newest !== undefined || attempt(() => db.prepare(`${select} LIMIT 1`).all())?.length === 0
    yield* salvage(1, newest ? Number(newest['row id']) : wasRead ? 0 : tried)
  }
  return { rows: all(), unreadable: () => unreadable, isComplete: () => unreadable === 0 }
}

export interface SalvagedTable {
  table: string
  columns: readonly string[]
  /** Columns that order the rows. */
  order: readonly string[]
}

/** Reads a table from both ends, up to damaged pages. */
export function salvageTable(db: DatabaseSync, { table, columns, order }: SalvagedTable): SalvagedRows {
  let isComplete = true
  function* all(): Generator<Row> {
    for (const direction of ['ASC', 'DESC']) {
      const by = order.map(column => `${column} ${direction}`).join(', ')
      const rows = attempt(() => db.prepare(`SELECT ${columns.join(', ')} FROM ${table} ORDER BY ${by}`).iterate())
      let isWhole = rows !== undefined
      while (rows) {
        const next = attempt(() => rows.next())
        isWhole = next !== undefined
        if (!next || next.done) break
        yield next.value as Row
      }
      if (isWhole) return
      isComplete = false
    }
  }
  return { rows: all(), isComplete: () => isComplete }
}

/** Returns undefined where a damaged page keeps something from being read. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if ((error as { errcode?: number }).errcode === undefined) throw error
    return undefined
  }
}
