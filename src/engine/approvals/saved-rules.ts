// Saved rules: the remembered answers "always allow" of approvals, and rules created by POST /rules. They persist across restarts
// and can be listed, revoked and set to expire.

import { invalidFieldError, ToolError } from '../../errors.ts'
import type { Journal } from '../../events/journal.ts'
import type { SavedRule } from '../../protocol/decisions.ts'
import { durationMs } from '../../protocol/duration.ts'
import type { NewEvent } from '../../protocol/events.ts'
import type { RuleLimit, RuleMatch, RuleScope } from '../../protocol/rules.ts'
import { steadyNow } from '../../steady-time.ts'
import type { Store } from '../../store/store.ts'
import type { StoreWrite } from '../../store/store-schema.ts'
import { newId } from '../id.ts'
import { validateMatch } from '../policy/rule-validation.ts'
import { prepareRules } from '../policy/rules.ts'
import type { RuleBudgets } from './rule-budgets.ts'

export interface SavedRuleInput {
  effect: SavedRule['effect']
  match: RuleMatch
  scope: RuleScope
  session_id?: string | undefined
  token_id?: string | undefined
  workspace?: string | undefined
  reason?: string | undefined
  approvals?: number | undefined
  expires_after?: string | undefined
  expires_at?: string | null | undefined
  for?: string | undefined
  uses?: number | undefined
  limit?: RuleLimit | undefined
}

/** Valid rules that are neither stored nor in force yet. */
interface PreparedRules {
  rules: SavedRule[]
  events: NewEvent[]
  writes: StoreWrite[]
}

/** A caller's session; `owner` is its token if that may not approve. */
interface RuleSession {
  session_id: string
  owner: string | undefined
}

/** Returns true if a saved rule applies to a caller's session in a workspace. */
export const isRuleFor = (rule: SavedRule, { session_id, owner }: RuleSession, workspace: string): boolean =>
  rule.scope === 'user' ||
  (rule.workspace === workspace &&
    (rule.scope === 'workspace' ||
      (rule.session_id === session_id && (rule.token_id === undefined || rule.token_id === owner))))

export class SavedRules {
  readonly #journal: Journal
  readonly #budgets: RuleBudgets
  readonly #rules = new Map<string, SavedRule>()
  readonly #listeners: (() => Promise<void>)[] = []

  constructor(journal: Journal, store: Store, budgets: RuleBudgets) {
    this.#journal = journal
    this.#budgets = budgets
    for (const json of store.rules()) {
      // Earlier versions did not count.
      const rule: SavedRule = { used: 0, ...JSON.parse(json) }
      this.#rules.set(rule.rule_id, rule)
    }
  }

  /** Calls the listener whenever other rules are in force; adding and revoking a rule wait for it. */
  onChange(listener: () => Promise<void>) {
    this.#listeners.push(listener)
  }

  async #publish(): Promise<void> {
    await Promise.all(this.#listeners.map(listener => listener()))
  }

  /** Lists all rules that have not expired, oldest first. */
  list(): SavedRule[] {
    const now = steadyNow()
    for (const rule of this.#rules.values())
      if (rule.expires_at !== null && Date.parse(rule.expires_at) <= now) void this.#delete(rule, 'expired')
    return [...this.#rules.values()]
  }

  /** Returns the rules that apply to a caller's session in a workspace. */
  inForce(session: RuleSession, workspace: string): SavedRule[] {
    if (this.#rules.size === 0) return []
    return this.list().filter(rule => isRuleFor(rule, session, workspace))
  }

  /** Returns true if the rule is in force. */
  has(rule_id: string): boolean {
    return this.list().some(rule => rule.rule_id === rule_id)
  }

  /** Counts a call that the rule allows. The rule ends with its last use. Returns the rule as it is then. */
  count(rule_id: string, spent: readonly StoreWrite[]): SavedRule {
    const before = this.get(rule_id)
    const rule: SavedRule = { ...before, used: before.used + 1, last_used_at: new Date().toISOString() }
    this.#rules.set(rule_id, rule)
    const stored =
      rule.used === rule.uses
        ? this.#delete(rule, 'used_up')
        : this.#journal.append([], () => [['updateRule', JSON.stringify(rule), rule_id], ...spent])
    // The next step of the call fails with the journal, and reports that.
    stored.catch(() => {})
    return rule
  }

  /** Returns the rule of that id. Throws NOT_FOUND. */
  get(rule_id: string): SavedRule {
    const rule = this.#rules.get(rule_id)
    if (rule) return rule
    throw new ToolError('NOT_FOUND', `There is no saved rule with the id ${rule_id}.`)
  }

  /** Creates a rule; resolves when it is durable. Throws INVALID_PARAMS for an invalid rule. */
  async add(rule: SavedRuleInput, client: string): Promise<SavedRule> {
    const prepared = await this.prepare([rule], client)
    await this.#journal.append(prepared.events, () => prepared.writes)
    await this.enforce(prepared)
    return prepared.rules[0]!
  }

  /** Validates the rules. Commit their events and writes in one transaction, then put them in force. */
  async prepare(inputs: readonly SavedRuleInput[], client: string): Promise<PreparedRules> {
    await prepareRules(inputs)
    const rules = inputs.map(rule => createRule(rule, client))
    return {
      rules,
      events: rules.map(({ rule_id }) => ({ type: 'rules.changed', change: 'added', rule_id })),
      writes: rules.map(rule => ['rule', rule.rule_id, JSON.stringify(rule)])
    }
  }

  /** Puts rules in force whose writes are durable. */
  async enforce({ rules }: PreparedRules): Promise<void> {
    for (const rule of rules) this.#rules.set(rule.rule_id, rule)
    await this.#publish()
  }

  /** Revokes a rule; resolves when that is durable. */
  async revoke(rule_id: string): Promise<SavedRule> {
    const rule = this.get(rule_id)
    await this.#delete(rule, 'revoked')
    return rule
  }

  async #delete(rule: SavedRule, change: 'revoked' | 'expired' | 'used_up') {
    this.#rules.delete(rule.rule_id)
    const published = this.#publish()
    await this.#journal.append([{ type: 'rules.changed', change, rule_id: rule.rule_id }], () => [
      ['forgetRule', rule.rule_id],
      ...this.#budgets.forget(rule.rule_id)
    ])
    await published
  }
}

/** Builds the rule to be stored; throws if it is invalid. */
function createRule(rule: SavedRuleInput, client: string): SavedRule {
  const expires_at = findEnd(rule)
  for (const field of ['uses', 'limit'] as const)
    if (rule[field] !== undefined && rule.effect !== 'allow')
      throw invalidFieldError(`/${field}`, 'is only for rules with the effect allow')
  for (const field of ['approvals', 'expires_after'] as const)
    if (rule[field] !== undefined && rule.effect !== 'ask')
      throw invalidFieldError(`/${field}`, 'is only for rules with the effect ask')
  const errors = validateMatch(rule.match)
  if (errors.length > 0)
    throw new ToolError('INVALID_PARAMS', `Invalid rule: ${errors[0]}`, {
      errors: errors.map(message => ({ pointer: '/match', message }))
    })
  return {
    rule_id: newId('rule'),
    effect: rule.effect,
    match: rule.match,
    scope: rule.scope,
    ...(rule.scope !== 'user' && rule.workspace !== undefined && { workspace: rule.workspace }),
    ...(rule.scope === 'session' && rule.session_id !== undefined && { session_id: rule.session_id }),
    ...(rule.scope === 'session' && rule.token_id !== undefined && { token_id: rule.token_id }),
    ...(rule.reason !== undefined && { reason: rule.reason }),
    ...(rule.approvals !== undefined && { approvals: rule.approvals }),
    ...(rule.expires_after !== undefined && { expires_after: rule.expires_after }),
    expires_at,
    ...(rule.uses !== undefined && { uses: rule.uses }),
    used: 0,
    ...(rule.limit !== undefined && { limit: rule.limit }),
    created_at: new Date().toISOString(),
    created_by: client
  }
}

/** Returns the end of a rule; null if it has none. Throws INVALID_PARAMS if it is in the past, or given twice. */
function findEnd({ expires_at = null, for: lifetime }: SavedRuleInput): string | null {
  if (lifetime !== undefined && expires_at !== null)
    throw invalidFieldError('/for', 'cannot be combined with expires_at')
  if (lifetime !== undefined) return new Date(steadyNow() + durationMs(lifetime)).toISOString()
  if (expires_at !== null && Date.parse(expires_at) <= steadyNow())
    throw new ToolError('INVALID_PARAMS', 'expires_at is in the past.', {
      errors: [{ pointer: '/expires_at', message: 'must be in the future' }]
    })
  return expires_at
}
