// Tables of the hub. Processes that start at the same time migrate one after the other.
import { ToolError } from '../../errors.ts'
import type { Database } from './database.ts'

/** Keys of advisory locks, which hold until the end of a transaction. */
export const LOCKS = { migration: 7_301, ingest: 7_302, rules: 7_303 } as const

/** Step N migrates from version N to N + 1. Steps are never edited once released. */
const MIGRATIONS: readonly (readonly string[])[] = [
  [
    `CREATE TABLE servers (
       server_id text PRIMARY KEY, name text NOT NULL, token_hash text NOT NULL UNIQUE, enrolled_by text NOT NULL,
       enrolled_at timestamptz NOT NULL DEFAULT now(), seen_at timestamptz, revoked_at timestamptz, facts text NOT NULL
     )`,
    `CREATE TABLE enrolment_codes (
       code_hash text PRIMARY KEY, name text, made_by text NOT NULL, expires_at timestamptz NOT NULL
     )`,
    `CREATE TABLE journals (
       journal_id text PRIMARY KEY, server_id text NOT NULL REFERENCES servers, stored_seq bigint NOT NULL DEFAULT 0,
       head_seq bigint NOT NULL DEFAULT 0, began_at timestamptz NOT NULL DEFAULT now()
     )`,
    'CREATE INDEX journals_of_server ON journals (server_id, began_at)',
    // Numbers of events are given under a lock, so that their order is that of the commits: a reader misses none.
    `CREATE TABLE events (
       id bigserial PRIMARY KEY, journal_id text NOT NULL REFERENCES journals, seq bigint NOT NULL, type text NOT NULL,
       time timestamptz NOT NULL, received_at timestamptz NOT NULL DEFAULT now(), tool_call_id text, data text NOT NULL,
       UNIQUE (journal_id, seq)
     )`,
    'CREATE INDEX events_of_call ON events (journal_id, tool_call_id) WHERE tool_call_id IS NOT NULL',
    // The newest event of each kind holds the rest of what is known of a call.
    `CREATE TABLE calls (
       n bigserial PRIMARY KEY, journal_id text NOT NULL REFERENCES journals, tool_call_id text NOT NULL, tool text NOT NULL,
       status text NOT NULL, session_id text, workspace text, agent text, client text, title text, created_at timestamptz NOT NULL,
       ended_at timestamptz, digest text, call_seq bigint NOT NULL, result_seq bigint, UNIQUE (journal_id, tool_call_id)
     )`,
    `CREATE INDEX calls_waiting ON calls (created_at) WHERE status = 'awaiting_approval'`,
    'CREATE INDEX calls_by_time ON calls (created_at DESC)',
    `CREATE TABLE gaps (
       journal_id text NOT NULL REFERENCES journals, after_seq bigint NOT NULL, until_seq bigint NOT NULL, reason text NOT NULL,
       reported_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (journal_id, after_seq)
     )`
  ],
  [
    // State: 'sent' until the server has answered, `applied` once its journal says so, `refused` with the reason.
    `CREATE TABLE decisions (
       decision_id bigserial PRIMARY KEY, journal_id text NOT NULL REFERENCES journals, tool_call_id text NOT NULL,
       digest text NOT NULL, verdict text NOT NULL, person_id text NOT NULL, person_name text NOT NULL, message text NOT NULL,
       decided_at timestamptz NOT NULL DEFAULT now(), state text NOT NULL DEFAULT 'sent', refusal text
     )`,
    // The first decision on what was shown wins; one that the server refused leaves room for another.
    `CREATE UNIQUE INDEX decisions_of_call ON decisions (journal_id, tool_call_id, digest) WHERE state <> 'refused'`,
    `CREATE INDEX decisions_sent ON decisions (journal_id) WHERE state = 'sent'`
  ],
  [
    // All sets that were saved; the newest one is sent to servers.
    `CREATE TABLE rule_sets (
       version bigint PRIMARY KEY, payload text NOT NULL, signature text NOT NULL, key text NOT NULL, saved_by text NOT NULL,
       saved_at timestamptz NOT NULL
     )`,
    // The version in force at a server, and the one that it has refused since, with the reason.
    'ALTER TABLE servers ADD COLUMN rules_version bigint, ADD COLUMN rules_refused text',
    // A cancel is a decision on no preview. One at a time is under way.
    'ALTER TABLE decisions ALTER COLUMN digest DROP NOT NULL',
    `CREATE UNIQUE INDEX cancels_sent ON decisions (journal_id, tool_call_id) WHERE verdict = 'cancel' AND state = 'sent'`,
    // Calls that wait at a server whose events are far behind, as of an event that is not here yet.
    'CREATE TABLE waiting_reports (journal_id text PRIMARY KEY REFERENCES journals, head_seq bigint NOT NULL)',
    `CREATE TABLE reported_calls (
       journal_id text NOT NULL REFERENCES waiting_reports ON DELETE CASCADE, tool_call_id text NOT NULL, tool text NOT NULL,
       session_id text, workspace text, agent text, client text, title text, created_at timestamptz NOT NULL, digest text,
       data text NOT NULL, PRIMARY KEY (journal_id, tool_call_id)
     )`
  ],
  [
    `CREATE TABLE accounts (
       name text PRIMARY KEY, role text NOT NULL, token_hash text NOT NULL UNIQUE, made_by text NOT NULL,
       made_at timestamptz NOT NULL DEFAULT now()
     )`,
    // A session ends with what let its person in. The answer of a provider begins one session at most.
    `CREATE TABLE sessions (
       session_hash text PRIMARY KEY, person_id text NOT NULL, person_name text NOT NULL, granted_by text NOT NULL,
       sign_in text UNIQUE, began_at timestamptz NOT NULL DEFAULT now(), expires_at timestamptz NOT NULL, ended_at timestamptz
     )`,
    'CREATE INDEX sessions_of_person ON sessions (person_id)'
  ],
  [
    // Finds parts of titles. Where the extension is not there, or may not be created, the search reads all titles.
    `DO $$ BEGIN
       CREATE EXTENSION IF NOT EXISTS pg_trgm;
       CREATE INDEX calls_by_title ON calls USING gin (lower(title) gin_trgm_ops);
     EXCEPTION WHEN insufficient_privilege OR undefined_file OR feature_not_supported OR undefined_object THEN
       RAISE NOTICE 'pg_trgm is not available: titles are searched without an index';
     END $$`
  ],
  [
    // The person who approved or rejected, as clients show it. A rule has no name.
    'ALTER TABLE calls ADD COLUMN decided_by text'
  ],
  [
    // The place of an approval among those that a call needs: the first decision in a place wins, and no person has two of them.
    'ALTER TABLE decisions ADD COLUMN place integer NOT NULL DEFAULT 0',
    'DROP INDEX decisions_of_call',
    `CREATE UNIQUE INDEX decisions_of_call ON decisions (journal_id, tool_call_id, digest, place) WHERE state <> 'refused'`
  ]
]

/** Version of the tables that this program makes. */
export const KNOWN_VERSION = MIGRATIONS.length

/** Creates or updates the tables. Throws if they are of a newer version. */
export async function migrateHub(database: Database) {
  await database.transaction(async db => {
    await db.query('SELECT pg_advisory_xact_lock($1)', [LOCKS.migration])
    await db.query('CREATE TABLE IF NOT EXISTS hub_version (version integer NOT NULL)')
    const [row] = await db.query<{ version: number }>('SELECT version FROM hub_version')
    const version = row?.version ?? 0
    if (version > MIGRATIONS.length)
      throw new ToolError(
        'CONFLICT',
        `The tables of the hub have version ${version}, but this version of Toolgate supports only up to ` +
          `${MIGRATIONS.length}. Use a newer version of Toolgate.`
      )
    for (const statement of MIGRATIONS.slice(version).flat()) await db.query(statement)
    if (row === undefined) await db.query('INSERT INTO hub_version (version) VALUES ($1)', [MIGRATIONS.length])
    else await db.query('UPDATE hub_version SET version = $1', [MIGRATIONS.length])
  })
}
