// Prepared statements of one connection, each prepared once.
import type { DatabaseSync, StatementSync } from 'node:sqlite'

export class Statements {
  readonly #db: DatabaseSync
  readonly #prepared = new Map<string, StatementSync>()

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  prepare(sql: string): StatementSync {
    const known = this.#prepared.get(sql)
    if (known) return known
    const statement = this.#db.prepare(sql)
    this.#prepared.set(sql, statement)
    return statement
  }

  /** Finalizes all of them, before the connection is closed. */
  clear() {
    this.#prepared.clear()
  }
}
