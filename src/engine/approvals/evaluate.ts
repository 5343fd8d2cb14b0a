// Evaluation of a call: request, policy, then, unless that denies it, plan and policy again. Submission, decision and run each
// evaluate a call and compare digests; dry run, explanation and freshness are views of the same value.
import { isDeepStrictEqual } from 'node:util'
import { ToolError } from '../../errors.ts'
import { redactParamsForDecision } from '../../text/secrets/credentials.ts'
import type { Plan, Preview } from '../../tool/plan.ts'
import type { Request } from '../../tool/request.ts'
import type { ActiveCall } from '../active-call.ts'
import { createLookupContext, createReadContext } from '../call-contexts.ts'
import { assertEditorsReachable } from '../editors/editor-writes.ts'
import type { Engine } from '../engine.ts'
import type { Evaluation, TrackingKind } from '../evaluation.ts'
import { selectIsolation } from '../policy/isolation.ts'
import { evaluatePolicy, findGuardedGlobs } from '../policy/policy.ts'
import type { EffectiveRules, PolicyInput, PolicyVerdict } from '../policy/policy-input.ts'
import { addBeyondUndo } from './beyond-undo.ts'
import { addIfMatch, type FactsOfCall, gatherFacts, resolveCommand, resolvePaths } from './call-facts.ts'
import { getEffectiveRules } from './effective-rules.ts'
import { createStaleFileError } from './stale-file.ts'
import { canRevealResolved } from './visibility.ts'

/** Throws WORKSPACE_GONE if the folder of the call's workspace is not there. A job, which is ended by such a tool, may outlive it. */
export function assertWorkspacePresent({ presence }: Engine, { tool, call }: ActiveCall) {
  if (!tool.traits?.skipsQueue) presence.assertPresent(call.workspace)
}

/**
 * Evaluates a call with these params, which need not be its own yet. Throws on errors in the params, and the error with which its plan fails. `earlier` is an
 * evaluation whose plan is used again if its files have not changed.
 */
export async function evaluateCall(
  engine: Engine,
  live: ActiveCall,
  params: unknown,
  earlier?: Evaluation
): Promise<Evaluation> {
  assertWorkspacePresent(engine, live)
  try {
    return await evaluateParams(engine, live, params, earlier)
  } catch (error) {
    throw addLookAlikeNotes(live, error)
  }
}

async function evaluateParams(
  engine: Engine,
  live: ActiveCall,
  params: unknown,
  earlier: Evaluation | undefined
): Promise<Evaluation> {
  const { tool } = live
  live.host.files.forgetEvaluation()
  const lookup = createLookupContext(engine, live)
  const request = await tool.request(params, lookup)
  const rules = getEffectiveRules(engine, live)
  const requested = await requestFacts(engine, live, params, request)
  const context = createReadContext(live, lookup, requested.command)
  const base = { params, context, request }
  const first = evaluatePolicy(requested.question, rules)
  const unplanned = { ...base, facts: requested, decided: { question: requested.question, verdict: first } }
  if (first.decision === 'deny') return conclude(engine, live, rules, unplanned)
  await assertMatches(engine, live, base, requested)
  if (!tool.plan) return conclude(engine, live, rules, unplanned)
  const { plan, images } = reusablePlan(live, base, earlier) ?? (await makePlan(live, base))
  const facts = await addPlan(engine, live, params, { request, requested, plan })
  return conclude(engine, live, rules, { ...unplanned, facts, plan, images })
}

/** Evaluates a call as it is now, with the params that it has. */
export const evaluateNow = (engine: Engine, live: ActiveCall, earlier?: Evaluation): Promise<Evaluation> =>
  evaluateCall(engine, live, live.call.params, earlier)

/** Resolves what a request names. */
export async function requestFacts(
  engine: Engine,
  live: ActiveCall,
  params: unknown,
  request: Request
): Promise<FactsOfCall> {
  const { call, host } = live
  const resolved = await resolvePaths(host, request.paths ?? [])
  const named = call.if_match === undefined ? resolved : addIfMatch(resolved, call.if_match)
  const command = await resolveCommand(engine, live, request.command)
  return gatherFacts(engine, live, params, { request, named, command })
}

/** Adds what a plan knows besides the request. */
export async function addPlan(
  engine: Engine,
  live: ActiveCall,
  params: unknown,
  { request, requested, plan }: { request: Request; requested: FactsOfCall; plan: Plan }
): Promise<FactsOfCall> {
  const { paths = [], command, effect = request.effect, reasons } = plan
  if (paths.length === 0 && !command && effect === request.effect && !reasons) return requested
  const further = await resolvePaths(live.host, paths)
  const named = {
    uses: [...requested.named.uses, ...further.uses],
    paths: [...requested.named.paths, ...further.paths]
  }
  const planned: Request = {
    ...request,
    ...(effect !== undefined && { effect }),
    reasons: { ...request.reasons, ...(effect !== 'read' && reasons) }
  }
  return gatherFacts(engine, live, params, {
    request: planned,
    named,
    command: command ? await resolveCommand(engine, live, { ...request.command, ...command }) : requested.command
  })
}

type Planned = Pick<Evaluation, 'images'> & { plan: Plan }

async function makePlan({ tool, host }: ActiveCall, { params, context, request }: BaseOfEvaluation): Promise<Planned> {
  const { result, images } = await host.files.observe(() => tool.plan!(params, context, request))
  return { plan: result, images }
}

/** Returns an earlier plan if it depends on nothing that has changed. */
function reusablePlan(
  { tool, host }: ActiveCall,
  { params, request }: BaseOfEvaluation,
  earlier: Evaluation | undefined
): Planned | undefined {
  if (!earlier?.plan || !tool.traits?.plansFromFiles) return undefined
  if (!isDeepStrictEqual([earlier.params, earlier.request], [params, request])) return undefined
  const { plan, images } = earlier
  const isCurrent = [...images].every(([path, image]) => image !== undefined && host.files.preimage(path) === image())
  return isCurrent ? { plan, images } : undefined
}

/**
 * Throws STALE_FILE if a file is not the one that the caller has read. If its content may not be revealed, that would confirm or refute a
 * guess of it, so it is only compared once the call is approved.
 */
async function assertMatches(engine: Engine, live: ActiveCall, base: BaseOfEvaluation, { named }: FactsOfCall) {
  for (const use of named.paths) {
    const { if_match: wanted } = use
    if (wanted === undefined) continue
    const shown = canRevealResolved(engine, live, use)
    if (!shown && !isApproved(live)) continue
    const found = await live.host.files.contentHash(use.path)
    if (found === wanted || found === `sha256:${wanted}`) continue
    throw await createStaleFileError(engine, live, {
      stale: { path: use.path, if_match: wanted, found, shown },
      preview: async () => (await live.tool.plan?.(base.params, base.context, base.request))?.preview?.()
    })
  }
}

type BaseOfEvaluation = Pick<Evaluation, 'params' | 'context' | 'request'>

interface PartsOfEvaluation extends BaseOfEvaluation {
  facts: FactsOfCall
  /** The verdict on the request alone. */
  decided: Pick<Evaluation, 'question' | 'verdict'>
  plan?: Plan
  images?: Evaluation['images']
}

/** Decides on the facts of a call, and on its isolation and tracking. */
async function conclude(
  engine: Engine,
  live: ActiveCall,
  rules: EffectiveRules,
  { facts, decided, plan, images = NO_IMAGES, ...base }: PartsOfEvaluation
): Promise<Evaluation> {
  const { command, named, effect, displacement } = facts
  const question = await addBeyondUndo(engine, live, facts.question, [rules.mode])
  const verdict = question === decided.question ? decided.verdict : evaluatePolicy(question, rules)
  const readsHistory = command.facts?.parts.some(part => part.readsHistory) ?? false
  const unasked = toUnasked(live, question, verdict)
  const isolation =
    command.isolation &&
    selectIsolation(engine, command.isolation, {
      network: command.isolationRequest.network,
      unasked,
      guarded: isUnapproved(live, verdict) ? findGuardedGlobs(question, rules) : undefined,
      readsHistory
    })
  return {
    ...base,
    plan,
    images,
    paths: named.paths,
    commandRequest: command.request,
    command: command.facts,
    cwd: command.cwd,
    isolation,
    executed: command.executed,
    sources: command.sources,
    displaces: displacement !== undefined,
    tracking:
      unasked === 'by mode'
        ? { cover: { hides: findGuardedGlobs(question, rules) } }
        : selectTracking(engine, facts, isolation),
    isAutoApproved: command.facts !== undefined && (unasked === 'by itself' || (unasked === 'by mode' && readsHistory)),
    effect,
    verdict,
    question,
    toolPreview: once(() => buildToolPreview(live, base.params, plan))
  }
}

const NO_IMAGES: Evaluation['images'] = new Map()

async function buildToolPreview({ tool, host }: ActiveCall, params: unknown, plan: Plan | undefined): Promise<Preview> {
  const preview = (await plan?.preview?.()) ?? {
    title: tool.name,
    text: JSON.stringify(redactParamsForDecision(params), null, 2)
  }
  const notes = host.files.lookAlikeNotes()
  return notes.length === 0 ? preview : { ...preview, notes: [...notes, ...(preview.notes ?? [])] }
}

/** Adds to an error which entries stood for the names that the call gave: names that look the same explain what is otherwise absurd. */
export function addLookAlikeNotes({ host }: ActiveCall, error: unknown): unknown {
  if (!(error instanceof ToolError)) return error
  const notes = host.files.lookAlikeNotes().filter(note => !error.message.includes(note))
  if (notes.length === 0) return error
  return new ToolError(error.code, [error.message, ...notes].join(' '), error.details, { cause: error })
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** Throws the error with which a run would fail, as far as it is known. */
export function assertRunnable(engine: Engine, { verdict, paths, plan }: Evaluation) {
  if (verdict.decision === 'deny') return
  assertEditorsReachable(engine, paths)
  if (plan?.obstacle) throw plan.obstacle
}

/** Returns true for a call that was decided on and runs. */
const isApproved = ({ call }: ActiveCall) => 'approved_by' in call && call.approved_by !== undefined

/** Returns true for a call that no person was asked about. */
const isUnapproved = ({ call }: ActiveCall, { decision }: PolicyVerdict) =>
  decision === 'allow' && !('approval' in call && call.approval)

/** Returns how a command runs without approval. A call that was asked about runs as approved, whatever the mode is by now. */
function toUnasked(
  { call }: ActiveCall,
  { command, isolation }: PolicyInput,
  { decision, source, mode }: PolicyVerdict
): 'by itself' | 'by mode' | undefined {
  if (decision !== 'allow') return undefined
  if (source === 'auto') return 'by itself'
  return mode !== undefined && command && isolation && !('approval' in call && call.approval) ? 'by mode' : undefined
}

/** Selects the tracking of a command, or of other code, that can change files of the workspace and ends with its call. */
function selectTracking(
  { settings }: Engine,
  { command, question }: FactsOfCall,
  isolation: Evaluation['isolation']
): TrackingKind | undefined {
  const tracks = command.request?.tracks
  if (!command.facts && !tracks) return undefined
  if (command.facts?.class === 'auto' || question.longRunning || isolation?.level === 'read-only') return undefined
  if (tracks) return 'required'
  return (tracks ?? settings.undo.track_commands) ? 'possible' : undefined
}
