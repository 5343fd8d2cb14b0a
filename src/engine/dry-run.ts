// What a request would do, without doing or recording anything.
import { ToolError } from '../errors.ts'
import type { Assessment, Caller, Live } from './active-call.ts'
import { assess, checkEarly, digest, shown } from './approvals/evaluate.ts'
import type { Preview } from './call.ts'
import type { Engine } from './engine.ts'
import type { JudgedOperand } from './policy/policy-input.ts'
import { admit, type Request } from './submit.ts'

/** What a dry run tells. */
export interface DryRun {
  dry_run: true
  tool: string
  verdict: Assessment['verdict']
  paths: Assessment['paths']
  preview?: Preview
  digest?: string
  /** The hooks that would look at it; none is asked. */
  hooks?: LookingHook[]
}

export interface LookingHook {
  name: string
  when: 'before' | 'after'
  source: 'configuration' | 'workspace'
}

export async function dryRun(engine: Engine, request: Request, caller: Caller): Promise<DryRun> {
  const live = admit(engine, request, caller, {})
  const { params } = live.call
  return shownBefore(engine, live, params, await assess(engine, live, params))
}

/** What may be told of a call before it is decided on. */
export async function shownBefore(
  engine: Engine,
  live: Live,
  params: unknown,
  assessment: Assessment
): Promise<DryRun> {
  const { verdict } = assessment
  const paths = [...assessment.paths, ...operandPaths(assessment)]
  const plain = { dry_run: true as const, tool: live.tool.name, verdict, paths }
  if (verdict.decision === 'deny') return plain
  const hooks = await hooksOf(engine, live, assessment)
  const found = { ...plain, ...(hooks.length > 0 && { hooks }) }
  await checkEarly(engine, live, params, assessment)
  if (assessment.effect === 'read' && verdict.decision === 'allow')
    return { ...found, digest: await digest(live, params, assessment) }
  return { ...found, ...(await shown(engine, live, params, assessment)) }
}

async function hooksOf({ hooks }: Engine, { ctx }: Live, { question }: Assessment): Promise<LookingHook[]> {
  const { root } = ctx.workspace
  const looking: LookingHook[] = []
  for (const when of ['before', 'after'] as const) {
    if (!hooks.any(when, root)) continue
    const matching = await hooks.matching(when, root, question)
    looking.push(...matching.map(({ name, source }) => ({ name, when, source })))
  }
  return looking
}

/** What a command names, as paths beside those that the call itself names. */
const operandPaths = ({ command }: Assessment): Assessment['paths'] =>
  (command?.parts ?? []).flatMap(({ operands }) => operands.flatMap(operandPath))

function operandPath({ path, resolved, access, tree = false, ...found }: JudgedOperand): Assessment['paths'] {
  if (resolved === undefined) return []
  const { sensitive = false, self_starting = false, protected: kept } = found
  const given = resolved !== path && { given: path }
  return [{ path: resolved, ...given, access, sensitive, self_starting, tree, ...(kept && { protected: kept }) }]
}

/** What is foreseen of a call that policy does not refuse. */
export interface Foreseen {
  verdict: Assessment['verdict']
  /** What a run would answer. */
  output(): Promise<unknown>
  /** What an approval of it would be bound to; fails where nothing can be approved. */
  digest(): Promise<string>
}

/** Looks what a run would come to. Takes the place of a read, and no longer than the call itself may. */
export async function foresee<T>(
  engine: Engine,
  request: Request,
  caller: Caller,
  look: (seen: Foreseen) => Promise<T>
): Promise<T> {
  const live = admit(engine, request, caller, {})
  const { abort, call, tool, ctx } = live
  const { params } = call
  const timer = setTimeout(
    () => abort.abort(new ToolError('TIMEOUT', `No result within ${call.timeout_ms} ms.`)),
    call.timeout_ms
  )
  const looking = async () => {
    const assessment = await assess(engine, live, params)
    return look({
      verdict: assessment.verdict,
      output: async () => tool.foresee?.(params, ctx),
      digest: () => digest(live, params, assessment)
    })
  }
  try {
    return await engine.scheduler.run('read', [], looking, abort.signal)
  } finally {
    clearTimeout(timer)
  }
}
