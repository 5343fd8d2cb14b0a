// Sessions of people at the hub, which any of its processes knows. Only hashes of their secrets are stored.
import { ToolError } from '../../errors.ts'
import type { Queries } from '../database/database.ts'
import { hashSecret, newSecret } from '../secrets.ts'

export const SESSION_LIFETIME_MS = 12 * 60 * 60_000
/** Maximum number of sessions of one person; a further one ends the oldest. */
const MAX_SESSIONS = 16

/** A person who has signed in. */
export interface SignedInPerson {
  id: string
  name: string
  /** Key of what let the person in, such as a token: the session ends with it. */
  grantedBy: string
}

export interface Session extends SignedInPerson {
  expiresAt: number
}

/** A session that has just begun. Its secret is shown this once. */
export interface NewSession extends Session {
  secret: string
}

interface SessionRow {
  session_hash: string
  person_id: string
  person_name: string
  granted_by: string
  expires_at: Date
}

/** Key of a session that a token let in. */
export const grantOfToken = (tokenHash: string) => `token:${tokenHash}`
/** Returns the hash of the token of such a key; of another key a text that no hash is equal to. */
export const tokenOfGrant = (grant: string) => grant.replace(/^token:/, '')

/**
 * Begins a session. `signIn` identifies the answer of a provider that it came of, which begins one session at most: throws
 * CONFLICT for another.
 */
export async function beginSession(
  db: Queries,
  { id, name, grantedBy }: SignedInPerson,
  signIn: string | undefined
): Promise<NewSession> {
  const secret = newSecret('session')
  const expiresAt = Date.now() + SESSION_LIFETIME_MS
  // Those that came of a provider's answer stay until they would have expired, so that it is not used again.
  await db.query('DELETE FROM sessions WHERE expires_at < now() OR (ended_at IS NOT NULL AND sign_in IS NULL)')
  const begun = await db.query(
    `INSERT INTO sessions (session_hash, person_id, person_name, granted_by, sign_in, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (sign_in) DO NOTHING RETURNING session_hash`,
    [
      hashSecret(secret),
      id,
      name,
      grantedBy,
      signIn === undefined ? null : hashSecret(signIn),
      new Date(expiresAt).toISOString()
    ]
  )
  if (begun.length === 0) throw new ToolError('CONFLICT', 'This sign-in was already used. Sign in again.')
  await db.query(
    `UPDATE sessions SET ended_at = now() WHERE session_hash IN (
       SELECT session_hash FROM sessions WHERE person_id = $1 AND ended_at IS NULL ORDER BY began_at DESC, session_hash OFFSET ${MAX_SESSIONS}
     )`,
    [id]
  )
  return { secret, id, name, grantedBy, expiresAt }
}

/** Ends a session. */
export const endSession = (db: Queries, secret: string) =>
  db.query('UPDATE sessions SET ended_at = now() WHERE session_hash = $1', [hashSecret(secret)])

/** Loads the sessions that go on, by the hashes of their secrets. */
export async function loadSessions(db: Queries): Promise<ReadonlyMap<string, Session>> {
  const rows = await db.query<SessionRow>(
    `SELECT session_hash, person_id, person_name, granted_by, expires_at FROM sessions
     WHERE ended_at IS NULL AND expires_at > now()`
  )
  return new Map(
    rows.map(({ session_hash, person_id, person_name, granted_by, expires_at }) => [
      session_hash,
      { id: person_id, name: person_name, grantedBy: granted_by, expiresAt: expires_at.getTime() }
    ])
  )
}
