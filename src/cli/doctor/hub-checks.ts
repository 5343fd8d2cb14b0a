// Checks of a hub: its address as servers use it, and its database as its processes do.
import { messageWithCause } from '../../errors.ts'
import { createFetch } from '../../host/egress/proxied-fetch.ts'
import type { CliContext } from '../context.ts'
import { type CheckResult, failResult, passResult, warnResult } from './check-result.ts'

const TIMEOUT_MS = 5_000
const MAX_CLOCK_SKEW_MS = 5_000
const MAX_LOCK_S = 5
/** The oldest version of PostgreSQL that its project still maintains. */
const MIN_POSTGRES = 14
const MIB = 1024 * 1024

/** Checks a hub that a server would send its journal to. */
export async function checkHubAddress({ runtime }: CliContext, address: string): Promise<CheckResult[]> {
  const { parseHubUrl } = await import('../../uplink/hub-client.ts')
  let url: string
  try {
    url = parseHubUrl(address)
  } catch (error) {
    return [failResult('hub', (error as Error).message, 'Servers do not accept this hub address, either.')]
  }
  const began = performance.now()
  try {
    const response = await createFetch(runtime.env)(`${url}/health`, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    const took = Math.round(performance.now() - began)
    if (!response.ok)
      return [
        failResult(
          'hub',
          `${url} returned status ${response.status}`,
          response.status === 503
            ? 'The database of the hub is not available. Check it: toolgate doctor --database URL'
            : 'Check that this is the address of a hub.'
        )
      ]
    const health = (await response.json().catch(() => undefined)) as { hub?: unknown } | undefined
    if (health?.hub === undefined)
      return [failResult('hub', `${url} is not a hub`, 'Check that this is the address of a hub.')]
    return [passResult('hub', `${url}, response in ${took} ms`), ...checkHubClock(response)]
  } catch (error) {
    return [failResult('hub', `${url}: ${messageWithCause(error as Error)}`, adviseFor(error))]
  }
}

/** Checks the database of a hub. */
export async function checkHubDatabase(address: string): Promise<CheckResult[]> {
  const { PostgresDatabase } = await import('../../hub/database/postgres.ts')
  const { inspectDatabase, tryWriting } = await import('../../hub/database/inspect.ts')
  let database: Awaited<ReturnType<typeof PostgresDatabase.open>>
  try {
    database = await PostgresDatabase.open(address)
  } catch (error) {
    return [
      failResult(
        'database',
        describeConnectionError(error as Error),
        'Check the address, the password (PGPASSWORD), and that PostgreSQL is running.'
      )
    ]
  }
  try {
    const facts = await inspectDatabase(database)
    const results = [
      checkVersion(facts),
      checkTables(facts),
      checkLock(facts.lock_held_s),
      checkClock('database', facts.clock_ahead_ms)
    ]
    if (facts.is_standby)
      return [
        ...results,
        failResult(
          'database disk',
          'the database is a standby, which cannot be written to',
          'Use the address of the primary database.'
        )
      ]
    return [...results, await checkDisk(facts.bytes, () => tryWriting(database))]
  } catch (error) {
    return [failResult('database', (error as Error).message, 'See the log of PostgreSQL.')]
  } finally {
    await database.close()
  }
}

/** The connection of a server to its hub, in `GET /capabilities`. */
export interface ReportedHub {
  hub: string
  state: string
  behind: number | null
  reason?: string
  rules: { version?: number; count?: number; saved_by?: string; refused?: { reason: string } }
}

/** Checks the connection of the project's server to its hub. */
export function checkServerHub({ hub, state, behind, reason = '', rules }: ReportedHub): CheckResult[] {
  const { version, count = 0, refused } = rules
  const connection =
    state === 'connected'
      ? passResult('hub', `${hub}, ${behind === 0 ? 'all events delivered' : `${behind} events not delivered yet`}`)
      : warnResult('hub', `${hub} ${state}: ${reason}`, adviseFor(reason))
  if (refused)
    return [
      connection,
      warnResult(
        'hub rules',
        `the server rejected a rule set of the hub: ${refused.reason}`,
        'The previous rules remain active; see docs/hub.md#rules'
      )
    ]
  return version === undefined
    ? [connection]
    : [connection, passResult('hub rules', `${count} rules active, version ${version}`)]
}

function checkVersion({ version, bytes }: { version: string; bytes: number }): CheckResult {
  const found = `PostgreSQL ${version}, ${Math.round(bytes / MIB)} MiB`
  return Number.parseInt(version, 10) < MIN_POSTGRES
    ? warnResult('database', found, `Install PostgreSQL ${MIN_POSTGRES} or newer.`)
    : passResult('database', found)
}

function checkTables({ tables, known_tables }: { tables: number | undefined; known_tables: number }): CheckResult {
  if (tables === undefined)
    return warnResult('database tables', 'none yet', 'The first start of a hub creates the tables.')
  if (tables > known_tables)
    return failResult(
      'database tables',
      `the tables have version ${tables}; this version of Toolgate supports ${known_tables}`,
      'Use a newer version of Toolgate.'
    )
  if (tables === known_tables) return passResult('database tables', `version ${tables}`)
  return warnResult(
    'database tables',
    `version ${tables} of ${known_tables}`,
    'The next start of a hub updates the tables.'
  )
}

const checkLock = (heldS: number | undefined): CheckResult =>
  heldS === undefined || heldS < MAX_LOCK_S
    ? passResult('database lock', 'the lock is free, or held only briefly')
    : warnResult(
        'database lock',
        `a transaction has held the lock for ${Math.round(heldS)} s, so no events are stored`,
        'Find the transaction in pg_stat_activity, and end it: pg_terminate_backend(pid).'
      )

async function checkDisk(bytes: number, write: () => Promise<void>): Promise<CheckResult> {
  try {
    await write()
    return passResult('database disk', `writable; the database has ${Math.round(bytes / MIB)} MiB`)
  } catch (error) {
    return failResult(
      'database disk',
      (error as Error).message,
      'Free disk space. Until then, the hub returns status 503, and servers retry.'
    )
  }
}

/** Compares the time of an answer, if it has one. */
function checkHubClock({ headers }: Response): CheckResult[] {
  const skew = Date.parse(headers.get('date') ?? '') - Date.now()
  return Number.isNaN(skew) ? [] : [checkClock('hub', skew)]
}

function checkClock(name: 'hub' | 'database', aheadMs: number): CheckResult {
  const check = `${name} clock`
  if (Math.abs(aheadMs) < MAX_CLOCK_SKEW_MS) return passResult(check, 'in sync with this machine')
  const seconds = Math.round(Math.abs(aheadMs) / 1_000)
  return warnResult(
    check,
    `${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine`,
    'Synchronize the clocks: the hub compares the times of different servers.'
  )
}

/** Returns the error of the driver: the message for clients of a hub is about a request. */
const describeConnectionError = ({ message, cause }: Error) => (cause instanceof Error ? cause.message : message)

/** Returns what helps against a failure to reach a hub. */
function adviseFor(error: unknown): string {
  const message = typeof error === 'string' ? error : messageWithCause(error as Error)
  if (/\b401\b/.test(message))
    return 'The token of this server was revoked or belongs to another hub. Enroll the server again, with --hub-code.'
  if (/certificate|self.signed|SSL|TLS/i.test(message))
    return 'Add the CA certificate to NODE_EXTRA_CA_CERTS, or use a certificate of a known authority.'
  return 'Check the network, HTTPS_PROXY, and that the hub is running.'
}
