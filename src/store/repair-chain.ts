// Goes on with the chain of a repaired journal, in a new epoch that says so.
import type { DatabaseSync } from 'node:sqlite'
import { AuditKey } from './audit-key.ts'
import { describeFault, verifyChain } from './chain-verification.ts'
import { EventChain, readLastRecord } from './event-chain.ts'
import type { JournalMarker } from './journal-marker.ts'
import { toChainSource } from './journal-verification.ts'

interface RepairedChain {
  chain: EventChain
  /** Why the chain was not continued, if it was not. */
  damage: string | undefined
}

/** Numbers of records that were acknowledged are not used again. */
export function repairChain(
  db: DatabaseSync,
  stateDir: string,
  journal_id: string,
  acknowledged: JournalMarker['record']
): RepairedChain {
  const key = AuditKey.open(stateDir)
  const last = readLastRecord(db)
  const [fault] = last ? verifyChain(toChainSource(db)).faults : []
  const damage = fault && describeFault(fault)
  db.exec('BEGIN IMMEDIATE')
  if (damage !== undefined)
    db.exec('DELETE FROM chain; UPDATE events SET chained = NULL; UPDATE calls SET chained = NULL')
  const after = Math.max(acknowledged?.n ?? 0, last?.n ?? 0)
  const chain = new EventChain(db, key, { journal_id, reason: 'repaired', after, damage })
  db.exec('COMMIT')
  return { chain, damage }
}
