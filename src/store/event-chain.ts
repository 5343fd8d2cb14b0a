// Continues the chain of a journal, in the thread that writes it, and within the transaction of what it records.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { AuditKey } from './audit-key.ts'
import {
  type AnchorData,
  anchorText,
  type ChainContext,
  type ChainRecord,
  type CutData,
  digestData,
  type EpochData,
  type EpochReason,
  FORMAT_VERSION,
  formatRanges,
  hashRecord,
  NO_HASH,
  type RecordKind
} from './chain-records.ts'
import { LATEST_SEQ } from './store-schema.ts'

/** An anchor is made with a write after so many records, or so many milliseconds. */
const ANCHOR_RECORDS = 1_000
const ANCHOR_MS = 10_000

const INSERT = 'INSERT INTO chain (n, kind, ref, digest, hash, data) VALUES (?, ?, ?, ?, ?, ?)'
const LAST = 'SELECT n, hash FROM chain ORDER BY n DESC LIMIT 1'
const NEWEST_CONTEXT = `SELECT data FROM chain WHERE data IS NOT NULL AND kind IN ('epoch', 'cut') ORDER BY n DESC LIMIT 1`

interface Position {
  n: number
  hash: string
}

/** Returns the last record of a chain; undefined if it has none. */
export const readLastRecord = (db: DatabaseSync) => db.prepare(LAST).get() as Position | undefined

/** Returns what the newest epoch or cut of a chain says; undefined if there is none. */
export function readChainContext(db: DatabaseSync): ChainContext | undefined {
  const row = db.prepare(NEWEST_CONTEXT).get() as { data: string } | undefined
  if (!row) return undefined
  const { journal_id, key, uncovered } = JSON.parse(row.data) as ChainContext
  return { journal_id, key, uncovered }
}

interface NewEpoch {
  journal_id: string
  reason: EpochReason
  /** Number after which records are numbered, if later than the last one. */
  after?: number | undefined
  damage?: string | undefined
}

export class EventChain {
  readonly #db: DatabaseSync
  readonly #key: AuditKey
  readonly #insert: StatementSync
  #context: ChainContext
  #last: Position
  /** The last record of the transaction that is open. */
  #next: Position
  #anchored: { n: number; at: number }
  #signed: (Position & { data: AnchorData }) | undefined

  /** Opens the chain of a journal, within a transaction. Begins an epoch if one is given, or if the key is another one. */
  constructor(db: DatabaseSync, key: AuditKey, epoch: NewEpoch | undefined) {
    this.#db = db
    this.#key = key
    this.#insert = db.prepare(INSERT)
    this.#last = readLastRecord(db) ?? { n: 0, hash: NO_HASH }
    this.#next = this.#last
    // The first write of a run is signed at once.
    this.#anchored = { n: this.#last.n, at: Number.NEGATIVE_INFINITY }
    const context = readChainContext(db)
    this.#context = context ?? { journal_id: '', key: key.publicKey, uncovered: readNewest(db) }
    if (epoch) this.#begin(epoch)
    else if (!context) throw new Error('the audit chain has no beginning')
    else if (context.key !== key.publicKey) this.#begin({ journal_id: context.journal_id, reason: 'key_replaced' })
    this.commit()
  }

  /** Returns the last durable record. */
  get last(): Readonly<Position> {
    return this.#last
  }

  /** Returns the number of the next record. */
  get nextN(): number {
    return this.#next.n + 1
  }

  /** Appends the record of a row. */
  append(kind: RecordKind, ref: number, digest: string) {
    this.#add({ n: this.nextN, kind, ref, digest, data: null })
  }

  /** Appends a record that events were removed, given their numbers in order. */
  appendRemoval(events: readonly number[]) {
    if (events.length > 0) this.#addData('removal', { events: formatRanges(events) })
  }

  /** Appends the anchor that was signed after the last commit, if it still follows what it signs. */
  appendAnchor() {
    const signed = this.#signed
    this.#signed = undefined
    if (signed && signed.n === this.#next.n) this.#addData('anchor', signed.data)
  }

  /** Signs the last durable record if that is due. Called outside of a transaction, when no one waits for an answer. */
  signIfDue() {
    const isDue =
      this.#last.n - this.#anchored.n >= ANCHOR_RECORDS || performance.now() - this.#anchored.at >= ANCHOR_MS
    if (isDue) this.sign()
  }

  /** Signs the last durable record, for the next transaction. Returns false if it is an anchor itself. */
  sign(): boolean {
    if (this.#last.n === this.#anchored.n) return false
    const at = new Date().toISOString()
    const { n, hash } = this.#last
    this.#signed = {
      n,
      hash,
      data: { at, signature: this.#key.sign(anchorText(this.#context.journal_id, n, hash, at)) }
    }
    this.#anchored = { n: n + 1, at: performance.now() }
    return true
  }

  /**
   * Records that the oldest events and calls were dropped, by number in order, and drops their records. Rows that stay although their
   * record is among these are entered again.
   */
  cut(events: readonly number[], calls: readonly number[]) {
    const base = this.#findBase(events.at(-1))
    const carried = base ? this.#findCarried(base.n) : []
    const first = this.#db.prepare('SELECT n, hash FROM chain ORDER BY n LIMIT 1').get() as unknown as Position
    for (const { table, kind, ref, digest } of carried) {
      this.#db
        .prepare(`UPDATE ${table} SET chained = ? WHERE ${table === 'calls' ? 'n' : 'seq'} = ?`)
        .run(this.nextN, ref)
      this.append(kind, ref, digest)
    }
    this.#addData('cut', {
      ...this.#context,
      events: formatRanges(events),
      calls: formatRanges(calls),
      at: new Date().toISOString(),
      base: base ?? first
    } satisfies CutData)
    if (!base) return
    this.#db.prepare('DELETE FROM chain WHERE n < ?').run(base.n)
    this.#db.prepare(`UPDATE chain SET kind = 'base', ref = NULL, digest = '', data = NULL WHERE n = ?`).run(base.n)
  }

  /** Keeps what was appended, once its transaction is durable. */
  commit() {
    this.#last = this.#next
  }

  /** Forgets what was appended in a transaction that was rolled back. */
  rollback() {
    this.#next = this.#last
    this.#signed = undefined
    this.#anchored = { n: Math.min(this.#anchored.n, this.#last.n - 1), at: 0 }
  }

  #begin({ journal_id, reason, after = 0, damage }: NewEpoch) {
    const last = this.#next.n
    const { journal_id: earlier, key } = this.#context
    this.#context = { ...this.#context, journal_id, key: this.#key.publicKey }
    this.#next = { n: Math.max(last, after), hash: this.#next.hash }
    this.#addData('epoch', {
      ...this.#context,
      reason,
      at: new Date().toISOString(),
      version: FORMAT_VERSION,
      before: earlier === '' ? null : { journal_id: earlier, key },
      after: last,
      ...(damage !== undefined && { damage })
    } satisfies EpochData)
  }

  #addData(kind: RecordKind, data: object) {
    const json = JSON.stringify(data)
    this.#add({ n: this.nextN, kind, ref: null, digest: digestData(json), data: json })
  }

  #add(record: Omit<ChainRecord, 'hash'>) {
    const hash = hashRecord(this.#next.hash, record)
    this.#insert.run(record.n, record.kind, record.ref, record.digest, hash, record.data)
    this.#next = { n: record.n, hash }
  }

  /** Finds the last record before that of the first event that stays. */
  #findBase(dropped: number | undefined): Position | undefined {
    if (dropped === undefined) return undefined
    let before: Position | undefined
    for (const row of this.#db.prepare('SELECT n, kind, ref, hash FROM chain ORDER BY n').iterate()) {
      const { n, kind, ref, hash } = row as unknown as ChainRecord
      if (kind === 'event' && ref! > dropped) return before
      before = { n, hash }
    }
    return undefined
  }

  /** Finds the records up to a number whose rows stay, and have no later record. */
  #findCarried(base: number): { table: 'events' | 'calls'; kind: RecordKind; ref: number; digest: string }[] {
    const find = (table: 'events' | 'calls', id: 'seq' | 'n', kinds: string, kind: RecordKind) =>
      this.#db
        .prepare(
          `SELECT c.ref, c.digest FROM chain c JOIN ${table} t ON t.${id} = c.ref AND t.chained = c.n
           WHERE c.n <= ? AND c.kind IN (${kinds}) ORDER BY c.n`
        )
        .all(base)
        .map(row => ({ table, kind, ref: Number(row.ref), digest: String(row.digest) }))
    return [...find('events', 'seq', `'event', 'rewrite'`, 'rewrite'), ...find('calls', 'n', `'call'`, 'call')]
  }
}

/** Returns the newest event and call of a journal. */
export function readNewest(db: DatabaseSync): ChainContext['uncovered'] {
  const { seq } = db.prepare(LATEST_SEQ).get() as { seq: number }
  const { n } = db.prepare('SELECT coalesce(max(n), 0) AS n FROM calls').get() as { n: number }
  return { seq, n }
}
