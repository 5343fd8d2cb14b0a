// Opens the chain of a journal, and begins an epoch if it is a new journal, or not the one of the last run: ids of events are never given
// out twice, and a client with an id of an earlier epoch has to read the state again.
import { rmSync } from 'node:fs'
import path from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { AuditKey } from './audit-key.ts'
import { type EpochReason, formatJournalId } from './chain-records.ts'
import { EventChain, readLastRecord, readNewest } from './event-chain.ts'
import { isMarkerCopied, type JournalMarker, markerPath, readJournalState, setJournalId } from './journal-marker.ts'

interface OpenedEpoch {
  chain: EventChain
  marker: JournalMarker
  /** Why an epoch began, if one did. */
  reason: EpochReason | undefined
}

export function openEpoch(file: string, db: DatabaseSync): OpenedEpoch {
  const key = AuditKey.open(path.dirname(file))
  db.exec('BEGIN IMMEDIATE')
  try {
    const reason = findReason(file, db)
    const { journal, seq } = readJournalState(db)
    // A crash before the marker is written again begins one more epoch; a marker with another id would refuse the journal.
    if (reason === 'restored') rmSync(markerPath(file), { force: true })
    const id = journal === undefined || reason === 'restored' ? setJournalId(db) : journal
    const chain = new EventChain(db, key, reason && { reason, journal_id: formatJournalId(id) })
    db.exec('COMMIT')
    return { chain, marker: { journal: id, seq }, reason }
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

function findReason(file: string, db: DatabaseSync): EpochReason | undefined {
  if (readLastRecord(db)) return isMarkerCopied(file) ? 'restored' : undefined
  const { seq, n } = readNewest(db)
  return seq === 0 && n === 0 ? 'created' : 'migrated'
}
