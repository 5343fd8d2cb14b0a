// Execution of a call: queueing, revalidation before the start, the tool with its timeout and retries, the result.
import { join } from 'node:path/posix'
import { setTimeout as pause } from 'node:timers/promises'
import { ToolError } from '../errors.ts'
import type { Isolation } from '../host/sandbox/sandbox.ts'
import {
  type Approval,
  type Call,
  type CallResult,
  type CallWithStatus,
  isSettled,
  type NewDiagnostics
} from '../protocol/calls.ts'
import type { ApprovedBy } from '../protocol/decisions.ts'
import { redactCredentials } from '../text/secrets/credentials.ts'
import { setTimeLimit, TimeLimit } from '../time-limit.ts'
import type { RunContext } from '../tool/contexts.ts'
import { PresentedOutput, type Progress } from '../tool/result.ts'
import type { ActiveCall } from './active-call.ts'
import { buildApproval } from './approvals/build-approval.ts'
import { countUses } from './approvals/count-uses.ts'
import { computeDigest } from './approvals/digest.ts'
import { addLookAlikeNotes, assertRunnable, evaluateNow } from './approvals/evaluate.ts'
import { requestApproval } from './approvals/request-approval.ts'
import { createRunContext } from './call-contexts.ts'
import { CommandTracking, type TrackingReport, trackingNotes } from './command-tracking.ts'
import { refreshTool } from './current-tool.ts'
import {
  captureDiagnosticsBaseline,
  collectNewDiagnostics,
  formatNewDiagnostics
} from './diagnostics/edit-diagnostics.ts'
import { unsavedNotesAfter } from './editors/editor-writes.ts'
import { type Engine, getCallScope, transition, updateInMemory } from './engine.ts'
import type { Evaluation } from './evaluation.ts'
import { addHookContext, findPostHooks, runPostHooks, runPostHooksOnFailure } from './hooks/post-hooks.ts'
import { ProgressLog } from './output/progress-log.ts'
import { ProgressThrottle } from './output/progress-throttle.ts'
import type { CachedResult } from './result-cache.ts'
import { type PathLock, QUEUE_BY_EFFECT, type QueueName, type ReleaseLocks } from './scheduler.ts'
import { settleError, settleStopped, settleSuccess } from './settle.ts'

const MAX_RETRIES = 3
const BACKOFF_MS = 100
/** Milliseconds that a stopped tool may take to clean up before the call ends without it. */
const ABORT_GRACE_MS = 2_000

/**
 * Queues an allowed or approved call and runs it. Resolves when its end is durable or, for a read, when it has ended. `bound` is
 * the digest that the decision was bound to; undefined if it was made just now.
 */
export async function runCall(engine: Engine, live: ActiveCall, bound: string | undefined): Promise<void> {
  const { effect } = live.evaluation!
  const executed = getSourceLocks(live)
  const holds = [...getLocks(live), ...executed]
  let holdsAll = true
  try {
    await withTurn(engine, live, holds, async (waited, release) => {
      live.releaseSources = () => release(executed)
      if (isSettled(live.call)) return
      const mayDiffer = bound !== undefined || (effect !== 'read' && waited)
      if (mayDiffer && !(await revalidate(engine, live, bound))) return
      holdsAll = areLocksHeld([...getLocks(live), ...getSourceLocks(live)], holds)
      if (!holdsAll) return
      if (bound !== undefined) live.host.files.bindApprovedState()
      await startTool(engine, live, bound)
    })
  } catch (error) {
    if (isSettled(live.call)) return
    // The next start of the server queues it again.
    if (live.stopping === 'interrupted' && isResumable(live.call)) live.releaseWaiters()
    else await settleStopped(engine, live, addLookAlikeNotes(live, error))
    return
  }
  if (!holdsAll) await runCall(engine, live, bound)
}

export type ResumableCall = CallWithStatus<'queued'> & { approved_by: ApprovedBy; approval: Approval }

/** Returns true for a call that a person approved and that was not started. Its caller need not be there to receive the result. */
export const isResumable = (call: Call): call is ResumableCall =>
  call.status === 'queued' && call.approved_by?.source === 'user' && call.approval !== undefined

/**
 * Queues a call again that was approved but had not been started when the server ended. What it would do now must equal what was
 * decided on; if not, approval is requested again. Resolves like `runCall`.
 */
export async function resumeCall(engine: Engine, live: ActiveCall): Promise<void> {
  const { approved_by } = live.call as ResumableCall
  const { digest } = approved_by
  try {
    if (!(await revalidate(engine, live, digest))) return
  } catch (error) {
    if (!isSettled(live.call)) await settleStopped(engine, live, error)
    return
  }
  await runCall(engine, live, digest)
}

/** Runs `work` once no conflicting call is ahead. A call that awaits a front end blocks no other and is not queued. */
function withTurn(
  { scheduler }: Engine,
  live: ActiveCall,
  holds: PathLock[],
  work: (waited: boolean, release: ReleaseLocks) => Promise<void>
) {
  const { tool, share, call, abort } = live
  if (tool.traits?.awaitsFrontEnd) return work(false, () => {})
  const queue = findQueue(live)
  return scheduler.run(queue, holds, work, { owner: share, session: call.session_id, signal: abort.signal })
}

function findQueue({ tool, evaluation, call }: ActiveCall): QueueName {
  const { skipsQueue, usesAllProcessors = false } = tool.traits ?? {}
  if (typeof usesAllProcessors === 'function' ? usesAllProcessors(call.params) : usesAllProcessors) return 'search'
  return QUEUE_BY_EFFECT[skipsQueue ? 'read' : evaluation!.effect]
}

function getLocks({ tool, evaluation, workspace }: ActiveCall): PathLock[] {
  if (tool.traits?.awaitsFrontEnd) return []
  return evaluation!.paths.flatMap(({ path, access, tree }) =>
    access === 'list' ? [] : [{ path: join(workspace.root, path), access, tree }]
  )
}

/** Returns locks for the files that the call's command executes, or would if they were there: held until it has read them. */
const getSourceLocks = ({ evaluation, workspace }: ActiveCall): PathLock[] =>
  evaluation!.sources?.lookedUp.map(path => ({ path: join(workspace.root, path), access: 'read', tree: false })) ?? []

/** Returns true if the held locks cover the paths that the call touches now: an undo may affect more after waiting. */
function areLocksHeld(now: readonly PathLock[], held: readonly PathLock[]): boolean {
  const keyOf = ({ path, access, tree }: PathLock) => `${access} ${tree} ${path}`
  const keys = new Set(held.map(keyOf))
  return now.every(hold => keys.has(keyOf(hold)))
}

/**
 * Revalidates the call after queueing: its effects must equal those that were decided on. If not, approval is requested again.
 */
async function revalidate(engine: Engine, live: ActiveCall, bound: string | undefined): Promise<boolean> {
  const evaluation = await reevaluate(engine, live)
  if (!evaluation) return false
  if (
    bound === undefined
      ? evaluation.verdict.decision === 'allow' && countUses(engine, live, evaluation.verdict)
      : (await computeDigest(engine, live, evaluation)) === bound
  )
    return true
  await requestApprovalAgain(engine, live, evaluation)
  return false
}

/** Evaluates the call again; undefined if it is now denied, which has ended it. */
async function reevaluate(engine: Engine, live: ActiveCall): Promise<Evaluation | undefined> {
  refreshTool(engine, live, live.call.params)
  const evaluation = await evaluateNow(engine, live, live.evaluation)
  live.evaluation = evaluation
  const { decision, code, reason } = evaluation.verdict
  assertRunnable(engine, evaluation)
  if (decision !== 'deny') return evaluation
  await settleError(engine, live, new ToolError(code ?? 'PERMISSION_DENIED', reason))
  return undefined
}

/** Returns the call to the approver with its current effects. */
async function requestApprovalAgain(engine: Engine, live: ActiveCall, evaluation: Evaluation) {
  const { call } = live
  const { approved_by: _, started_at: __, ...rest } = call as Extract<Call, { status: 'running' }>
  const { approval } = await buildApproval(engine, live, evaluation, { reasonIfAllowed: CHANGED_REASON })
  await requestApproval(engine, live, { ...rest, status: 'awaiting_approval', approval })
}

const CHANGED_REASON = 'The effect of the call has changed since it was approved.'

async function startTool(engine: Engine, live: ActiveCall, bound: string | undefined) {
  const { tool, call, evaluation } = live
  live.startedAt = performance.now()
  const approved_by = 'approved_by' in call && call.approved_by ? call.approved_by : autoApprovedBy()
  const started_at = new Date().toISOString()
  const running: Call = { ...call, status: 'running', approved_by, started_at, attempts: 1 }
  const reads = evaluation!.effect === 'read' && !('approval' in call && call.approval)
  // A crash must not hide that a call with effects was started: make its intent durable before the effect.
  if (reads) updateInMemory(live, running)
  else live.durableIntent = transition(engine, live, running, [])
  const hooks = await findPostHooks(engine, live)
  // Calls with post hooks are not cached: each hook must see the call run.
  const validator = hooks.length > 0 ? undefined : await computeValidator(engine, live)
  const key = validator === undefined ? '' : JSON.stringify([tool.name, call.workspace, call.params])
  const cachedAnswer = validator === undefined ? undefined : engine.cache.get(key, validator)
  if (cachedAnswer) return answerFromCache(engine, live, cachedAnswer)
  // Inspecting the workspace does not count as time of the tool.
  const tracking = await CommandTracking.begin(live)
  const isolation = evaluation!.isolation && (tracking?.limitIsolation(evaluation!.isolation) ?? evaluation!.isolation)
  const limit = new TimeLimit(call.timeout_ms, () =>
    live.abort.abort(new ToolError('TIMEOUT', `The call had no result within ${call.timeout_ms} ms.`))
  )
  setTimeLimit(live.abort.signal, limit)
  const progress = new ProgressLog(engine.journal, call.tool_call_id)
  const teller = new ProgressThrottle(events => {
    // The tool may continue after its call was ended without it.
    if (isSettled(live.call)) return
    live.hasProgressEvents = true
    progress.append(events.map(update => ({ type: 'tool.progress', ...getCallScope(live.call), ...update })))
  })
  try {
    const before = captureDiagnosticsBaseline(engine, live)
    if (before?.ready) await before.ready
    const output = await runPlan(engine, live, { isolation, bound, teller })
    teller.flush()
    // The tool has finished: the timeout no longer applies.
    limit.end()
    const tracked = await tracking?.finish()
    if (hooks.length > 0)
      await runPostHooks(engine, live, hooks, {
        status: 'success',
        result: presentResult(engine, live, output, { tracking: tracked })
      })
    const diagnostics = await collectNewDiagnostics(engine, live, before)
    const result = presentResult(engine, live, output, { tracking: tracked, diagnostics })
    const json = JSON.stringify(result)
    const durable = settleSuccess(engine, live, result, json)
    // Publish a read's result before its journal commit.
    if (reads) live.publish()
    else await durable
    // What a read returns when its time is up is not all.
    if (validator !== undefined && !live.abort.signal.aborted)
      engine.cache.put(key, call.workspace, { tool_call_id: call.tool_call_id, result, json, validator })
  } catch (error) {
    if (isSettled(live.call)) throw error
    teller.flush()
    limit.end()
    await tracking?.finish()
    if ((bound === undefined && !live.evaluation?.sources) || !hasLostRace(live, error)) {
      await runPostHooksOnFailure(engine, live, error)
      return await settleStopped(engine, live, error)
    }
    const assessment = await reevaluate(engine, live)
    if (assessment) await requestApprovalAgain(engine, live, assessment)
  } finally {
    limit.end()
    // A call that was ended without its tool.
    await tracking?.finish()
    if (!reads) invalidateCache(engine, live)
  }
}

/** Returns true if a file changed between the last check and the write, which was then not performed. */
const hasLostRace = ({ changes, editorChanges, abort }: ActiveCall, error: unknown) =>
  error instanceof ToolError &&
  error.code === 'STALE_FILE' &&
  changes.length === 0 &&
  editorChanges.length === 0 &&
  !abort.signal.aborted

const autoApprovedBy = (): ApprovedBy => ({ source: 'auto', at: new Date().toISOString() })

function answerFromCache(engine: Engine, live: ActiveCall, { result, json, tool_call_id }: CachedResult) {
  void settleSuccess(engine, live, result, json, tool_call_id)
  live.publish()
}

/** Invalidates cached results, since the call may have changed something in the workspace. */
function invalidateCache(engine: Engine, { call }: ActiveCall) {
  engine.workspaceEpochs.set(call.workspace, (engine.workspaceEpochs.get(call.workspace) ?? 0) + 1)
  engine.cache.invalidate(call.workspace)
}

/** Returns a validator that changes when a current result becomes stale; undefined if there is none. */
async function computeValidator(engine: Engine, live: ActiveCall): Promise<string | undefined> {
  const { tool, call, host, evaluation, workspace, bypassCache } = live
  const { cacheable: trait } = tool.traits ?? {}
  const cacheable = typeof trait === 'function' ? trait(call.params) : trait
  if (!cacheable || bypassCache || !engine.cache.isEnabled) return undefined
  const parts: (string | undefined)[] = [String(engine.workspaceEpochs.get(call.workspace) ?? 0)]
  for (const { path, access } of evaluation!.paths)
    parts.push(
      access === 'list' ? await engine.workspaces.get(workspace.name)!.treeVersion() : host.files.fingerprint(path)
    )
  if (engine.buffers.hasBuffers) parts.push(...unsavedBufferHashes(engine, live))
  return parts.includes(undefined) ? undefined : parts.join('|')
}

/** Returns the hashes of editors' buffers: of the files read, and of anything in the listed trees. */
const unsavedBufferHashes = ({ buffers }: Engine, { workspace, evaluation }: ActiveCall) =>
  evaluation!.paths.map(({ path, access }) =>
    access === 'list'
      ? String(buffers.generation(workspace.name))
      : (buffers.get(workspace.name, path)?.hash ?? 'not held')
  )

/** Maximum number of times that a call is planned again because a file has changed since. */
const MAX_REPLANS = 3

/** Circumstances of the run of a planned call. */
interface RunOfPlan {
  isolation: Isolation | undefined
  /** The digest that a decision was bound to. */
  bound: string | undefined
  teller: ProgressThrottle
}

/**
 * Runs the plan of a call. If a file has changed since it was planned, plans a call again that needed no approval, unless it would then
 * touch other paths or need one.
 */
async function runPlan(engine: Engine, live: ActiveCall, { isolation, bound, teller }: RunOfPlan): Promise<unknown> {
  for (let replans = 0; ; replans += 1) {
    try {
      return await runWithRetries(live, createRunContext(live, live.evaluation!, isolation), teller)
    } catch (error) {
      if (bound !== undefined || replans === MAX_REPLANS || !canPlanAgain(live, error)) throw error
      const locks = getLocks(live)
      const evaluation = await evaluateNow(engine, live)
      if (evaluation.verdict.decision !== 'allow') throw error
      assertRunnable(engine, evaluation)
      live.evaluation = evaluation
      if (!areLocksHeld(getLocks(live), locks)) throw error
    }
  }
}

/**
 * Returns true if a file on disk has changed since the call was planned. A command is asked about instead, since it may have had
 * effects already, and what a person types in an editor is not raced with.
 */
const canPlanAgain = (live: ActiveCall, error: unknown) =>
  live.tool.plan !== undefined &&
  live.evaluation!.command === undefined &&
  hasLostRace(live, error) &&
  live.evaluation!.paths.every(({ unsaved }) => !unsaved)

async function runWithRetries(live: ActiveCall, ctx: RunContext, teller: ProgressThrottle): Promise<unknown> {
  const { tool, abort } = live
  for (let retry = 0; ; retry += 1) {
    updateInMemory(live, { ...live.call, attempts: retry + 1 })
    try {
      return await runOnce(live, ctx, teller)
    } catch (error) {
      const harmless = tool.traits?.idempotent && !live.hasSideEffects && !abort.signal.aborted
      const again = harmless && retry < MAX_RETRIES && error instanceof ToolError && error.recoverable
      if (!again) throw error
      teller.add({ message: `${redactCredentials(error.message)} Retrying (${retry + 1} of ${MAX_RETRIES}).` })
      const ms = BACKOFF_MS * 2 ** retry * (0.5 + Math.random())
      await pause(ms, undefined, abort).catch(() => abort.signal.throwIfAborted())
    }
  }
}

/** Runs one attempt of the tool. Ends at most a short grace period after the call was stopped. */
async function runOnce(live: ActiveCall, ctx: RunContext, teller: ProgressThrottle): Promise<unknown> {
  const { tool, call, evaluation, abort } = live
  abort.signal.throwIfAborted()
  const running = driveTool(tool.run(call.params, ctx, evaluation!.plan?.state), teller)
  if (!(running instanceof Promise)) return running
  const { promise: given_up, reject } = Promise.withResolvers<never>()
  let timer: NodeJS.Timeout | undefined
  const onAbort = () => {
    timer = setTimeout(() => reject(abort.signal.reason), ABORT_GRACE_MS)
  }
  abort.signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([running, given_up])
  } finally {
    clearTimeout(timer)
    abort.signal.removeEventListener('abort', onAbort)
  }
}

function driveTool(running: unknown, teller: ProgressThrottle): unknown {
  if (running !== null && typeof running === 'object' && Symbol.asyncIterator in running)
    return followProgress(running as AsyncGenerator<Progress, unknown>, teller)
  return running
}

async function followProgress(steps: AsyncGenerator<Progress, unknown>, teller: ProgressThrottle): Promise<unknown> {
  for (;;) {
    const { done, value } = await steps.next()
    if (done) return value
    teller.add(value)
  }
}

/** Findings about a run that its result shows besides the tool's output. */
interface RunFindings {
  tracking: TrackingReport | undefined
  diagnostics?: NewDiagnostics | undefined
}

function presentResult(
  engine: Engine,
  live: ActiveCall,
  output: unknown,
  { tracking, diagnostics }: RunFindings
): CallResult {
  const { tool, call } = live
  const { output: data, presented } =
    output instanceof PresentedOutput ? output : { output, presented: tool.present(output, call.params) }
  const { content, metadata, attachments, truncated, ...shown } = presented
  const notes = [
    ...live.host.files.lookAlikeNotes(),
    ...unsavedNotesAfter(engine, live),
    ...(tracking ? trackingNotes(tracking, live.changes, content) : [])
  ]
  const result = {
    title: redactCredentials(shown.title),
    content: [
      content,
      ...notes.map(each => `(${each})`),
      ...(diagnostics ? formatNewDiagnostics(diagnostics) : [])
    ].join('\n'),
    data,
    metadata: { ...metadata, ...(diagnostics && { diagnostics }), ...(tracking && { tracking }) },
    attachments: attachments ?? [],
    truncated: truncated ?? false,
    ...(tool.traits?.capturesOutput && { output_href: `/calls/${call.tool_call_id}/output` })
  }
  return addHookContext(result, call.hooks)
}
