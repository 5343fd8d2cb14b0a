// What no rule goes below. Secrets, files that start something and strict commands are asked for strictly, unless a rule
// names the very thing; what must be shown is asked for always.
import type { ConfiguredRule } from '../../config/schema.ts'
import { steers } from '../../shell/commands/unsafe-variables.ts'
import type { MatchedRule } from '../call.ts'
import type { JudgedPath, Question, Rulebook, Verdict } from './policy-input.ts'
import { expired, ruleHolds } from './rules.ts'

interface Floor {
  decision: 'ask' | 'strict'
  rule: MatchedRule
}

type Find = (question: Question, verdict: Verdict, rulebook: Rulebook) => Floor | undefined

/** The first that lies above the verdict so far. What must be shown is told also where the call asks anyway, so that no
 * rule is offered that would not hold. */
export function floorAbove(verdict: Verdict, question: Question, rulebook: Rulebook): Floor | undefined {
  for (const find of FLOORS) {
    const floor = find(question, verdict, rulebook)
    if (floor && (RANK[floor.decision] > RANK[verdict.decision] || bothAsk(floor, verdict))) return floor
  }
  return undefined
}

const bothAsk = (floor: Floor, verdict: Verdict) => floor.decision === 'ask' && verdict.decision === 'ask'

const RANK: Record<Verdict['decision'], number> = { allow: 0, ask: 1, strict: 2, deny: 3 }

/** The strictest first. */
const FLOORS: Find[] = [
  (question, verdict, rulebook) => {
    const secret = question.paths.find(used => used.sensitive && used.access === 'read')
    if (!secret || namesPath(verdict, question, rulebook)) return undefined
    return strict(`${nameOf(secret)} may hold credentials.`)
  },
  (question, verdict, rulebook) => {
    const starter = question.paths.find(used => used.self_starting && used.access === 'write')
    if (!starter || namesPath(verdict, question, rulebook)) return undefined
    return strict(startsCode(nameOf(starter)))
  },
  (question, verdict, rulebook) => {
    const { command } = question
    if (command?.class !== 'strict' || namesLine(verdict, question, rulebook)) return undefined
    return strict(command.reason)
  },
  ({ variables }) => {
    const steering = variables?.find(steers)
    return steering === undefined ? undefined : strict(`By ${steering} programs run or obey something else.`)
  },
  ({ kept }) => (kept?.instead && kept.unkept !== undefined ? strict(kept.unkept) : undefined),
  question => (question.strict === undefined ? undefined : strict(question.strict, 'tool')),
  ({ kept, own }) => (kept?.unkept === undefined || own ? undefined : ask(kept.unkept, 'server')),
  ({ always_ask }) => (always_ask === undefined ? undefined : ask(always_ask, 'tool')),
  ({ paths }, _, { ask_for_unsaved }) => {
    const held = ask_for_unsaved ? paths.flatMap(heldAndWritten)[0] : undefined
    return held && ask(`${held.path} has unsaved changes in ${held.client}.`, 'server')
  }
]

const strict = (reason: string, tier: MatchedRule['tier'] = 'built-in'): Floor => ({
  decision: 'strict',
  rule: { tier, effect: 'strict', reason }
})

const ask = (reason: string, tier: MatchedRule['tier']): Floor => ({
  decision: 'ask',
  rule: { tier, effect: 'ask', reason }
})

const heldAndWritten = ({ access, unsaved }: JudgedPath) => (access === 'write' && unsaved) || []

/** Whoever wrote the path must know it again, and see where it leads. */
export const nameOf = ({ path, given }: Pick<JudgedPath, 'path' | 'given'>) =>
  given === undefined ? path : `${JSON.stringify(given)} (${path})`

export const startsCode = (name: string) =>
  `${name} is run or obeyed by some program later, so writing it is running code.`

const namesPath = (verdict: Verdict, question: Question, rulebook: Rulebook) =>
  isByRule(verdict) &&
  allowing([...rulebook.administrator, ...rulebook.user, ...rulebook.remembered], question, rulebook).some(
    ({ match }) => match.path !== undefined
  )

/** Only who configured the server may let a strict command run unasked, by writing down the whole line. */
const namesLine = (verdict: Verdict, question: Question, rulebook: Rulebook) =>
  isByRule(verdict) &&
  allowing([...rulebook.administrator, ...rulebook.user], question, rulebook).some(
    ({ match }) => match.mode !== 'prefix' && match.command === question.command?.text
  )

const isByRule = ({ decision, source }: Verdict) => decision === 'allow' && source !== 'auto'

type Candidate = Pick<ConfiguredRule, 'effect' | 'match' | 'expires_at'>

const allowing = (rules: readonly Candidate[], question: Question, { now }: Rulebook) =>
  rules.filter(rule => rule.effect === 'allow' && !expired(rule, now) && ruleHolds(rule, question) === true)
