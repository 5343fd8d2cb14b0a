// Marker of a journal: a small file beside it with the journal's id, and the newest event that was acknowledged. A journal that was
// emptied, deleted, cut or replaced by an older copy lacks that event, which the journal itself cannot show.
import { randomInt } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import path from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { LATEST_SEQ } from './store-schema.ts'

export interface JournalMarker {
  /** Id of the journal, also a mark in it. */
  journal: number
  /** The newest acknowledged event, or an earlier one. */
  seq: number
}

/** Fixed, so that the file is overwritten in place: a write of one block is done as a whole or not at all. */
const MARKER_LENGTH = 80
/** The range of `randomInt`. */
const MAX_ID = 2 ** 48 - 1
const ID_MARK = 'journal_id'

export const markerPath = (journalFile: string) => path.join(path.dirname(journalFile), 'journal-marker.json')

/** Returns the marker; undefined if there is none, or it is not whole. */
export function readMarker(journalFile: string): JournalMarker | undefined {
  try {
    const { journal, seq } = JSON.parse(readFileSync(markerPath(journalFile), 'utf8')) as JournalMarker
    return Number.isSafeInteger(journal) && Number.isSafeInteger(seq) ? { journal, seq } : undefined
  } catch {
    return undefined
  }
}

/** Writes a marker durably, in place of an earlier one. */
export function writeMarker(journalFile: string, marker: JournalMarker) {
  const file = markerPath(journalFile)
  const temp = `${file}.next`
  rmSync(temp, { force: true })
  const fd = openSync(temp, 'wx', 0o600)
  try {
    writeSync(fd, formatMarker(marker))
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  renameSync(temp, file)
}

export const formatMarker = (marker: JournalMarker) => `${JSON.stringify(marker).padEnd(MARKER_LENGTH - 1)}\n`

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
