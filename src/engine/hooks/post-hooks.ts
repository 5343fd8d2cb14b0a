// Post hooks: run after a call, receive its outcome and may add to the result. They undo nothing, and the failure of one does not
// affect the result. Their file changes are reported as changes of the call.
import { describeError } from '../../errors.ts'
import type { CallResult } from '../../protocol/calls.ts'
import type { HookRun } from '../../protocol/hook-run.ts'
import type { ActiveCall } from '../active-call.ts'
import { type Engine, updateInMemory } from '../engine.ts'
import { mergeChanges } from '../merge-changes.ts'
import type { NamedHook } from './configured-hooks.ts'
import { type HookCallOutcome, runHook } from './run-hook.ts'

/** Returns the hooks that match the call. */
export async function findPostHooks(
  { hooks }: Engine,
  { workspace: { root }, evaluation, call }: ActiveCall
): Promise<readonly NamedHook[]> {
  // The client has not executed the call yet.
  if (call.executor === 'client') return NO_HOOKS
  return hooks.has('after', root) ? hooks.findMatching('after', root, evaluation!.question) : NO_HOOKS
}
const NO_HOOKS: readonly NamedHook[] = []

/** Runs the hooks sequentially. Resolves once all have answered. */
export async function runPostHooks(
  engine: Engine,
  live: ActiveCall,
  hooks: readonly NamedHook[],
  outcome: HookCallOutcome
): Promise<void> {
  const { call, evaluation } = live
  const canModify = evaluation!.effect !== 'read'
  const tracking = canModify ? await live.host.track().catch(logTrackingFailure(engine)) : undefined
  const runs: HookRun[] = []
  for (const hook of hooks) {
    if (live.abort.signal.aborted) break
    const { run } = await runHook(engine, live, hook, {
      params: call.params,
      evaluation: evaluation!,
      outcome,
      canModify
    })
    runs.push(run)
  }
  const made = live.changes.length
  await tracking?.finish().catch(logTrackingFailure(engine))
  const theirs = live.changes.splice(made)
  live.changes.splice(0, made, ...mergeChanges(live.changes, theirs))
  updateInMemory(live, { ...live.call, hooks: [...(live.call.hooks ?? []), ...runs] })
}

const logTrackingFailure = (engine: Engine) => (error: unknown) => {
  engine.log.warn({ err: error }, 'file changes by hooks are not reported')
  return undefined
}

/** Runs the hooks for a failed call, unless it was stopped. */
export async function runPostHooksOnFailure(engine: Engine, live: ActiveCall, error: unknown): Promise<void> {
  if (live.abort.signal.aborted) return
  const hooks = await findPostHooks(engine, live)
  if (hooks.length === 0) return
  const { code, message } = engine.masking.maskValue(describeError(error))
  await runPostHooks(engine, live, hooks, { status: 'error', error: { code, message } })
}

/** Adds the context from hooks to the result. */
export function addHookContext(result: CallResult, runs: readonly HookRun[] = []): CallResult {
  const reported = runs.filter(({ when, outcome, context }) => context !== undefined || isObjection({ when, outcome }))
  if (reported.length === 0) return result
  const words = reported.map(
    ({ name, context, reason }) =>
      `(The hook ${name} says: ${context ?? reason ?? 'it objects to the call, without a reason.'})`
  )
  return {
    ...result,
    content: [result.content, ...words].join('\n'),
    metadata: { ...result.metadata, hooks: reported }
  }
}

/** After the call it is too late to refuse. */
const isObjection = ({ when, outcome }: Pick<HookRun, 'when' | 'outcome'>) =>
  when === 'after' && (outcome === 'refused' || outcome === 'failed')
