// Minimum levels, which rules cannot lower. Secrets, files that trigger execution and strict commands need strict approval,
// unless a rule names exactly them; some calls always need approval.

import type { MatchedRule } from '../../protocol/decisions.ts'
import type { ConfiguredRule } from '../../protocol/rules.ts'
import { isUnsafeVariable } from '../../shell/commands/unsafe-variables.ts'
import { isConfined } from './confined-commands.ts'
import { formatGivenPath, selfStartingReason } from './guarded-files.ts'
import type { EffectiveRules, PathFacts, PolicyInput, PolicyVerdict, ResolvedIsolation } from './policy-input.ts'
import { isExpired, ruleMatches } from './rules.ts'

interface MinimumLevel {
  decision: 'ask' | 'strict'
  rule: MatchedRule
}

type MinimumLevelCheck = (
  question: PolicyInput,
  verdict: PolicyVerdict,
  rulebook: EffectiveRules
) => MinimumLevel | undefined

/**
 * Returns the first minimum above the verdict so far. An `ask` minimum is returned for an `ask` verdict too, so that no
 * ineffective rule is suggested.
 */
export function findHigherMinimum(
  verdict: PolicyVerdict,
  question: PolicyInput,
  rulebook: EffectiveRules
): MinimumLevel | undefined {
  for (const find of MINIMUM_LEVELS) {
    const floor = find(question, verdict, rulebook)
    if (floor && (RANK[floor.decision] > RANK[verdict.decision] || bothAsk(floor, verdict))) return floor
  }
  return undefined
}

const bothAsk = (floor: MinimumLevel, verdict: PolicyVerdict) => floor.decision === 'ask' && verdict.decision === 'ask'

const RANK: Record<PolicyVerdict['decision'], number> = { allow: 0, ask: 1, strict: 2, deny: 3 }

/** The strictest first. */
const MINIMUM_LEVELS: MinimumLevelCheck[] = [
  (question, verdict, rulebook) => {
    const secret = question.paths.find(used => used.sensitive && used.access === 'read')
    if (!secret || isPathNamedByRule(verdict, question, rulebook)) return undefined
    return strictLevel(`${formatGivenPath(secret)} may contain credentials.`)
  },
  (question, verdict, rulebook) => {
    const starter = question.paths.find(used => used.access === 'write' && used.self_starting)
    if (!starter || isPathNamedByRule(verdict, question, rulebook)) return undefined
    return strictLevel(selfStartingReason(formatGivenPath(starter)))
  },
  (question, verdict, rulebook) => {
    const { command, isolation } = question
    const { administrator, user, saved } = rulebook
    if (command?.class !== 'strict') return undefined
    if (isLineNamed([...administrator, ...user], verdict, question, rulebook)) return undefined
    if (command.contained && isolation && runsConfined(isolation, verdict)) return undefined
    // The mode of the session has decided about each part.
    if (verdict.mode !== undefined) return undefined
    if (!isConfined(question)) return strictLevel(command.reason)
    const mayStand = verdict.decision === 'ask' || isLineNamed(saved, verdict, question, rulebook)
    return mayStand ? undefined : askLevel(command.reason, 'built-in')
  },
  ({ envNames }) => {
    const steering = envNames?.find(isUnsafeVariable)
    return steering === undefined
      ? undefined
      : strictLevel(`Sets the variable ${steering}, which can make programs run or use something else.`)
  },
  ({ isolation }) =>
    isolation?.isFallback && isolation.unsandboxedReason !== undefined
      ? strictLevel(isolation.unsandboxedReason)
      : undefined,
  question => (question.strictReason === undefined ? undefined : strictLevel(question.strictReason, 'tool')),
  ({ unshownSource }, { decision }) =>
    unshownSource === undefined || decision !== 'ask' ? undefined : strictLevel(unshownSource, 'server'),
  ({ isolation, ownedBySession }, verdict) =>
    isolation?.unsandboxedReason === undefined || ownedBySession || runsConfined(isolation, verdict)
      ? undefined
      : askLevel(isolation.unsandboxedReason, 'server'),
  ({ isolation }, verdict) =>
    isolation?.readableSecrets === undefined || runsConfined(isolation, verdict)
      ? undefined
      : askLevel(readableSecretsReason(isolation), 'server'),
  ({ runningSource }) => (runningSource === undefined ? undefined : askLevel(runningSource, 'server')),
  ({ always_ask }) => (always_ask === undefined ? undefined : askLevel(always_ask, 'tool')),
  ({ paths }, _, { askForUnsaved }) => {
    const held = askForUnsaved ? paths.flatMap(unsavedAndWritten)[0] : undefined
    return held && askLevel(`${held.path} has unsaved changes in ${held.client}.`, 'server')
  }
]

/** A command that needs no approval, by itself and not by a rule, runs at the level for such commands. */
const runsConfined = ({ autoRunLevel }: ResolvedIsolation, { decision, source }: PolicyVerdict) =>
  autoRunLevel !== undefined && decision === 'allow' && source === 'auto'

const readableSecretsReason = ({ level, readableSecrets: [first, ...others] = [] }: ResolvedIsolation) =>
  `The sandbox ${level} cannot hide ${first}${others.length > 0 ? ` and ${others.length} more` : ''} from a command here.`

const strictLevel = (reason: string, tier: MatchedRule['tier'] = 'built-in'): MinimumLevel => ({
  decision: 'strict',
  rule: { tier, effect: 'strict', reason }
})

const askLevel = (reason: string, tier: MatchedRule['tier']): MinimumLevel => ({
  decision: 'ask',
  rule: { tier, effect: 'ask', reason }
})

const unsavedAndWritten = ({ access, unsaved }: PathFacts) => (access === 'write' && unsaved) || []

const isPathNamedByRule = (verdict: PolicyVerdict, question: PolicyInput, rulebook: EffectiveRules) =>
  isAllowedByRule(verdict) &&
  filterAllowing([...rulebook.administrator, ...rulebook.user, ...rulebook.saved], question, rulebook).some(
    ({ match }) => match.path !== undefined
  )

/** Returns true if one of the rules allows the command by its whole line. */
const isLineNamed = (
  rules: readonly RuleCandidate[],
  verdict: PolicyVerdict,
  question: PolicyInput,
  rulebook: EffectiveRules
) =>
  isAllowedByRule(verdict) &&
  filterAllowing(rules, question, rulebook).some(
    ({ match }) => match.mode !== 'prefix' && match.command === question.command?.text
  )

const isAllowedByRule = ({ decision, source }: PolicyVerdict) =>
  decision === 'allow' && source !== 'auto' && source !== 'mode'

type RuleCandidate = Pick<ConfiguredRule, 'effect' | 'match' | 'expires_at'>

const filterAllowing = (rules: readonly RuleCandidate[], question: PolicyInput, { now }: EffectiveRules) =>
  rules.filter(rule => rule.effect === 'allow' && !isExpired(rule, now) && ruleMatches(rule, question) === true)
