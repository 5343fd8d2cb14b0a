// Executes the writes of a batch, and records those of events and calls in the chain.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type CallRow, createSalt, digestCall, digestEvent, digestValues, type EventRow } from './chain-records.ts'
import type { EventChain } from './event-chain.ts'
import { CHAINED_STATEMENTS, type ChainedStatement, PLAIN_STATEMENTS, type StoreWrite } from './store-schema.ts'

type Value = string | number | null
type Execute = (statement: StatementSync, values: Value[], chain: EventChain) => void

/** Appends the record of a call's row, which the statement returns as far as it is not among its values. */
function writeCall(statement: StatementSync, values: Value[], chain: EventChain) {
  const salt = createSalt()
  const row = statement.get(...values, salt, chain.nextN) as Partial<CallRow>
  const [tool_call_id, , status, , , , , head, result, result_of] = values
  const given: Partial<CallRow> = { ...row, tool_call_id: tool_call_id!, status: status!, head: head! }
  const whole = { ...given, result: result!, result_of: result_of!, salt } as CallRow
  chain.append('call', Number(row.n), digestCall(whole))
}

function replaceCall(statement: StatementSync, values: Value[], chain: EventChain) {
  const row = statement.get(...values, createSalt(), chain.nextN) as CallRow | undefined
  if (row) chain.append('call', Number(row.n), digestCall(row))
}

function removeEvents(statement: StatementSync, values: Value[], chain: EventChain) {
  const removed = statement.all(...values).map(row => Number(row.seq))
  chain.appendRemoval(removed.sort((one, other) => one - other))
}

const EXECUTE: Record<ChainedStatement, Execute> = {
  event(statement, values, chain) {
    const salt = createSalt()
    statement.run(...values, salt, chain.nextN)
    chain.append('event', Number(values[0]), digestValues(salt, values))
  },
  replaceEvent(statement, values, chain) {
    const row = statement.get(...values, createSalt(), chain.nextN) as EventRow | undefined
    if (row) chain.append('rewrite', Number(row.seq), digestEvent(row))
  },
  call: writeCall,
  replaceCall,
  replaceSharedResult: replaceCall,
  forgetProgress: removeEvents,
  forgetProgressUpTo: removeEvents
}

const isChained = (name: string): name is ChainedStatement => Object.hasOwn(EXECUTE, name)

export class ChainedWrites {
  readonly #chain: EventChain
  readonly #statements: ReadonlyMap<string, StatementSync>

  constructor(db: DatabaseSync, chain: EventChain) {
    this.#chain = chain
    const all = Object.entries({ ...PLAIN_STATEMENTS, ...CHAINED_STATEMENTS })
    this.#statements = new Map(all.map(([name, sql]) => [name, db.prepare(sql)]))
  }

  /** Executes writes within a transaction. */
  execute(writes: readonly StoreWrite[]) {
    for (const [name, ...values] of writes) {
      const statement = this.#statements.get(name)!
      if (isChained(name)) EXECUTE[name](statement, values, this.#chain)
      else statement.run(...values)
    }
  }
}
