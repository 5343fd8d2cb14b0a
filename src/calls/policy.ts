// Who may do what: a pure function from the facts of a call and the rules in force to a verdict with its reasons. It
// runs nothing, reads nothing, and never looks at a tool's name. The first tier that has something to say decides; within
// a tier deny beats ask beats allow; what cannot be decided is asked.
import type { ConfiguredRule } from '../config.ts'
import type { ErrorCode } from '../errors.ts'
import type { Effect } from '../tool.ts'
import type { AlwaysOption, ApprovedBy, MatchedRule, RememberedRule } from './call.ts'
import { misleads, refusal } from './command.ts'
import { alwaysOptions, type Facts, ruleHolds } from './rules.ts'

/** A file that an editor holds with unsaved changes. */
export interface HeldFile {
  path: string
  client: string
  client_id: string
  /** Of the editor's text. */
  hash: string
}

/** A path as the descriptor walk found it. */
export interface JudgedPath {
  path: string
  /** As the caller wrote it, where that is not the same. */
  given?: string
  access: 'read' | 'write' | 'list'
  protected?: 'write' | 'all'
  sensitive: boolean
  /** Some program runs or obeys the file later by itself. */
  self_starting: boolean
  /** The use covers everything beneath the path too. */
  tree?: boolean
  /** What editors hold of it, or of what is covered beneath it. */
  unsaved?: readonly HeldFile[]
}

export interface Question extends Facts {
  paths: readonly JudgedPath[]
  /** The caller holds the right to approve, so it is not a mere agent. */
  may_approve: boolean
  /** Why no rule may wave this call through, such as an edit that matched only roughly. */
  always_ask?: string | undefined
}

export interface Rulebook {
  /** Milliseconds since 1970, for rules that expire. */
  now: number
  read_only: boolean
  /** What a call-only token gets when it reads a sensitive file. */
  sensitive_call_only: 'deny' | 'ask'
  /** What an editor holds unsaved is written only after asking. */
  ask_for_unsaved: boolean
  administrator: readonly ConfiguredRule[]
  user: readonly ConfiguredRule[]
  /** Those in force for the call's session and workspace. */
  remembered: readonly RememberedRule[]
  workspace: readonly ConfiguredRule[]
}

export interface Verdict {
  decision: 'allow' | 'ask' | 'strict' | 'deny'
  /** With deny by the server itself: the code of the failed call. A deny by rule has none and rejects the call. */
  code?: ErrorCode
  reason: string
  matched_rules: MatchedRule[]
  always_options: AlwaysOption[]
  /** With allow: who let it through. */
  source: ApprovedBy['source']
  rule_id?: string
}

export function judge(question: Question, rulebook: Rulebook): Verdict {
  const refused = REFUSALS.map(refuse => refuse(question, rulebook)).find(found => found !== undefined)
  if (refused) return deny(refused.reason, { tier: refused.tier, effect: 'deny', reason: refused.reason }, refused.code)
  const verdict = byRules(question, rulebook)
  return verdict.decision === 'deny' ? verdict : withFloors(verdict, question, rulebook)
}

interface Refused {
  tier: MatchedRule['tier']
  code: ErrorCode
  reason: string
}

/** Tier 1: nothing lifts these but a flag at start. */
const REFUSALS: ((question: Question, rulebook: Rulebook) => Refused | undefined)[] = [
  ({ paths }) => {
    const hit = paths.find(used => used.protected === 'all' || (used.protected === 'write' && used.access === 'write'))
    return hit && { tier: 'built-in', code: 'SENSITIVE_PATH', reason: `${nameOf(hit)} is protected` }
  },
  ({ command }) => {
    const why = command === undefined ? undefined : refusal(command)
    return why === undefined
      ? undefined
      : { tier: 'built-in', code: 'COMMAND_BLOCKED', reason: `The command is never run: ${why}.` }
  },
  ({ effect }, { read_only }) =>
    read_only && effect !== 'read'
      ? { tier: 'server', code: 'PERMISSION_DENIED', reason: 'The server was started read-only.' }
      : undefined,
  ({ paths, may_approve }, { sensitive_call_only }) => {
    const secret = paths.find(used => used.sensitive && used.access === 'read')
    return secret && !may_approve && sensitive_call_only === 'deny'
      ? {
          tier: 'built-in',
          code: 'SENSITIVE_PATH',
          reason: `${nameOf(secret)} may hold credentials, which a call-only token may not read.`
        }
      : undefined
  }
]

type RuleTier = 'administrator' | 'user' | 'workspace'
const TIERS: RuleTier[] = ['administrator', 'user', 'workspace']
type AnyRule = Pick<ConfiguredRule, 'effect' | 'match' | 'reason' | 'expires_at'> & { rule_id?: string }

function byRules(question: Question, rulebook: Rulebook): Verdict {
  let unclear: MatchedRule | undefined
  let verdict: Verdict | undefined
  for (const tier of TIERS) {
    const rules: readonly AnyRule[] = tier === 'user' ? [...rulebook.user, ...rulebook.remembered] : rulebook[tier]
    const inForce = rules.filter(rule => !expired(rule, rulebook.now))
    const doubtful = inForce.find(rule => ruleHolds(rule, question) === 'unclear')
    if (doubtful) unclear ??= { ...matched(doubtful, tier), effect: 'ask' }
    verdict = decideTier(tier, inForce, question)
    if (verdict) break
  }
  verdict ??= byEffect(question)
  if (!unclear || verdict.decision === 'deny') return verdict
  if (verdict.decision === 'allow') return raise(verdict, 'ask', unclear)
  // No rule to remember could answer for what this one may cover, so none is offered.
  return { ...verdict, matched_rules: [unclear, ...verdict.matched_rules], always_options: [] }
}

function decideTier(tier: RuleTier, rules: readonly AnyRule[], question: Question): Verdict | undefined {
  for (const effect of ['deny', 'ask', 'allow'] as const) {
    const rule = rules.find(candidate => candidate.effect === effect && ruleHolds(candidate, question) === true)
    if (rule) return VERDICTS[effect](rule, tier, question)
  }
  return undefined
}

const VERDICTS = {
  deny: (rule: AnyRule, tier: RuleTier) => deny(wordsOf(rule, tier), matched(rule, tier)),
  ask: (rule: AnyRule, tier: RuleTier, question: Question): Verdict => ({
    decision: question.effect === 'destructive' ? 'strict' : 'ask',
    reason: wordsOf(rule, tier),
    matched_rules: [matched(rule, tier)],
    always_options: [],
    source: 'user'
  }),
  allow: (rule: AnyRule, tier: RuleTier): Verdict => ({
    decision: 'allow',
    reason: wordsOf(rule, tier),
    matched_rules: [matched(rule, tier)],
    always_options: [],
    source: rule.rule_id === undefined ? 'config' : 'rule',
    ...(rule.rule_id !== undefined && { rule_id: rule.rule_id })
  })
}

/** Tier 5: what the tool would do, by itself. */
const BY_EFFECT: Record<Effect, { decision: 'allow' | 'ask' | 'strict'; reason: string }> = {
  read: { decision: 'allow', reason: 'It only reads.' },
  create: { decision: 'allow', reason: 'It overwrites nothing.' },
  write: { decision: 'ask', reason: 'It changes files.' },
  execute: { decision: 'ask', reason: 'It runs a command.' },
  network: { decision: 'ask', reason: 'It reaches the network.' },
  destructive: { decision: 'strict', reason: 'It destroys something, so it needs the shown preview confirmed.' }
}

function byEffect(question: Question): Verdict {
  const { decision, reason } = BY_EFFECT[question.effect]
  return {
    decision,
    reason,
    matched_rules: [{ tier: 'tool', effect: question.effect, reason }],
    always_options: decision === 'ask' ? alwaysOptions(question) : [],
    source: decision === 'allow' ? 'auto' : 'user'
  }
}

/** What no rule goes below unless it names the path: secrets and files that start something are asked for strictly. And
 * what no rule goes below at all: rough matches and misleading texts are shown, and so are writes beneath an editor. */
function withFloors(verdict: Verdict, question: Question, rulebook: Rulebook): Verdict {
  const secret = question.paths.find(used => used.sensitive && used.access === 'read')
  if (secret && !(verdict.decision === 'allow' && namesPath(verdict, question, rulebook))) {
    const reason = `${nameOf(secret)} may hold credentials.`
    return raise(verdict, 'strict', { tier: 'built-in', effect: 'strict', reason })
  }
  const starter = question.paths.find(used => used.self_starting && used.access === 'write')
  if (starter && !(verdict.decision === 'allow' && namesPath(verdict, question, rulebook))) {
    const reason = `${nameOf(starter)} is run or obeyed by some program later, so writing it is running code.`
    return raise(verdict, 'strict', { tier: 'built-in', effect: 'strict', reason })
  }
  const why = question.always_ask ?? (question.command !== undefined && misleads(question.command) ? HIDDEN : undefined)
  if (verdict.decision === 'strict') return verdict
  if (why !== undefined) return raise(verdict, 'ask', { tier: 'tool', effect: 'ask', reason: why })
  const held = rulebook.ask_for_unsaved ? question.paths.flatMap(heldAndWritten)[0] : undefined
  if (!held) return verdict
  const reason = `${held.path} has unsaved changes in ${held.client}.`
  return raise(verdict, 'ask', { tier: 'server', effect: 'ask', reason })
}

/** Whoever wrote the path must know it again, and see where it leads. */
const nameOf = ({ path, given }: JudgedPath) => (given === undefined ? path : `${JSON.stringify(given)} (${path})`)

const heldAndWritten = ({ access, unsaved }: JudgedPath) => (access === 'write' && unsaved) || []

const HIDDEN = 'The text holds characters that do not show, so it may not run as it reads.'

const raise = (verdict: Verdict, decision: 'ask' | 'strict', rule: MatchedRule): Verdict => ({
  decision,
  reason: rule.reason,
  matched_rules: [rule, ...verdict.matched_rules],
  always_options: [],
  source: 'user'
})

const namesPath = (verdict: Verdict, question: Question, rulebook: Rulebook) =>
  verdict.source !== 'auto' &&
  [...rulebook.administrator, ...rulebook.user, ...rulebook.remembered].some(
    rule =>
      rule.effect === 'allow' &&
      rule.match.path !== undefined &&
      !expired(rule, rulebook.now) &&
      ruleHolds(rule, question) === true
  )

const deny = (reason: string, rule: MatchedRule, code?: ErrorCode): Verdict => ({
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

const expired = ({ expires_at }: AnyRule, now: number) =>
  typeof expires_at === 'string' && Date.parse(expires_at) <= now
