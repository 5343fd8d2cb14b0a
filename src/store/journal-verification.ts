// Verifies the chain of a journal while a server may write it, against the marker and earlier exports.
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AuditKey } from './audit-key.ts'
import { CALL_COLUMNS, type CallRow, type ChainRecord, EVENT_COLUMNS, type EventRow } from './chain-records.ts'
import { addFault, type ChainReport, type ChainSource, verifyChain } from './chain-verification.ts'
import type { KnownRecord } from './chain-walk.ts'
import { toDatabaseError } from './database-error.ts'
import { readChainContext } from './event-chain.ts'
import { findLoss } from './journal-check.ts'
import { readMarker } from './journal-marker.ts'

const RECORDS = 'SELECT n, kind, ref, digest, hash, data FROM chain ORDER BY n'
const EVENTS = `SELECT ${EVENT_COLUMNS.join(', ')}, salt, chained FROM events ORDER BY seq`
const CALLS = `SELECT ${CALL_COLUMNS.join(', ')}, salt, chained FROM calls ORDER BY n`

/** Reads the chain of an open database. */
export function toChainSource(db: DatabaseSync): ChainSource {
  const read = (sql: string) => db.prepare(sql).iterate()
  return {
    records: () => read(RECORDS) as unknown as Iterable<ChainRecord>,
    events: () => read(EVENTS) as unknown as Iterable<EventRow>,
    calls: () => read(CALLS) as unknown as Iterable<CallRow>
  }
}

/** Reads a journal as it is at one moment. */
export function readJournalSnapshot<T>(file: string, read: (db: DatabaseSync) => T): T {
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
    db.exec('BEGIN')
    return read(db)
  } catch (error) {
    throw toDatabaseError(error, file)
  } finally {
    db?.close()
  }
}

/** Returns true if a journal has a chain: one of an earlier version gets it when a server starts. */
export const hasChain = (db: DatabaseSync) =>
  db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'chain'").get() !== undefined

/** Verifies a journal. Returns undefined if it has no chain yet. Throws if SQLite cannot read it. */
export function verifyJournal(file: string, known: readonly KnownRecord[] = []): ChainReport | undefined {
  // Read first: a running server moves on.
  const [loss, marker] = [findLoss(file), readMarker(file)]
  return readJournalSnapshot(file, db => {
    if (!hasChain(db)) return undefined
    const key = findKeyFault(path.dirname(file), readChainContext(db)?.key)
    const acknowledged = marker?.record ? [{ ...marker.record, from: 'the marker' }] : []
    const report = verifyChain(toChainSource(db), [...known, ...acknowledged])
    if (key !== undefined) addFault(report, { event_id: null, problem: key })
    if (loss === undefined) return report
    const { seq } = db.prepare('SELECT coalesce(max(seq), 0) AS seq FROM events').get() as { seq: number }
    const place = seq < (marker?.seq ?? 0) ? seq + 1 : seq
    addFault(report, { event_id: `${report.journal_id}-${place}`, problem: `the journal ${loss}` })
    return report
  })
}

/** Returns the fault if the key of a state folder is not the one that a chain names: a start with another key begins an epoch. */
function findKeyFault(stateDir: string, expected: string | undefined): string | undefined {
  const found = AuditKey.read(stateDir)?.publicKey
  if (found === expected) return undefined
  return `the chain is signed by the key ${expected}, but the key in the state folder is ${found === undefined ? 'missing' : found}`
}
