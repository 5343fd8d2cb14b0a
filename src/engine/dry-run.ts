// Dry run: evaluates a request without executing or recording anything.
import { ToolError } from '../errors.ts'
import type { Preview } from '../protocol/calls.ts'
import type { ActiveCall, Caller } from './active-call.ts'
import { buildStablePreview } from './approvals/build-approval.ts'
import { withSelfStarting } from './approvals/call-facts.ts'
import { computeDigest } from './approvals/digest.ts'
import { assertRunnable, evaluateNow } from './approvals/evaluate.ts'
import { CUT_PREVIEW, WHOLE_PREVIEW } from './approvals/preview-limits.ts'
import type { Engine } from './engine.ts'
import type { EvaluatedPath, Evaluation } from './evaluation.ts'
import type { OperandFacts } from './policy/policy-input.ts'
import { createActiveCall, type SubmitRequest } from './submit.ts'

/** The result of a dry run. */
export interface DryRunResult {
  dry_run: true
  tool: string
  verdict: Omit<Evaluation['verdict'], 'allowedBy'>
  paths: EvaluatedPath[]
  preview?: Preview
  digest?: string
  /** The hooks that would run; none is executed. */
  hooks?: MatchingHook[]
}

interface MatchingHook {
  name: string
  when: 'before' | 'after'
  source: 'configuration' | 'workspace'
}

export async function dryRun(engine: Engine, request: SubmitRequest, caller: Caller): Promise<DryRunResult> {
  const { live, evaluation } = await evaluateRequest(engine, request, caller)
  return buildDryRunResult(engine, live, evaluation)
}

/** Evaluates a request without a call. */
export async function evaluateRequest(
  engine: Engine,
  request: SubmitRequest,
  caller: Caller
): Promise<{ live: ActiveCall; evaluation: Evaluation }> {
  const live = createActiveCall(engine, request, caller, {})
  return { live, evaluation: await evaluateNow(engine, live) }
}

/** Evaluates a request as far as to the verdict, without a preview. Throws what would make the call fail before it is decided. */
export async function judgeRequest(
  engine: Engine,
  request: SubmitRequest,
  caller: Caller
): Promise<Evaluation['verdict']> {
  const { evaluation } = await evaluateRequest(engine, request, caller)
  assertRunnable(engine, evaluation)
  return evaluation.verdict
}

/** Builds the part of a call's evaluation that may be shown before a decision. */
export async function buildDryRunResult(
  engine: Engine,
  live: ActiveCall,
  evaluation: Evaluation
): Promise<DryRunResult> {
  const { allowedBy: _, ...verdict } = evaluation.verdict
  const named = evaluation.paths.map(path => withSelfStarting(live.host, path))
  const paths = [...named, ...operandPaths(evaluation)]
  const plain = { dry_run: true as const, tool: live.tool.name, verdict, paths }
  if (verdict.decision === 'deny') return plain
  const hooks = await listMatchingHooks(engine, live, evaluation)
  const found = { ...plain, ...(hooks.length > 0 && { hooks }) }
  assertRunnable(engine, evaluation)
  if (evaluation.effect === 'read' && verdict.decision === 'allow')
    return { ...found, digest: await computeDigest(engine, live, evaluation) }
  const limits = live.may_approve ? WHOLE_PREVIEW : CUT_PREVIEW
  const { preview, digest } = await buildStablePreview(engine, live, evaluation, { limits })
  return { ...found, preview, digest }
}

async function listMatchingHooks(
  { hooks }: Engine,
  { workspace }: ActiveCall,
  { question }: Evaluation
): Promise<MatchingHook[]> {
  const { root } = workspace
  const looking: MatchingHook[] = []
  for (const when of ['before', 'after'] as const) {
    if (!hooks.has(when, root)) continue
    const matching = await hooks.findMatching(when, root, question)
    looking.push(...matching.map(({ name, source }) => ({ name, when, source })))
  }
  return looking
}

/** Returns the paths that a command names, besides those that the call itself names. */
const operandPaths = ({ command }: Evaluation): EvaluatedPath[] =>
  (command?.parts ?? []).flatMap(({ operands }) => operands.flatMap(operandPath))

function operandPath({ path, resolved, access, tree = false, ...found }: OperandFacts): EvaluatedPath[] {
  if (resolved === undefined) return []
  const { sensitive = false, self_starting = false, protected: protection } = found
  const given = resolved !== path && { given: path }
  return [
    { path: resolved, ...given, access, sensitive, self_starting, tree, ...(protection && { protected: protection }) }
  ]
}

/** The simulated run of a call. */
export interface Simulation {
  evaluation: Evaluation
  /** Returns the digest that an approval would be bound to. */
  digest(): Promise<string>
}

/** Simulates a run. */
export async function simulateRun<T>(
  engine: Engine,
  request: SubmitRequest,
  caller: Caller,
  look: (seen: Simulation) => Promise<T>
): Promise<T> {
  const live = createActiveCall(engine, request, caller, {})
  return readWithin(engine, live, async () => {
    const evaluation = await evaluateNow(engine, live)
    return look({ evaluation, digest: () => computeDigest(engine, live, evaluation) })
  })
}

/** Reads for a call that is not submitted. Occupies a read slot, for at most the timeout of the call. */
export async function readWithin<T>(engine: Engine, live: ActiveCall, read: () => Promise<T>): Promise<T> {
  const { abort, call } = live
  const timer = setTimeout(
    () => abort.abort(new ToolError('TIMEOUT', `The dry run had no result within ${call.timeout_ms} ms.`)),
    call.timeout_ms
  )
  try {
    return await engine.scheduler.run('read', [], read, {
      owner: live.share,
      session: live.call.session_id,
      signal: abort.signal
    })
  } finally {
    clearTimeout(timer)
  }
}
