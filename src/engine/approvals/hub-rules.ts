// Rules of the hub that are in force. What they deny or ask about ranks as the administrator's rules; what they allow ranks as the user's,
// so that a hub cannot allow what the user or the administrator denies or wants to be asked about.

import { validateSource } from '../../config/validation.ts'
import { ToolError } from '../../errors.ts'
import type { Journal } from '../../events/journal.ts'
import type { ConfiguredRule } from '../../protocol/rules.ts'
import { toJsonPointer } from '../../text/json-pointer.ts'
import { validateRule } from '../policy/rule-validation.ts'
import { prepareRules } from '../policy/rules.ts'

/** Maximum number of rules of a set. */
export const MAX_HUB_RULES = 1_000
const MAX_REPORTED_ERRORS = 20

/** A rule of the hub, marked as such for those who see why a call was decided as it was. */
export type HubRule = ConfiguredRule & { source: 'hub' }

export interface HubRulesInForce {
  version: number
  saved_at: string
  saved_by: string
  rules: ConfiguredRule[]
}

export class HubRules {
  readonly #journal: Pick<Journal, 'append'>
  readonly #listeners: (() => Promise<void>)[] = []
  #current: HubRulesInForce | undefined
  #restricting: readonly HubRule[] = []
  #allowing: readonly HubRule[] = []

  constructor(journal: Pick<Journal, 'append'>) {
    this.#journal = journal
  }

  /** Returns the set in force, if there is one. */
  get current(): HubRulesInForce | undefined {
    return this.#current
  }

  /** Returns the rules that deny or ask. */
  get restricting(): readonly HubRule[] {
    return this.#restricting
  }

  /** Returns the rules that allow. */
  get allowing(): readonly HubRule[] {
    return this.#allowing
  }

  /** Calls the listener whenever other rules are in force. */
  onChange(listener: () => Promise<void>) {
    this.#listeners.push(listener)
  }

  /** Returns the rules. Throws INVALID_PARAMS, with the place of each error, unless all are valid. */
  async check(rules: unknown): Promise<ConfiguredRule[]> {
    if (!Array.isArray(rules) || rules.length > MAX_HUB_RULES)
      throw new ToolError('INVALID_PARAMS', `/rules must be a list of at most ${MAX_HUB_RULES} rules.`)
    const value = { rules: rules as ConfiguredRule[] }
    const issues = await validateSource({ value, locate: path => toJsonPointer(path.map(String)) })
    if (issues.length > 0) throw invalidRules(issues.map(({ where, message }) => ({ pointer: where, message })))
    const errors: RuleError[] = []
    for (const [i, rule] of value.rules.entries())
      for (const message of await validateRule(rule)) errors.push({ pointer: `/rules/${i}`, message })
    if (errors.length > 0) throw invalidRules(errors)
    return value.rules
  }

  /** Puts a valid set in force instead of the one before. */
  async enforce(set: HubRulesInForce) {
    await prepareRules(set.rules)
    const rules = set.rules.map((rule): HubRule => ({ ...rule, source: 'hub' }))
    this.#current = set
    this.#restricting = rules.filter(({ effect }) => effect !== 'allow')
    this.#allowing = rules.filter(({ effect }) => effect === 'allow')
    await Promise.all(this.#listeners.map(listener => listener()))
  }

  /** Records in the journal which set is in force. Resolves when that is durable. */
  async announce() {
    const set = this.#current
    await this.#journal.append([
      {
        type: 'hub_rules.changed',
        version: set?.version ?? null,
        rules: set?.rules.length ?? 0,
        ...(set && { saved_by: set.saved_by })
      }
    ])
  }
}

interface RuleError {
  pointer: string
  message: string
}

const invalidRules = (errors: readonly RuleError[]) =>
  new ToolError('INVALID_PARAMS', `Invalid rules: ${errors[0]!.pointer} ${errors[0]!.message}.`, {
    errors: errors.slice(0, MAX_REPORTED_ERRORS)
  })
