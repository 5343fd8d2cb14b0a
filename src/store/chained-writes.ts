// Executes the writes of a batch, and records those of events and calls in the chain.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type CallRow, createSalt, digestCall, digestEvent, digestValues, type EventRow } from './chain-records.ts'
import type { EventChain } from './event-chain.ts'
import {
  ADD_PATH,
  CHAINED_STATEMENTS,
  type ChainedStatement,
  PLAIN_STATEMENTS,
  SELECT_CALL_IDENTITY,
  type StoreWrite,
  splitPaths
} from './store-schema.ts'

type Value = string | number | null
/** Columns of a call that stay as its first write gave them, with its paths. */
type CallIdentity = Pick<CallRow, 'n' | 'paths' | 'tool' | 'session_id' | 'workspace' | 'created_at' | 'owner'>
type Execute = (statement: StatementSync, values: Value[], chain: EventChain, identities: CallIdentities) => void

/** Number of calls whose identity is remembered: those that are open, as a rule. */
const MAX_IDENTITIES = 256

/** Remembers the identities of the calls that were written last: to read one takes as long as the rest of its record. */
class CallIdentities {
  readonly #select: StatementSync
  readonly #addPath: StatementSync
  readonly #known = new Map<Value, CallIdentity>()

  constructor(db: DatabaseSync) {
    this.#select = db.prepare(SELECT_CALL_IDENTITY)
    this.#addPath = db.prepare(ADD_PATH)
  }

  /** Returns the identity of a call that was just written with these paths, which the log finds it by. */
  find(tool_call_id: Value, paths: Value): CallIdentity {
    const known = this.#known.get(tool_call_id)
    if (known && (paths === '' || paths === known.paths)) return known
    const written = known ? { ...known, paths } : (this.#select.get(tool_call_id) as CallIdentity)
    for (const path of splitPaths(String(written.paths))) this.#addPath.run(path, written.n)
    return this.#remember(tool_call_id, written)
  }

  /** Forgets all, after a transaction that was rolled back or dropped calls. */
  clear() {
    this.#known.clear()
  }

  #remember(tool_call_id: Value, identity: CallIdentity): CallIdentity {
    if (this.#known.size === MAX_IDENTITIES) this.#known.clear()
    this.#known.set(tool_call_id, identity)
    return identity
  }
}

/** Appends the record of a call's row. */
function writeCall(statement: StatementSync, values: Value[], chain: EventChain, identities: CallIdentities) {
  const salt = createSalt()
  statement.run(...values, salt, chain.nextN)
  const [tool_call_id = null, , status, , , , paths = null, head, result, result_of] = values
  const { n, paths: all, tool, session_id, workspace, created_at, owner } = identities.find(tool_call_id, paths)
  // The order is that of CALL_COLUMNS.
  const row = [
    n,
    tool_call_id,
    tool,
    status!,
    session_id,
    workspace,
    created_at,
    all,
    head!,
    result!,
    result_of!,
    owner
  ]
  chain.append('call', Number(n), digestValues(salt, row))
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
  readonly #identities: CallIdentities
  readonly #statements: ReadonlyMap<string, StatementSync>

  constructor(db: DatabaseSync, chain: EventChain) {
    this.#chain = chain
    this.#identities = new CallIdentities(db)
    const all = Object.entries({ ...PLAIN_STATEMENTS, ...CHAINED_STATEMENTS })
    this.#statements = new Map(all.map(([name, sql]) => [name, db.prepare(sql)]))
  }

  /** Executes writes within a transaction. */
  execute(writes: readonly StoreWrite[]) {
    for (const [name, ...values] of writes) {
      const statement = this.#statements.get(name)!
      if (isChained(name)) EXECUTE[name](statement, values, this.#chain, this.#identities)
      else statement.run(...values)
    }
  }
  /** Forgets what is remembered of rows, after a transaction that was rolled back or dropped some. */
  forget() {
    this.#identities.clear()
  }
}
