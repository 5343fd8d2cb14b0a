// Accounts of people and programs at the hub itself, each with a token of which only the hash is stored.
import { ToolError } from '../../errors.ts'
import type { PersonRole } from '../../protocol/hub.ts'
import { toPersonName } from '../../routes/http/person-name.ts'
import type { Queries } from '../database/database.ts'
import { hashSecret, newSecret } from '../secrets.ts'

const MAX_ACCOUNTS = 1_000

export interface Account {
  name: string
  role: PersonRole
  made_by: string
  made_at: Date
}

/** Adds an account, and returns its token. Throws CONFLICT for a name that is taken, INVALID_PARAMS for one that is not a person's. */
export async function addAccount(
  db: Queries,
  { name: given, role, madeBy }: { name: string; role: PersonRole; madeBy: string }
): Promise<{ name: string; role: PersonRole; token: string }> {
  const name = toPersonName(given)
  const token = newSecret('person')
  const [counted] = await db.query<{ total: number }>('SELECT count(*) AS total FROM accounts')
  if ((counted?.total ?? 0) >= MAX_ACCOUNTS)
    throw new ToolError(
      'CONFLICT',
      `There are ${MAX_ACCOUNTS} accounts, which is the maximum. Remove some: toolgate hub account remove`
    )
  const added = await db.query(
    `INSERT INTO accounts (name, role, token_hash, made_by) VALUES ($1, $2, $3, $4)
     ON CONFLICT (name) DO NOTHING RETURNING name`,
    [name, role, hashSecret(token), madeBy]
  )
  if (added.length === 0)
    throw new ToolError(
      'CONFLICT',
      `The account ${name} already exists. Choose another name, or remove the existing account first.`
    )
  return { name, role, token }
}

/** Removes an account: its token and its sessions end. Throws NOT_FOUND. */
export async function removeAccount(db: Queries, name: string) {
  const removed = await db.query('DELETE FROM accounts WHERE name = $1 RETURNING name', [name])
  if (removed.length === 0) throw new ToolError('NOT_FOUND', `The hub has no account ${name}.`)
}

export const listAccounts = (db: Queries): Promise<Account[]> =>
  db.query<Account>('SELECT name, role, made_by, made_at FROM accounts ORDER BY name')
