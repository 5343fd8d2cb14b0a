// What a request would do, without doing or recording anything.
import { ToolError } from '../errors.ts'
import { assess, checkEarly, digest, preview } from './assess.ts'
import type { Preview } from './call.ts'
import type { Engine } from './engine.ts'
import type { Assessment, Caller, Live } from './live.ts'
import { admit, type Request } from './submit.ts'

/** What a dry run tells. */
export interface DryRun {
  dry_run: true
  tool: string
  verdict: Assessment['verdict']
  paths: Assessment['paths']
  preview?: Preview
  digest?: string
}

export async function dryRun(engine: Engine, request: Request, caller: Caller): Promise<DryRun> {
  const live = admit(engine, request, caller, {})
  const { params } = request
  const assessment = await assess(engine, live, params)
  const { verdict, paths } = assessment
  const found = { dry_run: true as const, tool: live.tool.name, verdict, paths }
  if (verdict.decision === 'deny') return found
  await checkEarly(engine, live, params, assessment)
  if (assessment.effect === 'read' && verdict.decision === 'allow') return found
  const shown = await preview(engine, live, params, assessment)
  return { ...found, preview: shown, digest: await digest(live, params, assessment) }
}

/** What a run would answer, where policy does not refuse it. */
export interface Foreseen {
  verdict: Assessment['verdict']
  output?: unknown
  /** What an approval of it would be bound to; fails where nothing can be approved. */
  digest(): Promise<string>
}

/** Takes the place of a read, and no longer than the call itself may. */
export async function foresee(engine: Engine, request: Request, caller: Caller): Promise<Foreseen> {
  const live = admit(engine, request, caller, {})
  const { abort, call } = live
  const timer = setTimeout(
    () => abort.abort(new ToolError('TIMEOUT', `No result within ${call.timeout_ms} ms.`)),
    call.timeout_ms
  )
  try {
    return await engine.scheduler.run('read', [], () => foreseen(engine, live, request), abort.signal)
  } finally {
    clearTimeout(timer)
  }
}

async function foreseen(engine: Engine, live: Live, request: Request): Promise<Foreseen> {
  const { params } = request
  const assessment = await assess(engine, live, params)
  const { verdict } = assessment
  const found = { verdict, digest: () => digest(live, params, assessment) }
  if (verdict.decision === 'deny') return found
  return { ...found, output: await live.tool.foresee?.(params, live.ctx) }
}
