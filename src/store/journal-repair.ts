// Repairs a journal: copies its files aside, saves the rows that can be read in a new one, and puts that in its place.
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync
} from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { formatJournalId } from './chain-records.ts'
import { toDatabaseError } from './database-error.ts'
import { rescuedPath } from './journal-guard.ts'
import {
  type JournalMarker,
  markerPath,
  readJournalState,
  readMarker,
  setJournalId,
  writeMarker
} from './journal-marker.ts'
import { type Row, type SalvagedTable, salvageNumberedTable, salvageTable } from './journal-salvage.ts'
import { rebuildLog } from './journal-wal.ts'
import { preparePrivateDatabase } from './private-database.ts'
import { repairChain } from './repair-chain.ts'
import { assertKnownFormat, FILL_PATHS, migrate, PATHS_TABLE } from './store-schema.ts'

interface TableReport {
  table: string
  saved: number
  /** Rows whose content is damaged. */
  damaged: number
  /** Maximum number of rows that are lost in damaged pages; absent for tables without numbers. */
  unreadable?: number
  /** False if a part of the table could not be read. */
  is_complete: boolean
}

export interface RepairReport {
  /** Folder with the files as they were. */
  copies: string
  tables: TableReport[]
  /** Newest event that was saved; 0 if none. */
  newest_event: number
  /** Newest event that was acknowledged, as far as is known. */
  acknowledged?: number
  /** Pages of the write-ahead log whose checksum was wrong. */
  damaged_log_pages: number
  /** The new id of the journal. */
  journal_id: string
  /** The chain goes on, unless it is damaged: a new one begins then, which covers what is written from then on. */
  chain: { damage?: string }
}

const HEADER_BYTES = 100
const MAGIC = 'SQLite format 3\0'
const PAGE_SIZE_AT = 16
const PAGE_COUNT_AT = 28

/** Columns that hold JSON, by table: a row with other content is damaged. */
const JSON_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  events: ['data'],
  calls: ['head', 'result'],
  rules: ['rule'],
  tasks: ['job'],
  open_params: ['params'],
  session_modes: ['mode'],
  state: ['value']
}
/** Tables whose rows are numbered without large gaps. */
const NUMBERED: readonly string[] = ['events', 'calls', 'tasks']
/** Marks that a repaired journal gets again. */
const OWN_MARKS: readonly unknown[] = ['journal_id', 'numbered']

/** Repairs the journal. The state folder must be locked. Throws if the files cannot be copied or written, and changes nothing then. */
export function repairJournal(file: string): RepairReport {
  const marker = readMarker(file)
  const copies = copyAside(file)
  const fresh = `${file}.repaired`
  for (const end of ['', '-wal', '-shm']) rmSync(fresh + end, { force: true })
  preparePrivateDatabase(fresh)
  const db = new DatabaseSync(fresh)
  try {
    migrate(db)
    const { source, damaged_log_pages } =
      openRescued(path.join(copies, path.basename(rescuedPath(file))), marker) ??
      prepareSource(path.join(copies, path.basename(file)), fresh)
    const tables = source ? saveTables(source, db, marker?.seq) : []
    source?.close()
    db.exec(FILL_PATHS)
    const newest_event = readJournalState(db).seq
    const seq = Math.max(newest_event, marker?.seq ?? 0)
    db.prepare("INSERT OR REPLACE INTO marks (name, value) VALUES ('numbered', ?)").run(seq)
    const journal = setJournalId(db)
    const { chain, damage } = repairChain(db, path.dirname(file), formatJournalId(journal), marker?.record)
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    db.close()
    replace(file, fresh, { journal, seq, record: chain.last })
    return {
      copies,
      tables,
      newest_event,
      ...(marker && { acknowledged: marker.seq }),
      damaged_log_pages,
      journal_id: formatJournalId(journal),
      chain: damage === undefined ? {} : { damage }
    }
  } catch (error) {
    if (db.isOpen) db.close()
    throw toDatabaseError(error, fresh)
  } finally {
    for (const end of ['', '-wal', '-shm']) {
      rmSync(fresh + end, { force: true })
      rmSync(path.join(copies, SOURCE_NAME + end), { force: true })
    }
  }
}

/** Copies the files of a journal durably into a new folder beside it. */
function copyAside(file: string): string {
  const time = new Date()
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-')
  const copies = path.join(path.dirname(file), `journal-damaged-${time}`)
  mkdirSync(copies, { mode: 0o700 })
  try {
    for (const each of [file, `${file}-wal`, markerPath(file), rescuedPath(file)].filter(each => existsSync(each)))
      copyDurably(each, path.join(copies, path.basename(each)))
    return copies
  } catch (error) {
    rmSync(copies, { recursive: true, force: true })
    throw error
  }
}

function copyDurably(file: string, copy: string) {
  copyFileSync(file, copy, constants.COPYFILE_FICLONE)
  const fd = openSync(copy, 'r+')
  fsyncSync(fd)
  closeSync(fd)
}

/** Opens what a server stored when its journal was deleted, if it is all that was acknowledged. */
function openRescued(file: string, marker: JournalMarker | undefined): Source | undefined {
  if (!existsSync(file) || !marker) return undefined
  const source = new DatabaseSync(file, { readOnly: true })
  const { journal, seq } = readJournalState(source)
  if (journal === marker.journal && seq >= marker.seq) return { source, damaged_log_pages: 0 }
  source.close()
  return undefined
}

interface Source {
  /** Undefined if nothing can be read. */
  source: DatabaseSync | undefined
  damaged_log_pages: number
}

const SOURCE_NAME = 'source.db'

/** Opens a second copy, without the damage that keeps SQLite from reading anything; no source if nothing can be read. */
function prepareSource(copy: string, fresh: string): Source {
  if (!existsSync(copy) && !existsSync(`${copy}-wal`)) return { source: undefined, damaged_log_pages: 0 }
  const source = path.join(path.dirname(copy), SOURCE_NAME)
  // The log alone has the pages that changed last.
  if (existsSync(copy)) copyFileSync(copy, source, constants.COPYFILE_FICLONE)
  else writeFileSync(source, '')
  const pageSize = fixHeader(source, fresh)
  let damaged_log_pages = 0
  if (existsSync(`${copy}-wal`)) {
    const log = readFileSync(`${copy}-wal`)
    const rebuilt = rebuildLog(log, pageSize)
    damaged_log_pages = rebuilt?.damaged ?? 0
    writeFileSync(`${source}-wal`, rebuilt?.log ?? log)
  }
  const db = new DatabaseSync(source, { defensive: false })
  // Reads on where the schema is damaged in part.
  db.exec('PRAGMA writable_schema = ON; PRAGMA query_only = ON')
  if (canReadVersion(db)) assertKnownFormat(db)
  return { source: db, damaged_log_pages }
}

/** Replaces a header that is not that of a database, and adds pages that were cut off, as empty ones. Returns the size of a page. */
function fixHeader(source: string, fresh: string): number {
  const fd = openSync(source, 'r+')
  try {
    const header = Buffer.alloc(HEADER_BYTES)
    readSync(fd, header, 0, HEADER_BYTES, 0)
    const { size } = statSync(source)
    const pattern = readFileSync(fresh).subarray(0, HEADER_BYTES)
    const pageSize = pattern.readUInt16BE(PAGE_SIZE_AT)
    const isHeader = header.toString('latin1', 0, 16) === MAGIC && header.readUInt16BE(PAGE_SIZE_AT) === pageSize
    const pages = isHeader ? header.readUInt32BE(PAGE_COUNT_AT) : Math.max(1, Math.ceil(size / pageSize))
    if (!isHeader) {
      pattern.writeUInt32BE(pages, PAGE_COUNT_AT)
      writeSync(fd, pattern, 0, HEADER_BYTES, 0)
    }
    // The file may be larger: the log holds the newest count.
    if (size < pages * pageSize && pages * pageSize < MAX_PADDED_BYTES) truncateSync(source, pages * pageSize)
    return pageSize
  } finally {
    closeSync(fd)
  }
}
/** Size to which a cut file is extended at most: its count of pages may be damaged. */
const MAX_PADDED_BYTES = 64 * 1024 ** 3

function saveTables(source: DatabaseSync, db: DatabaseSync, acknowledged: number | undefined): TableReport[] {
  const tables = db
    .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> ?")
    .all(PATHS_TABLE)
  return tables.map(({ name, sql }) => {
    db.exec('BEGIN')
    const report = saveTable(
      source,
      db,
      { table: String(name), isKeyed: /WITHOUT ROWID/.test(String(sql)) },
      acknowledged
    )
    db.exec('COMMIT')
    return report
  })
}

function saveTable(
  source: DatabaseSync,
  db: DatabaseSync,
  { table, isKeyed }: { table: string; isKeyed: boolean },
  acknowledged: number | undefined
): TableReport {
  const mine = listColumns(db, table)
  const theirs = new Set(listColumns(source, table).map(({ name }) => name))
  const columns = mine.map(({ name }) => name).filter(name => theirs.has(name))
  if (columns.length === 0) return { table, saved: 0, damaged: 0, is_complete: false }
  const insert = db.prepare(
    `INSERT OR IGNORE INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`
  )
  let saved = 0
  let damaged = 0
  const save = (row: Row) => {
    if (table === 'marks' && OWN_MARKS.includes(row.name)) return
    if (isRowWhole(table, row) && isInserted(() => insert.run(...columns.map(name => row[name]!)))) saved += 1
    else damaged += 1
  }
  const key = mine.filter(({ pk }) => pk > 0).map(({ name }) => name)
  const wanted: SalvagedTable = { table, columns, order: isKeyed ? key : ['rowid'] }
  const salvaged = NUMBERED.includes(table)
    ? // Each call and each task has an event, so their numbers are not greater.
      salvageNumberedTable(source, wanted, acknowledged)
    : salvageTable(source, wanted)
  const seen = new Set<string>()
  for (const row of salvaged.rows) {
    const id = JSON.stringify(key.map(name => row[name]))
    if (!seen.has(id)) save(row)
    seen.add(id)
  }
  const unreadable = salvaged.unreadable?.()
  return { table, saved, damaged, ...(unreadable !== undefined && { unreadable }), is_complete: salvaged.isComplete() }
}

function canReadVersion(db: DatabaseSync): boolean {
  try {
    return db.prepare('PRAGMA user_version').get() !== undefined
  } catch {
    return false
  }
}

const listColumns = (db: DatabaseSync, table: string) => {
  try {
    return db.prepare('SELECT name, pk FROM pragma_table_info(?)').all(table) as { name: string; pk: number }[]
  } catch {
    // The schema cannot be read.
    return []
  }
}

function isInserted(insert: () => { changes: number | bigint }): boolean {
  try {
    return insert().changes === 1
  } catch (error) {
    // Content of another type than the column's is damaged; a full disk is not of the row.
    if ([SQLITE_CONSTRAINT, SQLITE_MISMATCH].includes((error as { errcode?: number }).errcode! & 0xff)) return false
    throw error
  }
}
const SQLITE_CONSTRAINT = 19
const SQLITE_MISMATCH = 20

function isRowWhole(table: string, row: Row): boolean {
  try {
    const values = (JSON_COLUMNS[table] ?? []).map(name => row[name]).filter(value => value !== null)
    const [first] = values.map(value => JSON.parse(String(value)))
    return table !== 'events' || first.seq === undefined || first.seq === row.seq
  } catch {
    return false
  }
}

/** Puts the new journal in place. A crash on the way leaves a journal whose id is not that of its marker, which no server takes. */
function replace(file: string, fresh: string, marker: JournalMarker) {
  writeMarker(file, marker)
  for (const old of [`${file}-wal`, `${file}-shm`, rescuedPath(file)]) rmSync(old, { force: true })
  rmSync(file, { force: true, recursive: true })
  renameSync(fresh, file)
  const folder = openSync(path.dirname(file), 'r')
  fsyncSync(folder)
  closeSync(folder)
}
