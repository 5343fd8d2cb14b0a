// Marker of a journal: a small file beside it with the journal's id, the newest event that was acknowledged, and the last record of its
// chain. A journal that was emptied, deleted, cut or replaced by an older copy lacks these, which the journal itself cannot show.
import { randomInt } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import path from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { LATEST_SEQ } from './store-schema.ts'

export interface JournalMarker {
  /** Id of the journal, also a mark in it. */
  journal: number
  /** The newest acknowledged event, or an earlier one. */
  seq: number
  /** The last record of the chain at that time; absent in markers of earlier versions. */
  record?: { n: number; hash: string } | undefined
  /** Time at which the marker was written, in milliseconds; absent in markers of earlier versions. */
  at?: number | undefined
}

/** Fixed, so that the file is overwritten in place: a write of one block is done as a whole or not at all. */
const MARKER_LENGTH = 200
/** Maximum difference between the time in a marker and that of the last change of its file, in milliseconds. */
const MAX_WRITE_MS = 2_000
/** The range of `randomInt`. */
const MAX_ID = 2 ** 48 - 1
const ID_MARK = 'journal_id'

export const markerPath = (journalFile: string) => path.join(path.dirname(journalFile), 'journal-marker.json')

/** Returns the marker; undefined if there is none, or it is not whole. */
export function readMarker(journalFile: string): JournalMarker | undefined {
  try {
    const { journal, seq, record, at } = JSON.parse(readFileSync(markerPath(journalFile), 'utf8')) as JournalMarker
    return Number.isSafeInteger(journal) && Number.isSafeInteger(seq) ? { journal, seq, record, at } : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns true if the file of the marker was changed at another time than a server wrote it: the state was restored from a copy, or moved
 * to another disk. The time of a change cannot be set, and is that of the copy.
 */
export function isMarkerCopied(journalFile: string): boolean {
  const at = readMarker(journalFile)?.at
  const stats = statSync(markerPath(journalFile), { throwIfNoEntry: false })
  return at === undefined || stats === undefined || Math.abs(stats.ctimeMs - at) > MAX_WRITE_MS
}

/** Writes a marker durably, in place of an earlier one. */
export function writeMarker(journalFile: string, marker: JournalMarker) {
  const file = markerPath(journalFile)
  const temp = `${file}.next`
  rmSync(temp, { force: true })
  const fd = openSync(temp, 'wx', 0o600)
  try {
    overwriteMarker(fd, marker)
    fsyncSync(fd)
    renameSync(temp, file)
    // Renaming changed the time of the file.
    overwriteMarker(fd, marker)
  } finally {
    closeSync(fd)
  }
}

/** Writes a marker into its open file, without waiting for the disk. */
export function overwriteMarker(fd: number, marker: JournalMarker) {
  writeSync(fd, `${JSON.stringify({ ...marker, at: Date.now() }).padEnd(MARKER_LENGTH - 1)}\n`, 0)
}

/** Returns what a journal says of itself; the id is undefined in a journal that has had no marker. */
export function readJournalState(db: DatabaseSync): { journal: number | undefined; seq: number } {
  const { seq } = db.prepare(LATEST_SEQ).get() as { seq: number }
  const mark = db.prepare('SELECT value FROM marks WHERE name = ?').get(ID_MARK) as { value: number } | undefined
  return { journal: mark?.value, seq }
}

/** Gives a journal a new id. */
export function setJournalId(db: DatabaseSync): number {
  const id = randomInt(1, MAX_ID)
  db.prepare('INSERT OR REPLACE INTO marks (name, value) VALUES (?, ?)').run(ID_MARK, id)
  return id
}
