// Who may do what: a pure function from the facts of a call and the rules in force to a verdict with its reasons. It
// runs nothing, reads nothing, and never looks at a tool's name. The first tier that has something to say decides; within
// a tier deny beats ask beats allow; what cannot be decided is asked.
import type { ConfiguredRule } from '../../config/schema.ts'
import type { MatchedRule } from '../call.ts'
import { byEffect } from './default-decision.ts'
import { refusalOf } from './hard-denials.ts'
import { floorAbove } from './minimum-levels.ts'
import type { Question, Rulebook, Verdict } from './policy-input.ts'
import { expired, partsCovered, ruleHolds } from './rules.ts'

export const judge = (question: Question, rulebook: Rulebook): Verdict => judgeByTier(question, rulebook).verdict

/** What one tier of the precedence has to say of a call; nothing where `decision` is null. */
export interface Said {
  tier: MatchedRule['tier']
  decision: Verdict['decision'] | null
  reason?: string
  rules: MatchedRule[]
}

/** The verdict, with what each tier says, in the order in which they count. */
export function judgeByTier(question: Question, rulebook: Rulebook): { verdict: Verdict; tiers: Said[] } {
  const said = TIERS.map(tier => sayingOf(tier, question, rulebook))
  const effect = byEffect(question)
  const tiers = [...said.map(({ tier, verdict }) => telling(tier, verdict)), telling('tool', effect)]
  const refused = refusalOf(question, rulebook)
  if (refused) {
    const rule: MatchedRule = { tier: refused.tier, effect: 'deny', reason: refused.reason }
    const verdict = deny(refused.reason, rule, refused.code)
    return { verdict, tiers: [telling('built-in', verdict), ...tiers] }
  }
  const ruled = unlessOnlyByRule(withDoubts(said, effect), question)
  const floor = ruled.decision === 'deny' ? undefined : floorAbove(ruled, question, rulebook)
  const builtIn: Said = floor
    ? { tier: 'built-in', decision: floor.decision, reason: floor.rule.reason, rules: [floor.rule] }
    : telling('built-in', undefined)
  return { verdict: floor ? raise(ruled, floor.decision, floor.rule) : ruled, tiers: [builtIn, ...tiers] }
}

type RuleTier = 'administrator' | 'user' | 'workspace'
const TIERS: RuleTier[] = ['administrator', 'user', 'workspace']
type AnyRule = Pick<ConfiguredRule, 'effect' | 'match' | 'reason' | 'expires_at'> & { rule_id?: string }

interface Saying {
  tier: RuleTier
  verdict: Verdict | undefined
  /** A rule of which nobody can say whether it holds. */
  doubt: MatchedRule | undefined
}

function sayingOf(tier: RuleTier, question: Question, rulebook: Rulebook): Saying {
  const all: readonly AnyRule[] = tier === 'user' ? [...rulebook.user, ...rulebook.remembered] : rulebook[tier]
  const rules = all.filter(rule => !expired(rule, rulebook.now))
  const doubtful = rules.find(rule => ruleHolds(rule, question) === 'unclear')
  return {
    tier,
    verdict: decideTier(tier, rules, question),
    doubt: doubtful && { ...matched(doubtful, tier), effect: 'ask' }
  }
}

function decideTier(tier: RuleTier, rules: readonly AnyRule[], question: Question): Verdict | undefined {
  const first = (effect: AnyRule['effect']) =>
    rules.find(candidate => candidate.effect === effect && ruleHolds(candidate, question) === true)
  const denying = first('deny')
  if (denying) return deny(wordsOf(denying, tier), matched(denying, tier))
  const asking = first('ask')
  if (asking) return askedBy(asking, tier, question)
  const allowing = first('allow')
  const together = allowing ? [allowing] : coveringTogether(rules, question)
  return together && allowedBy(together, tier)
}

/** Allowing rules that cover a line together: each of its commands that does not merely read is covered by one. */
function coveringTogether(rules: readonly AnyRule[], question: Question): AnyRule[] | undefined {
  const needed = question.command?.parts.filter(part => part.class !== 'auto') ?? []
  const found = needed.map(part => rules.find(rule => partsCovered(rule, question).includes(part)))
  return needed.length > 0 && found.every(rule => rule !== undefined) ? [...new Set(found)] : undefined
}

/** The first tier that says anything decides, unless a rule above may do so: then the call is asked about at least. */
function withDoubts(said: readonly Saying[], effect: Verdict): Verdict {
  const deciding = said.findIndex(({ verdict }) => verdict !== undefined)
  const verdict = said[deciding]?.verdict ?? effect
  const heard = deciding === -1 ? said : said.slice(0, deciding + 1)
  const doubt = heard.find(each => each.doubt)?.doubt
  if (!doubt || verdict.decision === 'deny') return verdict
  if (verdict.decision === 'allow') return raise(verdict, 'ask', doubt)
  // No rule to remember could answer for what this one may cover, so none is offered.
  return { ...verdict, matched_rules: [doubt, ...verdict.matched_rules], always_options: [] }
}

/** What only a rule lets happen is refused where none does. */
function unlessOnlyByRule(verdict: Verdict, { only_by_rule }: Question): Verdict {
  const isByRule = verdict.decision === 'allow' && verdict.source !== 'auto'
  if (only_by_rule === undefined || verdict.decision === 'deny' || isByRule) return verdict
  return deny(only_by_rule, { tier: 'tool', effect: 'deny', reason: only_by_rule }, 'PERMISSION_DENIED')
}

const askedBy = (rule: AnyRule, tier: RuleTier, { effect }: Question): Verdict => ({
  decision: effect === 'destructive' ? 'strict' : 'ask',
  reason: wordsOf(rule, tier),
  matched_rules: [matched(rule, tier)],
  always_options: [],
  source: 'user'
})

function allowedBy(rules: readonly AnyRule[], tier: RuleTier): Verdict {
  const rule_id = rules.find(rule => rule.rule_id !== undefined)?.rule_id
  return {
    decision: 'allow',
    reason: rules.map(rule => wordsOf(rule, tier)).join('; '),
    matched_rules: rules.map(rule => matched(rule, tier)),
    always_options: [],
    source: rule_id === undefined ? 'config' : 'rule',
    ...(rule_id !== undefined && { rule_id })
  }
}

const telling = (tier: MatchedRule['tier'], verdict: Verdict | undefined): Said =>
  verdict
    ? { tier, decision: verdict.decision, reason: verdict.reason, rules: verdict.matched_rules }
    : { tier, decision: null, rules: [] }

const raise = (verdict: Verdict, decision: 'ask' | 'strict', rule: MatchedRule): Verdict => ({
  decision,
  reason: rule.reason,
  matched_rules: [rule, ...verdict.matched_rules],
  always_options: [],
  source: 'user'
})

const deny = (reason: string, rule: MatchedRule, code?: Verdict['code']): Verdict => ({
  decision: 'deny',
  ...(code && { code }),
  reason,
  matched_rules: [rule],
  always_options: [],
  source: 'config'
})

const matched = (rule: AnyRule, tier: RuleTier): MatchedRule => ({
  tier,
  effect: rule.effect,
  reason: wordsOf(rule, tier),
  ...(rule.rule_id !== undefined && { rule_id: rule.rule_id })
})

const wordsOf = (rule: AnyRule, tier: RuleTier) =>
  rule.reason ??
  `${tier} rule: ${rule.effect} ${Object.entries(rule.match)
    .map(([field, value]) => `${field} ${value}`)
    .join(', ')}`
