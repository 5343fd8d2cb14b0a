// Hooks before a call is judged: each may refuse it, give it other params, or say something of it. None can let it through:
// policy decides after all of them, on what they have left. So whatever runs, every hook has seen it as it runs.
import { isDeepStrictEqual } from 'node:util'
import { describeError, ToolError } from '../../errors.ts'
import type { Assessment, Live } from '../active-call.ts'
import { assess } from '../approvals/evaluate.ts'
import type { Call, HookRun } from '../call.ts'
import type { Engine } from '../engine.ts'
import type { NamedHook } from './configured-hooks.ts'
import { askHook } from './run-hook.ts'

/** A call after its hooks. */
export interface Looked {
  params: unknown
  assessment: Assessment
  runs: HookRun[]
  /** The hook that refuses it. */
  refused?: HookRun
}

/** Whether a hook is to look at the call before it is judged; what policy refuses anyway is looked at by none. */
export async function isLookedAt({ hooks }: Engine, { ctx }: Live, { verdict, question }: Assessment) {
  const { root } = ctx.workspace
  if (verdict.decision === 'deny' || !hooks.any('before', root)) return false
  return (await hooks.matching('before', root, question)).length > 0
}

/** How often hooks may give other params, together: two that disagree would go on for ever. */
const MOST_CHANGES = 5

/** Asks the hooks in their order. Where one gives other params, those that have not seen these are asked about them. */
export async function throughHooks(
  engine: Engine,
  live: Live,
  first: Pick<Looked, 'params' | 'assessment'>
): Promise<Looked> {
  const { root } = live.ctx.workspace
  const runs: HookRun[] = []
  /** What each has seen last, or made itself. */
  const seen = new Map<NamedHook['hook'], unknown>()
  let { params, assessment } = first
  for (let changes = 0; ; ) {
    if (assessment.verdict.decision === 'deny') return { params, assessment, runs }
    const matching = await engine.hooks.matching('before', root, assessment.question)
    const next = matching.find(({ hook }) => !seen.has(hook) || !isDeepStrictEqual(seen.get(hook), params))
    if (!next) return { params, assessment, runs }
    const { run, answer } = await askHook(engine, live, next, { params, assessment, may_change: false })
    runs.push(run)
    const refused = run.outcome === 'refused' || (run.outcome === 'failed' && next.hook.on_failure !== 'ignore')
    if (refused) return { params, assessment, runs, refused: run }
    seen.set(next.hook, params)
    if (answer?.params === undefined || isDeepStrictEqual(answer.params, params)) continue
    run.outcome = 'changed'
    const fault = changes++ === MOST_CHANGES ? DISAGREE : faultOf(engine, live, answer.params)
    if (fault !== undefined) {
      run.outcome = 'failed'
      run.reason = fault
      return { params, assessment, runs, refused: run }
    }
    params = answer.params
    seen.set(next.hook, params)
    assessment = await assess(engine, live, params)
  }
}

const DISAGREE = `Hooks have given other params ${MOST_CHANGES} times and do not come to an end.`

/** What is wrong with params that a hook gave. */
function faultOf(engine: Engine, { tool }: Live, params: unknown): string | undefined {
  try {
    engine.tools.check(tool, params)
    return undefined
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    return `It gave params that do not fit: ${describeError(error).message}`
  }
}

/** The call with what its hooks have left of it. */
export function lookedCall<C extends Call>(call: C, { params, runs }: Looked): C {
  const hooks = [...(call.hooks ?? []), ...runs]
  const looked = { ...call, ...(hooks.length > 0 && { hooks }) }
  if (isDeepStrictEqual(params, call.params)) return looked
  return { ...looked, params, requested_params: call.requested_params ?? call.params }
}

/** Why a hook refuses, for whoever asked. */
export const refusalBy = ({ name, outcome, reason }: HookRun): string =>
  outcome === 'refused'
    ? `The hook ${name} refuses it${reason === undefined ? '.' : `: ${reason}`}`
    : `The hook ${name} failed, so it is refused: ${reason}`
