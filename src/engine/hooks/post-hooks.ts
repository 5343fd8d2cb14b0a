// Hooks after a call has run: they hear how it came out and may say something of it, for the result. Nothing is undone by
// them, and none that fails costs the result. What they change in files is told as changes of the call.
import { describeError } from '../../errors.ts'
import type { Live } from '../active-call.ts'
import type { HookRun, Result } from '../call.ts'
import { type Engine, note } from '../engine.ts'
import { mergedChanges } from '../merge-changes.ts'
import type { NamedHook } from './configured-hooks.ts'
import { askHook, type Ran } from './run-hook.ts'

/** Those that will hear of the call. */
export async function hearing({ hooks }: Engine, { ctx, assessment }: Live): Promise<readonly NamedHook[]> {
  const { root } = ctx.workspace
  return hooks.any('after', root) ? hooks.matching('after', root, assessment!.question) : NONE
}
const NONE: readonly NamedHook[] = []

/** Tells them, one after the other. Resolves once all have said what they have to say. */
export async function tellHooks(engine: Engine, live: Live, hooks: readonly NamedHook[], ran: Ran): Promise<void> {
  const { call, assessment } = live
  const may_change = assessment!.effect !== 'read'
  const tracking = may_change ? await live.host.track().catch(untracked(engine)) : undefined
  const runs: HookRun[] = []
  for (const hook of hooks) {
    if (live.abort.signal.aborted) break
    const { run } = await askHook(engine, live, hook, { params: call.params, assessment: assessment!, ran, may_change })
    runs.push(run)
  }
  const made = live.changes.length
  await tracking?.finish().catch(untracked(engine))
  const theirs = live.changes.splice(made)
  live.changes.splice(0, made, ...mergedChanges(live.changes, theirs))
  note(live, { ...live.call, hooks: [...(live.call.hooks ?? []), ...runs] })
}

const untracked = (engine: Engine) => (error: unknown) => {
  engine.log.warn({ err: error }, 'what hooks have changed is not told')
  return undefined
}

/** The same for a call that has failed, unless it was stopped. */
export async function tellOfFailure(engine: Engine, live: Live, error: unknown): Promise<void> {
  if (live.abort.signal.aborted) return
  const hooks = await hearing(engine, live)
  if (hooks.length === 0) return
  const { code, message } = engine.masking.maskedAll(describeError(error))
  await tellHooks(engine, live, hooks, { status: 'error', error: { code, message } })
}

/** The result with what hooks have to say of it. */
export function withHooks(result: Result, runs: readonly HookRun[] = []): Result {
  const told = runs.filter(({ when, outcome, context }) => context !== undefined || isObjection({ when, outcome }))
  if (told.length === 0) return result
  const words = told.map(
    ({ name, context, reason }) => `(The hook ${name} says: ${context ?? reason ?? 'it objects.'})`
  )
  return {
    ...result,
    content: [result.content, ...words].join('\n'),
    metadata: { ...result.metadata, hooks: told }
  }
}

/** Too late to refuse. */
const isObjection = ({ when, outcome }: Pick<HookRun, 'when' | 'outcome'>) =>
  when === 'after' && (outcome === 'refused' || outcome === 'failed')
