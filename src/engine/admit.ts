// Admission of calls: hooks and policy evaluate a new call, which then runs, waits for a decision or ends.
import { ToolError } from '../errors.ts'
import type { Approval, Call } from '../protocol/calls.ts'
import type { ApprovedBy } from '../protocol/decisions.ts'
import type { HookRun } from '../protocol/hook-run.ts'
import type { StoreWrite } from '../store/store-schema.ts'
import type { ActiveCall } from './active-call.ts'
import { buildApproval } from './approvals/build-approval.ts'
import { countUses } from './approvals/count-uses.ts'
import { assertRunnable, evaluateNow } from './approvals/evaluate.ts'
import { canApproveHere, findOutageRefusal } from './approvals/remote-approval.ts'
import { requestApproval } from './approvals/request-approval.ts'
import { approveSourceWrites } from './approvals/source-previews.ts'
import { type Engine, registerCall, transition, unregisterCall } from './engine.ts'
import type { Evaluation } from './evaluation.ts'
import { applyPreHookResult, evaluateWithHooks, formatHookRefusal } from './hooks/pre-hooks.ts'
import { toolCallEvent } from './redacted-call.ts'
import { runCall } from './run.ts'
import { decisionEvent, settleRejected, settleStopped } from './settle.ts'

interface AdmitOptions {
  /** Returns the writes that are committed together with the first step. */
  also: () => StoreWrite[]
  /** Digest of what the sender was shown and approves with the request; `confirm` also where it is strict. */
  shown: { digest: string; confirm: boolean } | undefined
  /** An evaluation of the same request, whose plan is used if it still applies. */
  planned: Evaluation | undefined
}

/**
 * Evaluates a call, then starts it, requests approval or ends it. Resolves when the call may be published. If the call has hooks,
 * that is before they have answered: they may take seconds, and the sender should learn earlier that the call exists. Rejects with
 * QUOTA_EXCEEDED for a call that is refused as if it had not been sent.
 */
export async function admitCall(engine: Engine, live: ActiveCall, taking: AdmitOptions): Promise<ActiveCall> {
  registerCall(engine, live)
  const known = Promise.withResolvers<void>()
  const taken = evaluateAndAdmit(engine, live, taking, known.resolve)
  await Promise.race([taken, known.promise])
  taken.catch(error => isQuotaError(error) || engine.log.error({ err: error }, 'failed to admit a call'))
  return live
}

async function evaluateAndAdmit(
  engine: Engine,
  live: ActiveCall,
  { also, shown, planned }: AdmitOptions,
  known: () => void
): Promise<void> {
  let left = also
  let evaluation: Evaluation
  try {
    const looked = await evaluateWithHooks(engine, live, live.call.params, {
      earlier: planned,
      async beforeHooks(first) {
        live.evaluation = first
        // Persist a call that clients have seen before its hooks run, so that it survives a crash.
        await transition(engine, live, live.call, [], also)
        left = noWrites
        known()
      }
    })
    evaluation = looked.evaluation
    live.evaluation = evaluation
    if (looked.runs.length > 0) live.call = applyPreHookResult(live.call, looked)
    if (looked.refusedBy) return await rejectByHook(engine, live, looked.refusedBy)
    assertRunnable(engine, evaluation)
    live.abort.signal.throwIfAborted()
    // Other calls may have used up a rule since the evaluation.
    while (evaluation.verdict.decision === 'allow' && !countUses(engine, live, evaluation.verdict)) {
      evaluation = await evaluateNow(engine, live, evaluation)
      live.evaluation = evaluation
      assertRunnable(engine, evaluation)
      live.abort.signal.throwIfAborted()
    }
    const { verdict } = evaluation
    if (verdict.decision === 'deny' && verdict.code) throw new ToolError(verdict.code, verdict.reason)
    if (verdict.decision === 'deny') await rejectByPolicy(engine, live, verdict, left)
    else if (verdict.decision !== 'allow') await askForApproval(engine, live, evaluation, { also: left, shown })
  } catch (error) {
    if (engine.store.failure) throw error
    if (isQuotaError(error) && left === also) {
      unregisterCall(engine, live)
      throw error
    }
    await settleStopped(engine, live, error, { eventsBefore: [toolCallEvent(engine, live.call)], also: left })
    return
  }
  if (evaluation.verdict.decision === 'allow') await startAllowed(engine, live, evaluation, left)
}

const isQuotaError = (error: unknown) => error instanceof ToolError && error.code === 'QUOTA_EXCEEDED'

const noWrites = () => []

async function startAllowed(
  engine: Engine,
  live: ActiveCall,
  { verdict, effect }: Evaluation,
  also: () => StoreWrite[]
) {
  const { source, rule_id, mode, reason } = verdict
  const approved_by = {
    ...{ source, at: live.call.created_at },
    ...(rule_id !== undefined && { rule_id }),
    ...(mode !== undefined && { mode, reason })
  }
  const queued: Call = { ...(live.call as Extract<Call, { status: 'queued' }>), approved_by }
  live.durableIntent = transition(engine, live, queued, [toolCallEvent(engine, queued)], also)
  const running = startRun(engine, live, undefined)
  // A read may be published before its commit; anything else must be durable first.
  await (effect === 'read' ? Promise.race([running, live.durableIntent]) : live.durableIntent)
}

function startRun(engine: Engine, live: ActiveCall, bound: string | undefined): Promise<void> {
  const { tool_call_id } = live.call
  const running = runCall(engine, live, bound)
  running.catch(error => engine.log.error({ err: error, tool_call_id }, 'failed to settle a call'))
  return running
}

async function askForApproval(
  engine: Engine,
  live: ActiveCall,
  first: Evaluation,
  { also, shown }: Pick<AdmitOptions, 'also' | 'shown'>
): Promise<void> {
  engine.quotas.assertMayWait(live)
  const { approval, evaluation } = await buildApproval(engine, live, first)
  live.abort.signal.throwIfAborted()
  // Others of the same caller may have begun to wait meanwhile.
  engine.quotas.assertMayWait(live)
  const waiting: Call = { ...live.call, status: 'awaiting_approval', approval }
  engine.quotas.assertRoomToWait(live.share, waiting)
  const refusal = findOutageRefusal(engine, approval.approver)
  if (refusal !== undefined) return rejectForOutage(engine, live, refusal, also)
  const { approvals_needed = 1 } = approval
  const isShown = shown?.digest === approval.digest && (approval.level === 'ask' || shown.confirm)
  if (live.may_approve && isShown && approvals_needed === 1 && canApproveHere(engine, approval.approver))
    return startPreApproved(engine, live, { approval, evaluation }, also)
  const { tool, tool_call_id } = live.call
  live.durableIntent = requestApproval(engine, live, waiting, also).then(() =>
    engine.log.info({ tool, tool_call_id }, `waiting for approval: ${approval.preview.title}`)
  )
  return live.durableIntent
}

/** Starts a call whose sender has seen what it would do and has approved that. */
function startPreApproved(
  engine: Engine,
  live: ActiveCall,
  { approval, evaluation }: { approval: Approval; evaluation: Evaluation },
  also: () => StoreWrite[]
): Promise<void> {
  const { client } = live.call
  const by: ApprovedBy = { source: 'user', client, at: new Date().toISOString(), digest: approval.digest }
  const queued: Call = { ...live.call, status: 'queued', approval, approved_by: by }
  const { sources } = evaluation
  const approvedSources = sources ? approveSourceWrites(live.workspace.root, sources) : []
  live.evaluation = evaluation
  live.durableIntent = transition(
    engine,
    live,
    queued,
    [toolCallEvent(engine, queued), decisionEvent(queued, 'approved', { by })],
    () => [...also(), ...approvedSources]
  )
  startRun(engine, live, approval.digest)
  return live.durableIntent
}

const rejectForOutage = (engine: Engine, live: ActiveCall, reason: string, also: () => StoreWrite[]) =>
  settleRejected(
    engine,
    live,
    { reason, by: { source: 'config', at: new Date().toISOString() } },
    { eventsBefore: [toolCallEvent(engine, live.call)], also }
  )

function rejectByPolicy(
  engine: Engine,
  live: ActiveCall,
  { reason, matched_rules }: Evaluation['verdict'],
  also: () => StoreWrite[]
): Promise<void> {
  const rule_id = matched_rules[0]?.rule_id
  const by: ApprovedBy = {
    source: rule_id === undefined ? 'config' : 'rule',
    at: live.call.created_at,
    ...(rule_id !== undefined && { rule_id })
  }
  return settleRejected(engine, live, { reason, by }, { eventsBefore: [toolCallEvent(engine, live.call)], also })
}

function rejectByHook(engine: Engine, live: ActiveCall, run: HookRun): Promise<void> {
  const by: ApprovedBy = { source: 'hook', hook: run.name, at: new Date().toISOString() }
  return settleRejected(
    engine,
    live,
    { reason: formatHookRefusal(run), by },
    { eventsBefore: [toolCallEvent(engine, live.call)] }
  )
}
