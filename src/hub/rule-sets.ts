// Rule sets that people save at the hub. Each is signed with a key that only the processes of the hub have, and is sent to all servers.
import type { ServerResponse } from 'node:http'
import { ToolError } from '../errors.ts'
import type { NewRuleSet, RuleSetVersion, SavedRuleSet } from '../protocol/hub.ts'
import type { RulesReport } from '../protocol/uplink.ts'
import {
  MAX_RULE_SET_BYTES,
  type RuleSetContent,
  type RuleSigner,
  type SignedRuleSet,
  verifyRuleSet
} from '../uplink/rule-set.ts'
import { CHANNELS, type Database, type Queries } from './database/database.ts'
import { LOCKS } from './database/migrations.ts'
import { Relay } from './relay.ts'

/** Returns the errors of a rule whose schema is satisfied. */
export type RuleValidator = (rule: NewRuleSet['rules'][number]) => Promise<string[]>

export interface RuleSetOptions {
  /** Signs rule sets; without one no rules can be saved. */
  signer: RuleSigner | undefined
  checkRule: RuleValidator
}

/** Number of versions that are listed. */
const MAX_LISTED_VERSIONS = 20

type StoredRow = SignedRuleSet & { version: number }

export class RuleSets {
  readonly #database: Database
  readonly #relay: Relay
  readonly #options: RuleSetOptions
  /** The newest set as of a wake, which all streams share. */
  #newest: { wakes: number; row: Promise<StoredRow | undefined> } | undefined

  static async open(database: Database, options: RuleSetOptions): Promise<RuleSets> {
    return new RuleSets(database, await Relay.open(database, CHANNELS.rules), options)
  }

  private constructor(database: Database, relay: Relay, options: RuleSetOptions) {
    this.#database = database
    this.#relay = relay
    this.#options = options
  }

  /** Wakes when a set was saved, at any process of the hub. */
  get relay(): Relay {
    return this.#relay
  }

  /** Returns the public key with which this process signs; undefined if it has none. */
  get key(): string | undefined {
    return this.#options.signer?.key
  }

  /** Returns the newest set if its version is larger. */
  async newestAfter(version: number): Promise<StoredRow | undefined> {
    const { wakes } = this.#relay
    if (this.#newest?.wakes !== wakes) this.#newest = { wakes, row: readNewest(this.#database) }
    const read = this.#newest
    try {
      const newest = await read.row
      return newest && newest.version > version ? newest : undefined
    } catch (error) {
      if (this.#newest === read) this.#newest = undefined
      throw error
    }
  }

  async show(): Promise<SavedRuleSet> {
    return this.#describe(await readNewest(this.#database))
  }

  /** Lists the newest versions without their rules, the newest first. */
  async listVersions(): Promise<RuleSetVersion[]> {
    const rows = await readSets(this.#database, MAX_LISTED_VERSIONS)
    return rows
      .map(row => this.#describe(row))
      .map(({ key: _, rules, ...version }) => ({ ...version, count: rules?.length ?? null }))
  }

  /**
   * Signs and stores rules, which servers get at once. Throws INVALID_PARAMS with the place of each error, CONFLICT if they were made from
   * another set than the newest one, or the hub has no key, or another one than the set before was signed with.
   */
  async save({ rules, replaces, key }: NewRuleSet, person: { name: string }): Promise<SavedRuleSet> {
    const { signer } = this.#options
    if (!signer)
      throw new ToolError(
        'CONFLICT',
        'This process of the hub has no key that signs rules. Start all processes of the hub with --rules-key.'
      )
    await this.#assertValid(rules)
    return this.#database.transaction(async db => {
      await db.query('SELECT pg_advisory_xact_lock($1)', [LOCKS.rules])
      const newest = await readNewest(db)
      if ((newest?.version ?? null) !== replaces)
        throw new ToolError(
          'CONFLICT',
          'Someone else has changed the rules. Read the new rules, and apply your changes again.'
        )
      if (newest && newest.key !== signer.key && key !== signer.key)
        throw new ToolError(
          'CONFLICT',
          `The rules were signed with the key ${newest.key}, but this process of the hub has the key ${signer.key}. Start all processes with the same --rules-key. To change the key, send the new key as \`key\`, and enroll the servers again.`
        )
      const set = signer.sign(makeContent(rules, newest?.version ?? 0, person.name))
      const { version, saved_at, saved_by } = JSON.parse(set.payload) as RuleSetContent
      if (Buffer.byteLength(set.payload) > MAX_RULE_SET_BYTES)
        throw new ToolError('TOO_LARGE', `The rules exceed ${MAX_RULE_SET_BYTES} bytes.`)
      await db.query(
        'INSERT INTO rule_sets (version, payload, signature, key, saved_by, saved_at) VALUES ($1, $2, $3, $4, $5, $6)',
        [version, set.payload, set.signature, set.key, saved_by, saved_at]
      )
      await db.query('SELECT pg_notify($1, $2)', [CHANNELS.rules, String(version)])
      return this.#describe({ ...set, version })
    })
  }

  close() {
    this.#relay.close()
  }

  async #assertValid(rules: NewRuleSet['rules']) {
    const errors: { pointer: string; message: string }[] = []
    for (const [i, rule] of rules.entries())
      for (const message of await this.#options.checkRule(rule)) errors.push({ pointer: `/rules/${i}`, message })
    if (errors.length > 0) throw new ToolError('INVALID_PARAMS', `Invalid rules: ${errors[0]!.message}.`, { errors })
  }

  /** Shows a set only if its signature is right: to edit another one would be to sign what was written into the database. */
  #describe(row: StoredRow | undefined): SavedRuleSet {
    const key = this.key ?? null
    if (!row) return { key, version: null, saved_at: null, saved_by: null, rules: [], fault: null }
    try {
      const { version, saved_at, saved_by, rules } = verifyRuleSet(row, key ?? row.key)
      if (version !== row.version)
        throw new ToolError('FORBIDDEN', 'The stored version of the rule set is not the version that was signed.')
      return { key, version, saved_at, saved_by, rules: rules as SavedRuleSet['rules'], fault: null }
    } catch (error) {
      return { key, version: row.version, saved_at: null, saved_by: null, rules: null, fault: (error as Error).message }
    }
  }
}

/** Writes the newest rule set to a server, and later ones as they are saved, until the signal aborts. */
export async function streamRuleSets(raw: ServerResponse, ruleSets: RuleSets, signal: AbortSignal) {
  let last = 0
  while (!signal.aborted) {
    const { wakes } = ruleSets.relay
    const newest = await ruleSets.newestAfter(last)
    if (newest) {
      const { version, ...set } = newest
      raw.write(`event: rules\ndata: ${JSON.stringify(set)}\n\n`)
      last = version
    }
    await ruleSets.relay.changedAfter(wakes, signal)
  }
}

/** Stores which rules are in force at a server. */
export const reportRules = (database: Queries, serverId: string, { version, refused }: RulesReport) =>
  database.query('UPDATE servers SET rules_version = $2, rules_refused = $3 WHERE server_id = $1', [
    serverId,
    version,
    refused && JSON.stringify({ ...refused, reason: refused.reason.replaceAll('\0', '\uFFFD') })
  ])

/**
 * Returns the content to sign. The version follows the time, so that it is larger than those which servers have had even if the database
 * was restored from a backup.
 */
const makeContent = (rules: unknown, lastVersion: number, savedBy: string): RuleSetContent => ({
  version: Math.max(lastVersion + 1, Date.now()),
  saved_at: new Date().toISOString(),
  saved_by: savedBy,
  rules
})

async function readNewest(database: Queries): Promise<StoredRow | undefined> {
  const [newest] = await readSets(database, 1)
  return newest
}

/** Returns the newest rule sets, the newest first. */
const readSets = (database: Queries, limit: number): Promise<StoredRow[]> =>
  database.query<StoredRow>('SELECT version, payload, signature, key FROM rule_sets ORDER BY version DESC LIMIT $1', [
    limit
  ])
