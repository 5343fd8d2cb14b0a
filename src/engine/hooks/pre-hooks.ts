// Pre hooks: run before policy and may refuse a call, modify its params or add context. None can allow it: policy decides after
// all of them, on the resulting params. Every hook has thus seen a call as it runs.
import { isDeepStrictEqual } from 'node:util'
import { describeError, ToolError } from '../../errors.ts'
import type { Call } from '../../protocol/calls.ts'
import type { HookRun } from '../../protocol/hook-run.ts'
import type { ActiveCall } from '../active-call.ts'
import { evaluateCall } from '../approvals/evaluate.ts'
import type { Engine } from '../engine.ts'
import type { Evaluation } from '../evaluation.ts'
import type { NamedHook } from './configured-hooks.ts'
import { runHook } from './run-hook.ts'

/** The call after its hooks. */
interface PreHookResult {
  params: unknown
  evaluation: Evaluation
  runs: HookRun[]
  /** The hook that refused it. */
  refusedBy?: HookRun
}

/** Settings of an evaluation with hooks. */
interface HookedOptions {
  /** An evaluation whose plan is used if it still applies. */
  earlier?: Evaluation | undefined
  /** Called once before the first hook runs: hooks may take seconds. */
  beforeHooks?: (evaluation: Evaluation) => Promise<void>
}

/** Maximum number of modifications in total: two conflicting hooks would loop forever. */
const MAX_PARAM_CHANGES = 5

/**
 * Evaluates a call and runs its hooks in order. After a modification the call is evaluated again, and the hooks that have not seen the
 * new params run on them. None runs for a call that policy denies anyway.
 */
export async function evaluateWithHooks(
  engine: Engine,
  live: ActiveCall,
  given: unknown,
  { earlier, beforeHooks }: HookedOptions = {}
): Promise<PreHookResult> {
  const runs: HookRun[] = []
  /** The params that each hook has last seen or produced. */
  const seen = new Map<NamedHook['hook'], unknown>()
  let params = given
  let evaluation: Evaluation | undefined
  for (let changes = 0; ; ) {
    evaluation ??= await evaluateCall(engine, live, params, earlier)
    const matching = await findPreHooks(engine, live, evaluation)
    const next = matching.find(({ hook }) => !seen.has(hook) || !isDeepStrictEqual(seen.get(hook), params))
    if (!next) return { params, evaluation, runs }
    if (runs.length === 0) await beforeHooks?.(evaluation)
    const { run, response } = await runHook(engine, live, next, { params, evaluation, canModify: false })
    runs.push(run)
    const refused = run.outcome === 'refused' || (run.outcome === 'failed' && next.hook.on_failure !== 'ignore')
    if (refused) return { params, evaluation, runs, refusedBy: run }
    seen.set(next.hook, params)
    if (response?.params === undefined || isDeepStrictEqual(response.params, params)) continue
    run.outcome = 'changed'
    const error = changes++ === MAX_PARAM_CHANGES ? HOOKS_DISAGREE : findParamsError(engine, live, response.params)
    if (error !== undefined) {
      run.outcome = 'failed'
      run.reason = error
      return { params, evaluation, runs, refusedBy: run }
    }
    params = response.params
    seen.set(next.hook, params)
    evaluation = undefined
  }
}

/** Returns the hooks of an evaluated call: none for one that policy denies anyway. */
function findPreHooks({ hooks }: Engine, { workspace }: ActiveCall, { verdict, question }: Evaluation) {
  if (verdict.decision === 'deny' || !hooks.has('before', workspace.root)) return []
  return hooks.findMatching('before', workspace.root, question)
}

const HOOKS_DISAGREE = `The hooks modified the params ${MAX_PARAM_CHANGES} times, because they do not accept each other's changes.`

/** Validates params from a hook; returns the error, if any. */
function findParamsError(engine: Engine, { tool }: ActiveCall, params: unknown): string | undefined {
  try {
    engine.tools.validate(tool, params)
    return undefined
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    return `The params from the hook are invalid: ${describeError(error).message}`
  }
}

/** Returns the call with the results of its hooks. */
export function applyPreHookResult<C extends Call>(call: C, { params, runs }: PreHookResult): C {
  const hooks = [...(call.hooks ?? []), ...runs]
  const looked = { ...call, ...(hooks.length > 0 && { hooks }) }
  if (isDeepStrictEqual(params, call.params)) return looked
  return { ...looked, params, requested_params: call.requested_params ?? call.params }
}

/** Formats the refusal of a hook for the caller. */
export const formatHookRefusal = ({ name, outcome, reason }: HookRun): string =>
  outcome === 'refused'
    ? `The hook ${name} rejected the call${reason === undefined ? '.' : `: ${reason}`}`
    : `The hook ${name} failed, so the call is rejected: ${reason}`
