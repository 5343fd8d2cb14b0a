// Policy evaluation: a pure function from the facts of a call and the rules in force to a verdict with its reasons. It never
// looks at a tool's name. The first tier with a decision wins; within a tier deny beats ask beats allow; undecidable calls are
// asked about.
import type { MatchedRule } from '../../protocol/decisions.ts'
import { durationMs } from '../../protocol/duration.ts'
import { decideByDefault } from './default-decision.ts'
import { findHardDenial } from './hard-denials.ts'
import { findHigherMinimum } from './minimum-levels.ts'
import type { CommandPartFacts, EffectiveRules, PolicyInput, PolicyVerdict, RankedRule } from './policy-input.ts'
import { findCoveredParts, findGuardedPaths, isExpired, ruleMatches } from './rules.ts'

export const evaluatePolicy = (question: PolicyInput, rulebook: EffectiveRules): PolicyVerdict =>
  evaluateTiers(question, rulebook).verdict

/** Returns the globs of paths that rules deny or ask about: a command that runs unasked must not reach them by itself either. */
export const findGuardedGlobs = (question: PolicyInput, rulebook: EffectiveRules): string[] =>
  RULE_TIERS.flatMap(tier => rulesOf(tier, rulebook)).flatMap(rule => findGuardedPaths(rule, question) ?? [])

/** The verdict of one tier for a call; none if `decision` is null. */
export interface TierVerdict {
  tier: MatchedRule['tier']
  decision: PolicyVerdict['decision'] | null
  reason?: string
  rules: MatchedRule[]
}

/** Returns the verdict, with the result of each tier in order of precedence. */
export function evaluateTiers(
  question: PolicyInput,
  rulebook: EffectiveRules
): { verdict: PolicyVerdict; tiers: TierVerdict[] } {
  const evaluations = RULE_TIERS.map(tier => evaluateTier(tier, question, rulebook))
  const effect = decideByDefault(question, rulebook.mode)
  const tiers = [...evaluations.map(({ tier, verdict }) => toTierVerdict(tier, verdict)), toTierVerdict('tool', effect)]
  const refused = findHardDenial(question, rulebook)
  if (refused) {
    const rule: MatchedRule = { tier: refused.tier, effect: 'deny', reason: refused.reason }
    const verdict = toDenyVerdict(refused.reason, rule, refused.code)
    return { verdict, tiers: [toTierVerdict('built-in', verdict), ...tiers] }
  }
  const ruled = applyRuleRequirement(applyUncertainRules(evaluations, effect), question)
  const floor = ruled.decision === 'deny' ? undefined : findHigherMinimum(ruled, question, rulebook)
  if (floor && ruled.decision === 'allow' && runsConfined(effect, question, rulebook))
    return { verdict: effect, tiers: [toTierVerdict('built-in', undefined), ...tiers] }
  const builtIn: TierVerdict = floor
    ? { tier: 'built-in', decision: floor.decision, reason: floor.rule.reason, rules: [floor.rule] }
    : toTierVerdict('built-in', undefined)
  const raised = floor ? raiseVerdict(ruled, floor.decision, floor.rule) : ruled
  return { verdict: addDemands(raised, evaluations), tiers: [builtIn, ...tiers] }
}

/**
 * Adds what rules demand of the decision about an asked call: that the hub has to approve it, if a rule of the deciding tier or of a higher
 * one says so, and the largest number of approvals and the shortest wait of all tiers, since these only make a decision stricter.
 */
function addDemands(verdict: PolicyVerdict, evaluations: readonly TierEvaluation[]): PolicyVerdict {
  if (verdict.decision !== 'ask' && verdict.decision !== 'strict') return verdict
  const demandsHub = heardTiers(evaluations).some(tier => tier.demandsHub)
  const approvals = Math.max(...evaluations.map(tier => tier.countApprovals()))
  const expiresAfterMs = Math.min(...evaluations.map(tier => tier.findLongestWait()))
  return {
    ...verdict,
    ...(demandsHub && { approver: 'hub' as const }),
    // A rule that allows such calls would end the need for several approvals.
    ...(approvals > 1 && { approvals, always_options: [] }),
    ...(Number.isFinite(expiresAfterMs) && { expiresAfterMs })
  }
}

/** Returns true if it runs in the sandbox without a rule, so that a rule which may not allow it does not prevent that. */
const runsConfined = (effect: PolicyVerdict, question: PolicyInput, rulebook: EffectiveRules) =>
  question.command?.contained !== undefined &&
  effect.decision === 'allow' &&
  findHigherMinimum(effect, question, rulebook) === undefined

type RuleTier = 'administrator' | 'user' | 'workspace'
const RULE_TIERS: RuleTier[] = ['administrator', 'user', 'workspace']

function rulesOf(tier: RuleTier, rulebook: EffectiveRules): readonly RankedRule[] {
  const all: readonly RankedRule[] = tier === 'user' ? [...rulebook.user, ...rulebook.saved] : rulebook[tier]
  return all.filter(rule => !isExpired(rule, rulebook.now))
}

interface TierEvaluation {
  tier: RuleTier
  verdict: PolicyVerdict | undefined
  /** A rule that may or may not match. */
  uncertainRule: MatchedRule | undefined
  /** A rule that matches, or may match, demands that the hub approves the call. */
  demandsHub: boolean
  /** Returns the largest number of approvals that a rule demands which matches, or may match. Only asked calls need it. */
  countApprovals(): number
  /** Returns the longest wait for a decision, in milliseconds, that the rules permit which match, or may match. */
  findLongestWait(): number
}

function evaluateTier(tier: RuleTier, question: PolicyInput, rulebook: EffectiveRules): TierEvaluation {
  const rules = rulesOf(tier, rulebook)
  const doubtful = rules.find(rule => ruleMatches(rule, question) === 'unclear')
  return {
    tier,
    verdict: decideTier(tier, rules, question),
    uncertainRule: doubtful && { ...toMatchedRule(doubtful, tier), effect: 'ask' },
    demandsHub: rules.some(rule => rule.approver !== undefined && ruleMatches(rule, question) !== false),
    countApprovals: () => Math.max(1, ...valuesOf(rules, question, ({ approvals }) => approvals)),
    findLongestWait: () =>
      Math.min(
        Number.POSITIVE_INFINITY,
        ...valuesOf(rules, question, ({ expires_after }) => expires_after).map(durationMs)
      )
  }
}

/** Returns the values of a field in the ask rules that match, or may match. */
const valuesOf = <V>(
  rules: readonly RankedRule[],
  question: PolicyInput,
  read: (rule: RankedRule) => V | undefined
): V[] =>
  rules.flatMap(rule => {
    const value = rule.effect === 'ask' ? read(rule) : undefined
    return value !== undefined && ruleMatches(rule, question) ? [value] : []
  })

function decideTier(tier: RuleTier, rules: readonly RankedRule[], question: PolicyInput): PolicyVerdict | undefined {
  const first = (effect: RankedRule['effect']) =>
    rules.find(candidate => candidate.effect === effect && ruleMatches(candidate, question) === true)
  const denying = first('deny')
  if (denying) return toDenyVerdict(formatRuleReason(denying, tier), toMatchedRule(denying, tier))
  const asking = first('ask')
  if (asking) return toAskVerdict(asking, tier, question)
  const allowing = first('allow')
  const covering = allowing ? [allowing] : findJointCover(rules, question)
  const together = covering && [...new Set([...covering, ...findLimits(rules, question)])]
  const exhausted = together?.find(rule => rule.exhausted !== undefined)
  if (exhausted) return toAskVerdict({ ...exhausted, effect: 'ask', reason: exhausted.exhausted! }, tier, question)
  return together && toAllowVerdict(together, tier)
}

/** Returns the rules with a limit that allow the call, or a command of its line: it counts for each, and none may be exceeded. */
const findLimits = (rules: readonly RankedRule[], question: PolicyInput) =>
  rules.filter(
    rule =>
      rule.limit !== undefined &&
      ((rule.effect === 'allow' && ruleMatches(rule, question) === true) ||
        findCoveredParts(rule, question).some(needsPermission))
  )

const needsPermission = (part: CommandPartFacts) => part.class !== 'auto'

/** Returns allow rules that cover a line jointly: each command that is not read-only is covered by one. */
function findJointCover(rules: readonly RankedRule[], question: PolicyInput): RankedRule[] | undefined {
  const needed = question.command?.parts.filter(needsPermission) ?? []
  const found = needed.map(part => rules.find(rule => findCoveredParts(rule, question).includes(part)))
  return needed.length > 0 && found.every(rule => rule !== undefined) ? [...new Set(found)] : undefined
}

/** Takes the decision of the first tier that has one; an uncertain match in a higher tier raises it to at least ask. */
function applyUncertainRules(evaluations: readonly TierEvaluation[], effect: PolicyVerdict): PolicyVerdict {
  const verdict = findDecidingTier(evaluations)?.verdict ?? effect
  const doubt = heardTiers(evaluations).find(each => each.uncertainRule)?.uncertainRule
  if (!doubt || verdict.decision === 'deny') return verdict
  if (verdict.decision === 'allow') return raiseVerdict(verdict, 'ask', doubt)
  // No saved rule could override the uncertain one, so none is offered.
  return { ...verdict, matched_rules: [doubt, ...verdict.matched_rules], always_options: [] }
}

/** Returns the tiers up to the first one with a decision. */
function heardTiers(evaluations: readonly TierEvaluation[]): readonly TierEvaluation[] {
  const deciding = findDecidingTier(evaluations)
  return deciding ? evaluations.slice(0, evaluations.indexOf(deciding) + 1) : evaluations
}

/** Returns the first tier with a decision. One person saves a rule: it does not allow a call for which a lower tier demands several. */
function findDecidingTier(evaluations: readonly TierEvaluation[]): TierEvaluation | undefined {
  const first = evaluations.find(({ verdict }) => verdict !== undefined)
  if (first?.verdict?.decision !== 'allow' || first.verdict.source !== 'rule') return first
  return evaluations.find(tier => tier.verdict?.decision !== 'allow' && tier.countApprovals() > 1) ?? first
}

/** Denies a call that requires a rule if none allows it. */
function applyRuleRequirement(verdict: PolicyVerdict, { ruleRequiredReason }: PolicyInput): PolicyVerdict {
  const isByRule = verdict.decision === 'allow' && verdict.source !== 'auto' && verdict.source !== 'mode'
  if (ruleRequiredReason === undefined || verdict.decision === 'deny' || isByRule) return verdict
  return toDenyVerdict(
    ruleRequiredReason,
    { tier: 'tool', effect: 'deny', reason: ruleRequiredReason },
    'PERMISSION_DENIED'
  )
}

const toAskVerdict = (rule: RankedRule, tier: RuleTier, { effect }: PolicyInput): PolicyVerdict => ({
  decision: effect === 'destructive' ? 'strict' : 'ask',
  reason: formatRuleReason(rule, tier),
  matched_rules: [toMatchedRule(rule, tier)],
  always_options: [],
  source: 'user'
})

function toAllowVerdict(rules: readonly RankedRule[], tier: RuleTier): PolicyVerdict {
  const rule_id = rules.find(rule => rule.rule_id !== undefined)?.rule_id
  return {
    decision: 'allow',
    reason: rules.map(rule => formatRuleReason(rule, tier)).join('; '),
    matched_rules: rules.map(rule => toMatchedRule(rule, tier)),
    always_options: [],
    source: rule_id === undefined ? 'config' : 'rule',
    ...(rule_id !== undefined && { rule_id }),
    allowedBy: rules
  }
}

const toTierVerdict = (tier: MatchedRule['tier'], verdict: PolicyVerdict | undefined): TierVerdict =>
  verdict
    ? { tier, decision: verdict.decision, reason: verdict.reason, rules: verdict.matched_rules }
    : { tier, decision: null, rules: [] }

const raiseVerdict = (verdict: PolicyVerdict, decision: 'ask' | 'strict', rule: MatchedRule): PolicyVerdict => ({
  decision,
  reason: rule.reason,
  matched_rules: [rule, ...verdict.matched_rules],
  always_options: [],
  source: 'user'
})

const toDenyVerdict = (reason: string, rule: MatchedRule, code?: PolicyVerdict['code']): PolicyVerdict => ({
  decision: 'deny',
  ...(code && { code }),
  reason,
  matched_rules: [rule],
  always_options: [],
  source: 'config'
})

const toMatchedRule = (rule: RankedRule, tier: RuleTier): MatchedRule => ({
  tier,
  effect: rule.effect,
  reason: formatRuleReason(rule, tier),
  ...(rule.source && { source: rule.source }),
  ...(rule.rule_id !== undefined && { rule_id: rule.rule_id })
})

const formatRuleReason = (rule: RankedRule, tier: RuleTier) =>
  rule.reason ??
  `${rule.source ?? tier} rule: ${rule.effect} ${Object.entries(rule.match)
    .map(([field, value]) => `${field} ${value}`)
    .join(', ')}`
