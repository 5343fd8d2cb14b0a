// Explanation of a verdict, with everything that led to it. Executes and records nothing.

import type { Isolation } from '../../host/sandbox/sandbox.ts'
import type { Explanation } from '../../protocol/explanation.ts'
import { redactCredentials } from '../../text/secrets/credentials.ts'
import type { Caller } from '../active-call.ts'
import { buildDryRunResult, type DryRunResult, evaluateRequest } from '../dry-run.ts'
import type { Engine } from '../engine.ts'
import { evaluateTiers, type TierVerdict } from '../policy/policy.ts'
import type { CommandFacts, CommandPartFacts, EffectiveRules, PolicyInput } from '../policy/policy-input.ts'
import type { SubmitRequest } from '../submit.ts'
import { getEffectiveRules } from './effective-rules.ts'

type ExplainedPart = Explanation['parts'][number]

/** Maximum numbers of parts that are explained, and of words and operands that are listed of each. */
const MAX_PARTS = 50
const MAX_WORDS = 200

export async function explainCall(engine: Engine, request: SubmitRequest, caller: Caller): Promise<Explanation> {
  const { live, evaluation } = await evaluateRequest(engine, request, caller)
  const { command, isolation, effect, question } = evaluation
  const rules = getEffectiveRules(engine, live)
  const { paths, ...shown } = await buildDryRunResult(engine, live, evaluation)
  return redactCredentials({
    ...shown,
    paths: paths.map(toExplainedPath),
    effect,
    ...(isolation && { isolation: toExplainedIsolation(isolation) }),
    ...(command && { command: toExplainedCommand(command) }),
    parts: command?.parts.slice(0, MAX_PARTS).map(part => explainPart(part, question, rules)) ?? [],
    ...(command?.parts.some((part, i) => i >= MAX_PARTS || isLongPart(part)) && { truncated: true as const }),
    precedence: evaluateTiers(question, rules).tiers
  })
}

const toExplainedIsolation = ({ level, network, ports }: Isolation) => ({
  level,
  network: [...network],
  ...(ports && { ports: [...ports] })
})

const toExplainedPath = ({
  if_match,
  unsaved,
  ...path
}: DryRunResult['paths'][number]): Explanation['paths'][number] => ({
  ...path,
  ...(if_match !== undefined && { if_match }),
  ...(unsaved && { unsaved: [...unsaved] })
})

const toExplainedCommand = ({ text, class: needed, reason, contained, literal }: CommandFacts) => ({
  text,
  class: needed,
  reason,
  ...(contained && { contained: true as const }),
  literal
})

const isLongPart = ({ argv = [], operands }: CommandPartFacts) => argv.length > MAX_WORDS || operands.length > MAX_WORDS

function explainPart(part: CommandPartFacts, question: PolicyInput, rules: EffectiveRules): ExplainedPart {
  const { text, inner, class: needed, reason, contained, outward, argv, prefix, operands, readsHistory } = part
  const { cwd = '.' } = question.command!
  const alone: CommandFacts = {
    text,
    cwd,
    class: needed,
    reason,
    ...(contained && { contained }),
    ...(part.irrevocable && { irrevocable: true }),
    parts: [part],
    literal: argv !== undefined,
    hasAllParts: true,
    candidatePaths: []
  }
  // A script counts for the line: which part executes it is not known.
  const { verdict, tiers } = evaluateTiers({ ...question, command: alone, unshownSource: undefined }, rules)
  return {
    text,
    ...(argv && { argv: argv.slice(0, MAX_WORDS) }),
    ...(inner && { inner }),
    class: needed,
    reason,
    ...(contained && { contained }),
    ...(outward !== undefined && { outward }),
    ...(part.cwd !== undefined && { cwd: part.cwd }),
    ...(part.folder !== undefined && { folder: part.folder }),
    ...(prefix && { prefix: [...prefix] }),
    ...(readsHistory && { reads_history: readsHistory }),
    operands: operands.slice(0, MAX_WORDS).map(({ ifMissing: _, ...operand }) => operand),
    verdict: verdict.decision,
    matched_rules: tiers.filter(({ tier }) => RULE_TIERS.has(tier)).flatMap(tier => tier.rules)
  }
}

const RULE_TIERS: ReadonlySet<TierVerdict['tier']> = new Set(['administrator', 'user', 'workspace'])
