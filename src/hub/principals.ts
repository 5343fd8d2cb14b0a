// Principals of the hub as its tables have them, by the hashes of their tokens, codes and sessions.

import type { PersonRole } from '../protocol/hub.ts'
import type { Queries } from './database/database.ts'
import { loadSessions, type Session } from './people/sessions.ts'

/** A person reads, decides, and enrolls, by role; a server sends its journal, and a code makes one server's token. */
export type HubRole = PersonRole | 'server' | 'code'

/** The bearer of a token, of a code or of a session at the hub. */
export interface HubPrincipal {
  role: HubRole
  /** Id of the server, or of the person; for a code, that of its maker. */
  id: string
  name: string
}

export interface StoredPrincipals {
  byToken: ReadonlyMap<string, HubPrincipal>
  sessions: ReadonlyMap<string, Session>
}

export const NO_PRINCIPALS: StoredPrincipals = { byToken: new Map(), sessions: new Map() }

export async function loadPrincipals(db: Queries): Promise<StoredPrincipals> {
  const servers = await db.query<{ token_hash: string; server_id: string; name: string }>(
    'SELECT token_hash, server_id, name FROM servers WHERE revoked_at IS NULL'
  )
  const codes = await db.query<{ code_hash: string; made_by: string }>(
    'SELECT code_hash, made_by FROM enrolment_codes WHERE expires_at > now()'
  )
  const accounts = await db.query<{ token_hash: string; name: string; role: PersonRole }>(
    'SELECT token_hash, name, role FROM accounts'
  )
  const byToken = new Map<string, HubPrincipal>()
  for (const { token_hash, server_id, name } of servers)
    byToken.set(token_hash, { role: 'server', id: server_id, name })
  for (const { code_hash, made_by } of codes) byToken.set(code_hash, { role: 'code', id: made_by, name: made_by })
  for (const { token_hash, name, role } of accounts) byToken.set(token_hash, { role, id: `account:${name}`, name })
  return { byToken, sessions: await loadSessions(db) }
}
