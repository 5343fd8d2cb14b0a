// Database schema of an index. An index with another schema or other rules is discarded: it can be rebuilt completely.
import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/** Incremented whenever files would be indexed differently. */
const VERSION = 1

// File ids are never reused, so that data about one stored elsewhere is never taken for another's.
/** A piece's row id is its file's id times this, plus its index within the file. */
export const PIECES_PER_FILE = 4_096

/** Returns the file id of a piece. */
export const fileIdOf = (piece: number): number => Math.floor(piece / PIECES_PER_FILE)

// Only words are stored, not texts. They are tokenized beforehand, so the tokenizer has nothing left to do.
const FTS_OPTIONS = `content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 0 tokenchars '_'"`

const TABLES = `
  CREATE TABLE about (made_by TEXT NOT NULL) STRICT;
  CREATE TABLE files (
    id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL UNIQUE, stamp TEXT NOT NULL, weight REAL NOT NULL,
    pieces INTEGER NOT NULL, borders BLOB NOT NULL
  ) STRICT;
  CREATE VIRTUAL TABLE outlines USING fts5(path, head, names, ${FTS_OPTIONS});
  CREATE VIRTUAL TABLE words USING fts5(names, prose, code, ${FTS_OPTIONS});
  INSERT INTO words (words, rank) VALUES ('hashsize', 8000000);
  CREATE TABLE vectors (piece INTEGER PRIMARY KEY, vector BLOB NOT NULL) STRICT;
  CREATE TABLE about_vectors (made_by TEXT NOT NULL) STRICT;`

/** Opens the index in a file with these rules; creates a new one if there is none, or it differs. */
export function openIndex(file: string, rules: string): DatabaseSync {
  const made_by = `${VERSION} ${rules}`
  try {
    const db = connect(file)
    if (isBuiltBy(db, made_by)) return db
    db.close()
  } catch {
    // Any error is resolved by a new index.
  }
  removeIndex(file)
  const db = connect(file)
  db.exec(`BEGIN; ${TABLES} COMMIT`)
  db.prepare('INSERT INTO about VALUES (?)').run(made_by)
  return db
}

export function removeIndex(file: string) {
  for (const each of [file, `${file}-wal`, `${file}-shm`]) rmSync(each, { force: true })
}

// Losing the last moments is harmless: missing files are indexed again.
function connect(file: string) {
  const db = new DatabaseSync(file)
  db.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16000; PRAGMA secure_delete = ON'
  )
  return db
}

function isBuiltBy(db: DatabaseSync, made_by: string) {
  const has = db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'about'`).get()
  return has !== undefined && db.prepare('SELECT made_by FROM about').get()?.made_by === made_by
}
