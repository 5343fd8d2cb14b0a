// Why policy says of a call what it says: the verdict with all that led to it. Does and records nothing.

import type { Caller } from '../active-call.ts'
import { type DryRun, shownBefore } from '../dry-run.ts'
import type { Engine } from '../engine.ts'
import type { Explanation } from '../policy/explanation-schema.ts'
import { judgeByTier, type Said } from '../policy/policy.ts'
import type { JudgedCommand, JudgedPart, Question, Rulebook } from '../policy/policy-input.ts'
import { admit, type Request } from '../submit.ts'
import { rulebook } from './effective-rules.ts'
import { assess } from './evaluate.ts'

type ExplainedPart = Explanation['parts'][number]

export async function explain(engine: Engine, request: Request, caller: Caller): Promise<Explanation> {
  const live = admit(engine, request, caller, {})
  const { params } = live.call
  const assessment = await assess(engine, live, params)
  const { command, isolation, effect, question } = assessment
  const rules = rulebook(engine, live)
  const { paths, ...shown } = await shownBefore(engine, live, params, assessment)
  return {
    ...shown,
    paths: paths.map(touched),
    effect,
    ...(isolation && { isolation: { level: isolation.level, network: [...isolation.network] } }),
    ...(command && { command: lineOf(command) }),
    parts: command?.parts.map(part => explained(part, question, rules)) ?? [],
    precedence: judgeByTier(question, rules).tiers
  }
}

const touched = ({ if_match, unsaved, ...path }: DryRun['paths'][number]): Explanation['paths'][number] => ({
  ...path,
  ...(if_match !== undefined && { if_match }),
  ...(unsaved && { unsaved: [...unsaved] })
})

const lineOf = ({ text, class: needed, reason, literal }: JudgedCommand) => ({ text, class: needed, reason, literal })

function explained(part: JudgedPart, question: Question, rules: Rulebook): ExplainedPart {
  const { argv, prefix, operands, ...told } = part
  const { text, class: needed, reason } = part
  const { cwd = '.' } = question.command!
  const alone = { text, cwd, class: needed, reason, parts: [part], literal: argv !== undefined, named: [] }
  const { verdict, tiers } = judgeByTier({ ...question, command: alone }, rules)
  return {
    ...told,
    ...(argv && { argv: [...argv] }),
    ...(prefix && { prefix: [...prefix] }),
    operands: [...operands],
    verdict: verdict.decision,
    matched_rules: tiers.filter(({ tier }) => RULED.has(tier)).flatMap(said => said.rules)
  }
}

const RULED: ReadonlySet<Said['tier']> = new Set(['administrator', 'user', 'workspace'])
