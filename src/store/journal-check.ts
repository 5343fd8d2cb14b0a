// Checks a journal before it is used: SQLite finds damage of its pages, the marker shows what is missing.
import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { toDatabaseError } from './database-error.ts'
import { readJournalState, readMarker } from './journal-marker.ts'

/** A journal that is damaged or lacks what was acknowledged. */
export class DamagedJournalError extends Error {
  readonly file: string
  /** A sentence about the file, without its subject. */
  readonly damage: string

  constructor(file: string, damage: string) {
    super(`the journal ${file} ${damage}: stop the server and run: toolgate journal repair`)
    this.name = 'DamagedJournalError'
    this.file = file
    this.damage = damage
  }
}

/** `quick_check` reads every page; `integrity_check` also compares indexes with their tables. */
type CheckDepth = 'quick_check' | 'integrity_check'

const SQLITE_CORRUPT = 11
const SQLITE_NOTADB = 26
const MAX_REPORTED = 3

/** Returns what a journal lacks of what its marker says; undefined if nothing, or if there is no marker. */
export function findLoss(file: string): string | undefined {
  // Read first: a running server moves on.
  const marker = readMarker(file)
  const acknowledged = marker && `events up to ${marker.seq} were acknowledged`
  const stats = statSync(file, { throwIfNoEntry: false })
  if (!stats || stats.size === 0)
    return acknowledged && `${stats ? 'is empty' : 'is missing'}, although ${acknowledged}`
  return readJournal(file, db => {
    const isOld = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'marks'").get() === undefined
    const { journal, seq } = isOld ? { journal: undefined, seq: 0 } : readJournalState(db)
    if (marker === undefined) return undefined
    if (journal !== marker.journal)
      return 'is not the file that the last server wrote, but another file or an older copy'
    if (seq < marker.seq) return `lacks events: its newest event is ${seq}, but ${acknowledged}`
    return marker.record && findRecordLoss(db, marker.record)
  })
}

/** Returns the loss if the chain lacks a record, or has another one there. Its oldest records may have been dropped. */
function findRecordLoss(db: DatabaseSync, { n, hash }: { n: number; hash: string }): string | undefined {
  const found = db.prepare('SELECT hash FROM chain WHERE n = ?').get(n) as { hash: string } | undefined
  if (found?.hash === hash) return undefined
  const wasDropped = found === undefined && db.prepare('SELECT 1 FROM chain WHERE n > ? LIMIT 1').get(n) !== undefined
  return wasDropped ? undefined : `lacks record ${n} of its audit chain, although the record was acknowledged`
}

/** Returns the damage that SQLite finds in a journal; undefined if none. */
export function findCorruption(file: string, depth: CheckDepth): string | undefined {
  if (!statSync(file, { throwIfNoEntry: false })?.size) return undefined
  return readJournal(file, db => {
    const found = db.prepare(`PRAGMA ${depth}(${MAX_REPORTED})`).all() as Record<CheckDepth, string>[]
    const lines = found.map(row => row[depth]).join('; ')
    return lines === 'ok' ? undefined : formatDamage(lines)
  })
}

/** Reads a journal without changing it. Damage that keeps it from being read is returned, other failures are thrown. */
function readJournal(file: string, read: (db: DatabaseSync) => string | undefined): string | undefined {
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
    return read(db)
  } catch (error) {
    const { errcode = 0, message } = error as { errcode?: number; message: string }
    if ([SQLITE_CORRUPT, SQLITE_NOTADB].includes(errcode & 0xff)) return formatDamage(message)
    throw toDatabaseError(error, file)
  } finally {
    db?.close()
  }
}

const formatDamage = (found: string) => `is damaged (${found.replaceAll('\n', '; ')})`
