// Enrolment of servers: a code, valid once, is exchanged for a server's token. Only hashes of both are stored.
import { randomBytes } from 'node:crypto'
import { ToolError } from '../errors.ts'
import type { ServerFacts } from '../protocol/uplink.ts'
import type { HubAccess } from './access.ts'
import { hashSecret, newSecret } from './secrets.ts'

/** Time for which a code to enroll a server is valid. */
const CODE_LIFETIME_MS = 60 * 60_000

interface EnrolledServer {
  server_id: string
  token: string
}

type Access = Pick<HubAccess, 'change'>

/** Makes a code with which one server can be enrolled, once. */
export async function createCode(
  access: Access,
  madeBy: string,
  name: string | undefined
): Promise<{ code: string; expires_at: string }> {
  const code = newSecret('enroll')
  const expires_at = new Date(Date.now() + CODE_LIFETIME_MS).toISOString()
  await access.change(async db => {
    await db.query('DELETE FROM enrolment_codes WHERE expires_at < now()')
    await db.query('INSERT INTO enrolment_codes (code_hash, name, made_by, expires_at) VALUES ($1, $2, $3, $4)', [
      hashSecret(code),
      name ?? null,
      madeBy,
      expires_at
    ])
  })
  return { code, expires_at }
}

/** Exchanges a code for a server's own token. Throws FORBIDDEN for a code that was used or has expired. */
export async function enrollServer(access: Access, code: string, facts: ServerFacts): Promise<EnrolledServer> {
  const server = { server_id: `sv_${randomBytes(10).toString('hex')}`, token: newSecret('server') }
  await access.change(async db => {
    const [taken] = await db.query<{ name: string | null; made_by: string }>(
      'DELETE FROM enrolment_codes WHERE code_hash = $1 AND expires_at > now() RETURNING name, made_by',
      [hashSecret(code)]
    )
    if (!taken)
      throw new ToolError(
        'FORBIDDEN',
        'This enrollment code was already used or has expired. For a new code, run: toolgate hub enroll'
      )
    await db.query(
      'INSERT INTO servers (server_id, name, token_hash, enrolled_by, facts) VALUES ($1, $2, $3, $4, $5)',
      [server.server_id, taken.name ?? facts.host, hashSecret(server.token), taken.made_by, JSON.stringify(facts)]
    )
  })
  return server
}

/** Takes a server's token away: what it has sent stays. Throws NOT_FOUND for an unknown server. */
export async function revokeServer(access: Access, serverId: string) {
  await access.change(async db => {
    const revoked = await db.query(
      'UPDATE servers SET revoked_at = coalesce(revoked_at, now()) WHERE server_id = $1 RETURNING server_id',
      [serverId]
    )
    if (revoked.length === 0) throw new ToolError('NOT_FOUND', `The hub has no server with the id ${serverId}.`)
  })
}
