// Effective rules of a call: those for its agent, its session and its workspace, and the limits that apply to all.
import { createHash } from 'node:crypto'
import { findAgentEntry, findAgentEntryName, type TierRule } from '../../config/agents.ts'
import { formatRuleLimit } from '../../protocol/format-rule-limit.ts'
import type { RuleLimit } from '../../protocol/rules.ts'
import type { SessionMode } from '../../protocol/session-mode.ts'
import { steadyNow } from '../../steady-time.ts'
import { memoizeByObject } from '../../text/memoize-by-object.ts'
import type { ActiveCall } from '../active-call.ts'
import type { Engine } from '../engine.ts'
import type { Budget, EffectiveRules, RankedRule } from '../policy/policy-input.ts'
import { isAboutReading } from '../policy/rules.ts'
import { findBudgetSubject, type RuleBudgets } from './rule-budgets.ts'
import type { SavedRules } from './saved-rules.ts'
import type { SessionModes } from './session-modes.ts'

/** The rules and modes that are in force. */
export interface RulesInForce {
  settings: Pick<Engine['settings'], 'tiers' | 'agents' | 'approval' | 'read_only' | 'sensitive' | 'buffers'>
  rules: Pick<SavedRules, 'inForce'>
  modes: { find(session: Parameters<SessionModes['find']>[0]): { mode: SessionMode } | undefined }
  hub: Pick<Engine['hub'], 'rules'>
  budgets: Pick<RuleBudgets, 'spentUntil'>
}

/**
 * Returns the globs of the paths of a workspace that rules deny or ask about, or the reading of them, whatever else a call is: for which
 * agent, in which session, by which tool.
 */
export function listGuardedGlobs(
  { settings, rules, hub }: Pick<Engine, 'settings' | 'rules' | 'hub'>,
  root: string
): string[] {
  const { administrator, user, workspace } = settings.tiers
  const own = workspace.filter(rule => rule.workspace === undefined || rule.workspace === root)
  const configured = [...administrator, ...hub.rules.restricting, ...user, ...own]
  const saved = rules.list().filter(rule => rule.scope === 'user' || rule.workspace === root)
  const globs = [...configured, ...saved].flatMap(({ effect, match }) => {
    const { path, effect: _, ...others } = match
    const isForAllCalls = Object.keys(others).length === 0 && (match.effect === undefined || isAboutReading(match))
    return effect !== 'allow' && path !== undefined && isForAllCalls ? [path] : []
  })
  return [...new Set(globs)]
}

/** Returns the rules and limits that apply to a call now. */
export function getEffectiveRules(
  { settings, rules, modes, hub, budgets }: RulesInForce,
  live: ActiveCall
): EffectiveRules {
  const {
    call,
    owner,
    may_approve,
    workspace: { root, name }
  } = live
  const { administrator, user, workspace } = settings.tiers
  const asker = { agent: call.agent, may_approve }
  const entry = findAgentEntryName(settings.agents, asker)
  const isFor = ({ for_agent }: TierRule) => for_agent === undefined || for_agent === entry
  const agent = findAgentEntry(settings.agents, asker)
  const session = { session_id: call.session_id, workspace: name, token_id: owner }
  const mode = modes.find(session)?.mode ?? agent?.mode ?? settings.approval.mode
  const now = steadyNow()
  const limited = (tier: string, ranked: readonly RankedRule[]) => withBudgets(ranked, { tier, live, budgets, now })
  return {
    now,
    readOnly: settings.read_only || (agent?.read_only ? 'agent' : mode === 'plan' ? 'mode' : false),
    mode,
    sensitiveCallOnly: settings.sensitive.call_only,
    askForUnsaved: settings.buffers.on_write === 'ask',
    administrator: [...limited('administrator', administrator.filter(isFor)), ...hub.rules.restricting],
    user: [...limited('user', user.filter(isFor)), ...limited('hub', hub.rules.allowing)],
    saved: limited('saved', [...rules.inForce({ session_id: call.session_id, owner }, root), ...findUsedUp(live)]),
    workspace: limited(
      `workspace ${root}`,
      workspace.filter(rule => isFor(rule) && (rule.workspace === undefined || rule.workspace === root))
    )
  }
}

/** Returns the rules that this call has used up. */
const findUsedUp = ({ countedBy }: ActiveCall) =>
  [...countedBy.values()].filter(rule => rule !== undefined).filter(({ used, uses }) => used === uses)

interface BudgetScope {
  tier: string
  live: ActiveCall
  budgets: Pick<RuleBudgets, 'spentUntil'>
  now: number
}

/** Adds to each rule with a limit what it counts the call by, and the reason if the limit is reached. */
function withBudgets(rules: readonly RankedRule[], { tier, live, budgets, now }: BudgetScope): readonly RankedRule[] {
  if (rules.every(rule => rule.limit === undefined)) return rules
  const { call, owner } = live
  return rules.map(rule => {
    const { limit } = rule
    if (limit === undefined) return rule
    const key = rule.rule_id ?? `${tier} ${fingerprint(rule)}`
    const budget: Budget = { rule: key, limit, subject: findBudgetSubject(limit, { ...call, owner }) }
    const until = live.countedBy.has(key) ? undefined : budgets.spentUntil(budget, now)
    return { ...rule, budget, ...(until !== undefined && { exhausted: formatLimitReached(limit, until) }) }
  })
}

/** Identifies a configured rule, also after the configuration was loaded again. */
const fingerprint = memoizeByObject(({ match, limit, for_agent }: RankedRule & { for_agent?: string }) =>
  createHash('sha256')
    .update(JSON.stringify([match, limit, for_agent]))
    .digest('base64url')
)

const formatLimitReached = (limit: RuleLimit, until: number) =>
  `A rule allows ${formatRuleLimit(limit)}. This limit is reached until ${new Date(until).toISOString()}.`
