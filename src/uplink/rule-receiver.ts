// Rule sets of the hub at a server: checks who signed a set and that it is newer, stores it, and puts it in force. A set that is refused
// changes nothing, and the hub gets the reason.

import { describeError, ToolError } from '../errors.ts'
import type { ConfiguredRule } from '../protocol/rules.ts'
import type { HubClient } from './hub-client.ts'
import type { RuleFile, StoredRuleSet } from './rule-file.ts'
import { type RuleSetContent, type SignedRuleSet, verifyRuleSet } from './rule-set.ts'

/** A rule set whose rules are valid. */
export interface HubRuleSet extends RuleSetContent {
  rules: ConfiguredRule[]
}

/** Decides by the rules of a hub. */
export interface RuleTarget {
  readonly current: HubRuleSet | undefined
  /** Returns the rules. Throws INVALID_PARAMS, with the place of each error, unless all are valid. */
  check(rules: unknown): Promise<ConfiguredRule[]>
  /** Puts a set in force instead of the one before. */
  enforce(set: HubRuleSet): Promise<void>
  /** Records in the journal which set is in force. */
  announce(): Promise<void>
}

interface Log {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

interface ReceiverParts {
  /** Address and public key of the configured hub, if there is one. */
  hub: { url: string; key: string | undefined } | undefined
  file: RuleFile
  target: RuleTarget
  log: Log
}

/** A set that this server has refused. */
export interface RefusedRuleSet {
  version: number | null
  reason: string
}

export class RuleReceiver {
  readonly #parts: ReceiverParts
  #refused: RefusedRuleSet | undefined

  /** Puts the stored set in force, if it is of the configured hub. Otherwise the server has left the hub, and none is in force. */
  static async open(parts: ReceiverParts): Promise<RuleReceiver> {
    const receiver = new RuleReceiver(parts)
    await receiver.#loadStored()
    return receiver
  }

  private constructor(parts: ReceiverParts) {
    this.#parts = parts
  }

  /** Returns the set in force, without its rules, and the newest one that was refused since. */
  get state() {
    const { current } = this.#parts.target
    return {
      ...(current && {
        version: current.version,
        count: current.rules.length,
        saved_at: current.saved_at,
        saved_by: current.saved_by
      }),
      ...(this.#refused && { refused: this.#refused })
    }
  }

  /** Takes a set that the hub has sent, and reports to it what is in force then. */
  async receive(set: SignedRuleSet, hub: Pick<HubClient, 'reportRules'>, signal: AbortSignal) {
    const { target, log } = this.#parts
    try {
      await this.#apply(set)
      this.#refused = undefined
    } catch (error) {
      const { message } = describeError(error)
      this.#refused = { version: readVersion(set), reason: message.slice(0, 1_000) }
      log.error(
        { version: this.#refused.version, reason: message },
        'a rule set of the hub was rejected; the previous rule set remains active'
      )
    }
    const report = { version: target.current?.version ?? null, refused: this.#refused ?? null }
    // Sent again with the next connection: the hub sends its rules then.
    await hub
      .reportRules(report, signal)
      .catch(error => log.warn({ reason: error.message }, 'failed to report the active rules to the hub'))
  }

  async #apply(set: SignedRuleSet) {
    const { hub, file, target, log } = this.#parts
    const content = verifyRuleSet(set, requireKey(hub?.key))
    const stored = this.#readStored()
    const known = Math.max(target.current?.version ?? 0, stored?.key === set.key ? (readVersion(stored) ?? 0) : 0)
    if (content.version === target.current?.version && stored?.payload === set.payload) return
    if (content.version < known || (content.version === known && stored?.payload !== set.payload))
      throw new ToolError(
        'CONFLICT',
        `The rule set has version ${content.version}, but this server already had version ${known}.`
      )
    const rules = await target.check(content.rules)
    file.write({ ...set, hub: hub!.url, announced: stored?.announced ?? null })
    await target.enforce({ ...content, rules })
    await this.#announce({ ...set, hub: hub!.url, announced: content.version })
    log.info(
      { version: content.version, rules: rules.length, saved_by: content.saved_by },
      'the rules of the hub are active'
    )
  }

  async #loadStored() {
    const { hub, target, log } = this.#parts
    const stored = this.#readStored()
    if (!stored) return
    if (hub?.url === stored.hub)
      try {
        const content = verifyRuleSet(stored, requireKey(hub.key))
        await target.enforce({ ...content, rules: await target.check(content.rules) })
      } catch (error) {
        const { message } = describeError(error)
        this.#refused = { version: readVersion(stored), reason: message }
        log.error({ reason: message }, 'the stored rules of the hub are not active')
      }
    else
      log.info(
        { hub: stored.hub },
        'this server is no longer enrolled at the hub, so the rules of the hub are not active'
      )
    const version = target.current?.version ?? null
    if (stored.announced !== version) await this.#announce({ ...stored, announced: version })
  }

  /** Returns undefined for a file that is damaged: the hub sends the set again. */
  #readStored(): StoredRuleSet | undefined {
    try {
      return this.#parts.file.read()
    } catch (error) {
      this.#parts.log.error({ err: error }, 'the stored rules of the hub cannot be read')
      return undefined
    }
  }

  async #announce(stored: StoredRuleSet) {
    await this.#parts.target.announce()
    this.#parts.file.write(stored)
  }
}

function requireKey(key: string | undefined): string {
  if (key !== undefined) return key
  throw new ToolError(
    'FORBIDDEN',
    'This server does not have the key of the hub. Enroll the server again, or set hub.rules_key to the key that GET ' +
      '/rules of the hub returns.'
  )
}

/** Returns the version that a set claims to have, for reports. */
function readVersion({ payload }: SignedRuleSet): number | null {
  try {
    const { version } = JSON.parse(payload) as { version: unknown }
    return Number.isSafeInteger(version) ? (version as number) : null
  } catch {
    return null
  }
}
