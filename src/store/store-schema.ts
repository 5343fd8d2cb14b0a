// Schema of the store: tables, migrations, and all write statements.
import type { DatabaseSync } from 'node:sqlite'

/** Table of the calls that touched a path, which theirs are derived from: `calls.paths` has them between line breaks. */
export const PATHS_TABLE = 'call_paths'
export const ADD_PATH = `INSERT OR IGNORE INTO ${PATHS_TABLE} (path, n) VALUES (?, ?)`
export const DROP_PATH = `DELETE FROM ${PATHS_TABLE} WHERE path = ? AND n = ?`
/** Adds the paths of all calls. */
export const FILL_PATHS = `INSERT OR IGNORE INTO ${PATHS_TABLE} (path, n)
  WITH RECURSIVE split(n, path, rest) AS (
    SELECT n, NULL, substr(paths, 2) FROM calls WHERE paths <> ''
    UNION ALL
    SELECT n, substr(rest, 1, instr(rest, char(10)) - 1), substr(rest, instr(rest, char(10)) + 1) FROM split WHERE rest <> '')
  SELECT path, n FROM split WHERE path IS NOT NULL`

/** Returns the paths of a call from their column. */
export const splitPaths = (paths: string): string[] => paths.split('\n').filter(path => path !== '')

/** Step N migrates a store from version N to N + 1. Steps are never edited once released. */
const MIGRATIONS = [
  `CREATE TABLE events (
     seq INTEGER PRIMARY KEY, time TEXT NOT NULL, type TEXT NOT NULL,
     session_id TEXT, workspace TEXT, tool_call_id TEXT, data TEXT NOT NULL
   ) STRICT;
   CREATE INDEX events_of_call ON events (tool_call_id);
   CREATE TABLE calls (
     n INTEGER PRIMARY KEY, tool_call_id TEXT NOT NULL UNIQUE, tool TEXT NOT NULL, status TEXT NOT NULL,
     session_id TEXT NOT NULL, workspace TEXT NOT NULL, created_at TEXT NOT NULL,
     paths TEXT NOT NULL, head TEXT NOT NULL, result TEXT, result_of TEXT
   ) STRICT;
   CREATE INDEX calls_open ON calls (status) WHERE status IN ('awaiting_approval', 'queued', 'running');
   CREATE INDEX calls_shared ON calls (result_of) WHERE result_of IS NOT NULL;
   CREATE TABLE keys (
     key TEXT PRIMARY KEY, body_hash TEXT NOT NULL, tool_call_id TEXT NOT NULL, created_at TEXT NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE rules (rule_id TEXT PRIMARY KEY, rule TEXT NOT NULL) STRICT, WITHOUT ROWID;
   CREATE TABLE notes (
     workspace TEXT NOT NULL, session_id TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
     PRIMARY KEY (workspace, session_id, key)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE marks (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;`,
  `CREATE INDEX calls_changing ON calls (workspace, session_id, head ->> '$.finished_at')
     WHERE head ->> '$.changes' IS NOT NULL;`,
  'DROP INDEX calls_changing;',
  `CREATE TABLE tasks (
     n INTEGER PRIMARY KEY, task_id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, workspace TEXT NOT NULL,
     open INTEGER NOT NULL, job TEXT
   ) STRICT;`,
  `CREATE TABLE vacated_paths (
     path TEXT PRIMARY KEY, tool_call_id TEXT NOT NULL, moved_to TEXT
   ) STRICT, WITHOUT ROWID;`,
  `CREATE TABLE approved_sources (
     root TEXT NOT NULL, path TEXT NOT NULL, entry TEXT NOT NULL, hash TEXT NOT NULL, text TEXT,
     PRIMARY KEY (root, path, entry)
   ) STRICT, WITHOUT ROWID;`,
  `ALTER TABLE calls ADD COLUMN owner TEXT;
   CREATE INDEX calls_of_owner ON calls (owner, session_id) WHERE owner IS NOT NULL;`,
  'CREATE TABLE open_params (tool_call_id TEXT PRIMARY KEY, params TEXT NOT NULL) STRICT, WITHOUT ROWID;',
  'CREATE TABLE content_expiry (tool_call_id TEXT PRIMARY KEY, remove_at TEXT NOT NULL) STRICT, WITHOUT ROWID;',
  'CREATE TABLE session_modes (scope TEXT PRIMARY KEY, mode TEXT NOT NULL) STRICT;',
  `CREATE TABLE clock_readings (
     seen_ms INTEGER PRIMARY KEY, system_ms INTEGER NOT NULL, seq INTEGER NOT NULL, n INTEGER NOT NULL
   ) STRICT;`,
  `ALTER TABLE events ADD COLUMN salt TEXT;
   ALTER TABLE events ADD COLUMN chained INTEGER;
   ALTER TABLE calls ADD COLUMN salt TEXT;
   ALTER TABLE calls ADD COLUMN chained INTEGER;
   CREATE TABLE chain (
     n INTEGER PRIMARY KEY, kind TEXT NOT NULL, ref INTEGER, digest TEXT NOT NULL, hash TEXT NOT NULL, data TEXT
   ) STRICT;
   CREATE INDEX chain_data ON chain (kind) WHERE data IS NOT NULL;`,
  // Each index holds the numbers of its calls, too, so that the newest come first. The names are short: while the schema fits into the
  // first page, what is in the log can be read without the database.
  `DROP INDEX calls_open;
   CREATE INDEX of_status ON calls (status);
   CREATE INDEX of_tool ON calls (tool);
   CREATE INDEX of_session ON calls (session_id);
   CREATE INDEX of_workspace ON calls (workspace);
   CREATE INDEX of_owner ON calls (owner) WHERE owner IS NOT NULL;
   CREATE INDEX of_time ON calls (created_at);
   CREATE TABLE ${PATHS_TABLE} (path TEXT, n INT, PRIMARY KEY (path, n)) STRICT, WITHOUT ROWID;
   ${FILL_PATHS};`,
  // One table for all small state, by kind, so that the schema goes on fitting into the first page.
  'CREATE TABLE state (kind TEXT, key TEXT, value TEXT, PRIMARY KEY (kind, key)) WITHOUT ROWID;'
]

/** Newest number of an event. A repaired journal that lacks the newest events goes on after their numbers. */
export const LATEST_SEQ = `SELECT max(coalesce((SELECT max(seq) FROM events), 0),
  coalesce((SELECT value FROM marks WHERE name = 'numbered'), 0)) AS seq`

/** Statements that write rows which the chain covers. The salt and the number of the row's record come last. */
export const CHAINED_STATEMENTS = {
  event: `INSERT INTO events (seq, time, type, session_id, workspace, tool_call_id, data, salt, chained)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  call: `INSERT INTO calls (tool_call_id, tool, status, session_id, workspace, created_at, paths, head, result, result_of, owner,
           salt, chained)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (tool_call_id) DO UPDATE SET status = excluded.status, head = excluded.head,
           paths = CASE excluded.paths WHEN '' THEN paths ELSE excluded.paths END,
           result = excluded.result, result_of = excluded.result_of, salt = excluded.salt, chained = excluded.chained`,
  replaceEvent: 'UPDATE events SET data = ?1, salt = ?3, chained = ?4 WHERE seq = ?2 RETURNING *',
  replaceCall: `UPDATE calls SET head = ?1, result = ?2, result_of = NULL, salt = ?4, chained = ?5 WHERE tool_call_id = ?3
         RETURNING *`,
  replaceSharedResult: `UPDATE calls SET result = ?1, salt = ?3, chained = ?4
         WHERE tool_call_id = (SELECT result_of FROM calls WHERE tool_call_id = ?2) RETURNING *`,
  forgetProgress: `DELETE FROM events WHERE tool_call_id = ? AND type = 'tool.progress' RETURNING seq`,
  forgetProgressUpTo: `DELETE FROM events WHERE tool_call_id = ? AND type = 'tool.progress' AND seq <= ? RETURNING seq`
} as const

/** Columns of a call whose values its later writes do not give, or not again. RETURNING would cost more. */
export const SELECT_CALL_IDENTITY =
  'SELECT n, paths, tool, session_id, workspace, created_at, owner FROM calls WHERE tool_call_id = ?'

export const PLAIN_STATEMENTS = {
  openParams: `INSERT INTO open_params (tool_call_id, params) VALUES (?, ?)
         ON CONFLICT DO UPDATE SET params = excluded.params`,
  forgetOpenParams: 'DELETE FROM open_params WHERE tool_call_id = ?',
  contentExpiry: `INSERT INTO content_expiry (tool_call_id, remove_at) VALUES (?, ?)
         ON CONFLICT DO UPDATE SET remove_at = excluded.remove_at`,
  forgetContentExpiry: 'DELETE FROM content_expiry WHERE tool_call_id = ?',
  clockReading: `INSERT OR REPLACE INTO clock_readings (seen_ms, system_ms, seq, n)
         SELECT ?, ?, coalesce((SELECT max(seq) FROM events), 0), coalesce((SELECT max(n) FROM calls), 0)`,
  forgetClockReadings: 'DELETE FROM clock_readings WHERE seen_ms < ?',
  key: 'INSERT INTO keys (key, body_hash, tool_call_id, created_at) VALUES (?, ?, ?, ?)',
  rule: 'INSERT INTO rules (rule_id, rule) VALUES (?, ?)',
  updateRule: 'UPDATE rules SET rule = ? WHERE rule_id = ?',
  forgetRule: 'DELETE FROM rules WHERE rule_id = ?',
  setState: 'INSERT OR REPLACE INTO state (kind, key, value) VALUES (?, ?, ?)',
  forgetState: 'DELETE FROM state WHERE kind = ? AND key = ?',
  setMode: 'INSERT OR REPLACE INTO session_modes (scope, mode) VALUES (?, ?)',
  forgetMode: 'DELETE FROM session_modes WHERE scope = ?',
  vacatePath: `INSERT INTO vacated_paths (path, tool_call_id, moved_to) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET tool_call_id = excluded.tool_call_id, moved_to = excluded.moved_to`,
  occupyPath: 'DELETE FROM vacated_paths WHERE path = ?',
  approveSource: `INSERT INTO approved_sources (root, path, entry, hash, text) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET hash = excluded.hash, text = excluded.text`,
  note: `INSERT INTO notes (workspace, session_id, key, value) VALUES (?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET value = excluded.value`,
  forgetNote: 'DELETE FROM notes WHERE workspace = ? AND session_id = ? AND key = ?',
  job: `INSERT INTO tasks (task_id, kind, workspace, open, job) VALUES (?, 'job', ?, ?, ?)
         ON CONFLICT (task_id) DO UPDATE SET kind = excluded.kind, open = excluded.open, job = excluded.job`,
  backgroundCall: `INSERT INTO tasks (task_id, kind, workspace, open) VALUES (?, 'call', ?, 1)
         ON CONFLICT (task_id) DO NOTHING`,
  endBackgroundCall: `UPDATE tasks SET open = 0 WHERE task_id = ? AND kind = 'call'`,
  forgetTasks: `DELETE FROM tasks WHERE kind = ? AND open = 0 AND n NOT IN (
         SELECT n FROM tasks WHERE kind = ? AND open = 0 ORDER BY n DESC LIMIT ?)`
} as const

export type ChainedStatement = keyof typeof CHAINED_STATEMENTS
type StatementName = ChainedStatement | keyof typeof PLAIN_STATEMENTS

/** A moment in the history: what servers had seen pass, the system's clock, and the newest event and call. */
export interface ClockReading {
  seen_ms: number
  system_ms: number
  seq: number
  n: number
}

/** Numbers of events and calls: those below are older. */
export interface HistoryBorder {
  seq: number
  n: number
}

/** Statements whose removed content must not stay in the write-ahead log either. */
export const ERASING_STATEMENTS: ReadonlySet<StatementName> = new Set(['forgetOpenParams', 'forgetNote', 'replaceCall'])
export type StoreWrite = [StatementName, ...(string | number | null)[]]

/** Throws for a store of a newer version. */
export function assertKnownFormat(db: DatabaseSync) {
  const version = readFormat(db)
  if (version > MIGRATIONS.length)
    throw new Error(
      `the journal has format ${version}, but this version supports only up to ${MIGRATIONS.length}: use the newer ` +
        'version of Toolgate that wrote the journal'
    )
}

const readFormat = (db: DatabaseSync) =>
  (db.prepare('PRAGMA user_version').get() as { user_version: number }).user_version

/**
 * Opens the store for writing and migrates it to the current version in one transaction. Throws for a store of a newer version
 * and leaves it unchanged.
 */
export function migrate(db: DatabaseSync) {
  assertKnownFormat(db)
  const user_version = readFormat(db)
  if (user_version === 0) db.exec('PRAGMA auto_vacuum = INCREMENTAL')
  db.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 6000; PRAGMA secure_delete = ON'
  )
  if (user_version === MIGRATIONS.length) return
  const steps = MIGRATIONS.slice(user_version).join(';')
  db.exec(`BEGIN IMMEDIATE; ${steps}; PRAGMA user_version = ${MIGRATIONS.length}; COMMIT`)
}
