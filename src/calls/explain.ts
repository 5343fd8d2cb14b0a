// Why policy says of a call what it says: the verdict with all that led to it. Does and records nothing.
import type { Isolation } from '../host/sandbox/sandbox.ts'
import type { Effect } from '../tool.ts'
import { assess } from './assess.ts'
import type { MatchedRule } from './call.ts'
import { type DryRun, shownBefore } from './dry-run.ts'
import type { Engine } from './engine.ts'
import type { Caller } from './live.ts'
import { judgeByTier, type Said } from './policy.ts'
import type { JudgedCommand, JudgedPart, Question, Rulebook, Verdict } from './question.ts'
import { rulebook } from './rulebook.ts'
import { admit, type Request } from './submit.ts'

/** One command of a line, as it was judged. */
interface ExplainedPart extends Omit<JudgedPart, 'prefix' | 'argv'> {
  argv?: readonly string[]
  prefix?: readonly string[]
  /** What would be decided of it alone. */
  verdict: Verdict['decision']
  /** Rules that say something of it alone. */
  matched_rules: MatchedRule[]
}

export interface Explanation extends DryRun {
  effect: Effect
  /** What would keep the command. */
  isolation?: Isolation
  /** Of a command line: how it reads as a whole. */
  command?: Pick<JudgedCommand, 'text' | 'class' | 'reason' | 'literal'>
  parts: ExplainedPart[]
  /** Every tier in the order in which they count, with what it says by itself. */
  precedence: Said[]
}

export async function explain(engine: Engine, request: Request, caller: Caller): Promise<Explanation> {
  const live = admit(engine, request, caller, {})
  const assessment = await assess(engine, live, request.params)
  const { command, isolation, effect, question } = assessment
  const rules = rulebook(engine, live.call.session_id, live.ctx.workspace.root)
  return {
    ...(await shownBefore(engine, live, request.params, assessment)),
    effect,
    ...(isolation && { isolation }),
    ...(command && { command: lineOf(command) }),
    parts: command?.parts.map(part => explained(part, question, rules)) ?? [],
    precedence: judgeByTier(question, rules).tiers
  }
}

const lineOf = ({ text, class: needed, reason, literal }: JudgedCommand) => ({ text, class: needed, reason, literal })

function explained(part: JudgedPart, question: Question, rules: Rulebook): ExplainedPart {
  const { argv, prefix, ...told } = part
  const { text, class: needed, reason } = part
  const { cwd = '.' } = question.command!
  const alone = { text, cwd, class: needed, reason, parts: [part], literal: argv !== undefined, named: [] }
  const { verdict, tiers } = judgeByTier({ ...question, command: alone }, rules)
  return {
    ...told,
    ...(argv && { argv }),
    ...(prefix && { prefix }),
    verdict: verdict.decision,
    matched_rules: tiers.filter(({ tier }) => RULED.has(tier)).flatMap(said => said.rules)
  }
}

const RULED: ReadonlySet<Said['tier']> = new Set(['administrator', 'user', 'workspace'])
