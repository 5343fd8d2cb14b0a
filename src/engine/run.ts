// Running a call: its turn, the last look before it starts, the tool itself with its time limit and retries, the result.
import { join } from 'node:path/posix'
import { setTimeout as pause } from 'node:timers/promises'
import { ToolError } from '../errors.ts'
import type { Progress } from '../tool/tool.ts'
import type { Assessment, Live } from './active-call.ts'
import { approval, assess, digest } from './approvals/evaluate.ts'
import { waits } from './approvals/request-approval.ts'
import { type ApprovedBy, type Call, isSettled, type NewDiagnostics, type Result } from './call.ts'
import { takeServedTool } from './current-tool.ts'
import { lookAfter, lookBefore, newDiagnosticsNotes } from './diagnostics/edit-diagnostics.ts'
import { notesAfter } from './editors/editor-writes.ts'
import { about, type Engine, note, step } from './engine.ts'
import { hearing, tellHooks, tellOfFailure, withHooks } from './hooks/post-hooks.ts'
import { ToldProgress } from './progress-log.ts'
import { ProgressTeller } from './progress-throttle.ts'
import type { Kept } from './result-cache.ts'
import { type Hold, KIND } from './scheduler.ts'
import { fail, stopped, succeed } from './settle.ts'

const RETRIES = 3
const BACKOFF_MS = 100
/** How long a stopped tool may take to clean up before the call ends without it. */
const GRACE_MS = 2_000

/** Gives an allowed or approved call its turn and runs it to its end, which is durable when this resolves, unless the
 * call only reads. `bound` is the digest that the decision was bound to; undefined where it was made this very moment. */
export async function run(engine: Engine, live: Live, bound: string | undefined): Promise<void> {
  const { effect } = live.assessment!
  const holds = holdsOf(live)
  let holdsAll = true
  try {
    await takeTurn(engine, live, holds, async waited => {
      if (isSettled(live.call)) return
      const mayDiffer = bound !== undefined || (effect !== 'read' && waited)
      if (mayDiffer && !(await stillStands(engine, live, bound))) return
      holdsAll = isWithin(holdsOf(live), holds)
      if (!holdsAll) return
      if (bound !== undefined) live.host.files.bind()
      await start(engine, live, bound)
    })
  } catch (error) {
    if (!isSettled(live.call)) await stopped(engine, live, error)
    return
  }
  if (!holdsAll) await run(engine, live, bound)
}

/** Does it once nothing stands in the way. A call that waits for a front end stands in nobody's. */
function takeTurn({ scheduler }: Engine, live: Live, holds: Hold[], work: (waited: boolean) => Promise<void>) {
  const { tool, assessment, abort } = live
  if (tool.awaits_front_end) return work(false)
  return scheduler.run(KIND[tool.momentary ? 'read' : assessment!.effect], holds, work, abort.signal)
}

function holdsOf({ tool, assessment, ctx: { workspace } }: Live): Hold[] {
  if (tool.awaits_front_end) return []
  return assessment!.paths.flatMap(({ path, access, tree }) =>
    access === 'list' ? [] : [{ path: join(workspace.root, path), access, tree }]
  )
}

/** Whether what a call touches now is what it holds: an undo may be about more once it has waited. */
function isWithin(now: readonly Hold[], held: readonly Hold[]): boolean {
  const keyOf = ({ path, access, tree }: Hold) => `${access} ${tree} ${path}`
  const keys = new Set(held.map(keyOf))
  return now.every(hold => keys.has(keyOf(hold)))
}

/** Looks once more, in the call's turn: what would happen must be what was decided on. If not, it is judged anew. */
async function stillStands(engine: Engine, live: Live, bound: string | undefined): Promise<boolean> {
  const assessment = await judgedAnew(engine, live)
  if (!assessment) return false
  if (
    bound === undefined
      ? assessment.verdict.decision === 'allow'
      : (await digest(live, live.call.params, assessment)) === bound
  )
    return true
  await askAgain(engine, live, assessment)
  return false
}

/** What the call would do now; undefined where it may not any more, and has ended with that. */
async function judgedAnew(engine: Engine, live: Live): Promise<Assessment | undefined> {
  takeServedTool(engine, live, live.call.params)
  const assessment = await assess(engine, live, live.call.params)
  live.assessment = assessment
  const { decision, code, reason } = assessment.verdict
  if (decision !== 'deny') return assessment
  await fail(engine, live, new ToolError(code ?? 'PERMISSION_DENIED', reason))
  return undefined
}

/** Back to the approver with what would happen now. */
async function askAgain(engine: Engine, live: Live, assessment: Assessment) {
  const { call } = live
  const { approved_by: _, started_at: __, ...kept } = call as Extract<Call, { status: 'running' }>
  const level =
    assessment.verdict.decision === 'allow'
      ? { ...assessment.verdict, decision: 'ask' as const, reason: CHANGED }
      : assessment.verdict
  const asked = await approval(engine, live, call.params, { ...assessment, verdict: level })
  await waits(engine, live, { ...kept, status: 'awaiting_approval', approval: asked })
}

const CHANGED = 'What it would do is no longer what was approved.'

async function start(engine: Engine, live: Live, bound: string | undefined) {
  const { tool, call, assessment } = live
  live.started = performance.now()
  const approved_by = 'approved_by' in call && call.approved_by ? call.approved_by : auto()
  const running: Call = { ...call, status: 'running', approved_by, started_at: new Date().toISOString() }
  const reads = assessment!.effect === 'read' && !('approval' in call && call.approval)
  // Whether a call that has an effect was started must be known after a crash; its intent is durable before the effect.
  if (reads) note(live, running)
  else live.intent = step(engine, live, running, [])
  const hooks = await hearing(engine, live)
  // Whoever wants to hear of the call wants it run.
  const evidence = hooks.length > 0 ? undefined : await evidenceFor(engine, live)
  const key = evidence === undefined ? '' : JSON.stringify([tool.name, call.workspace, call.params])
  const kept_answer = evidence === undefined ? undefined : engine.cache.get(key, evidence)
  if (kept_answer) return answerAgain(engine, live, kept_answer)
  const timer = setTimeout(
    () => live.abort.abort(new ToolError('TIMEOUT', `No result within ${call.timeout_ms} ms.`)),
    call.timeout_ms
  )
  const progress = new ToldProgress(engine.journal, call.tool_call_id)
  const teller = new ProgressTeller(events => {
    // The tool may go on after its call was ended without it.
    if (isSettled(live.call)) return
    live.told_progress = true
    progress.append(events.map(told => ({ type: 'tool.progress', ...about(live.call), ...told })))
  })
  try {
    const before = lookBefore(engine, live)
    if (before?.needed) await before.needed
    const output = await withRetries(live, teller)
    teller.flush()
    // It has run: from here on nothing is too late.
    clearTimeout(timer)
    if (hooks.length > 0)
      await tellHooks(engine, live, hooks, { status: 'success', result: present(engine, live, output, undefined) })
    const result = present(engine, live, output, await lookAfter(engine, live, before))
    const json = JSON.stringify(result)
    const durable = succeed(engine, live, result, json)
    // A read's answer is told while its journal commit is on its way.
    if (reads) live.show()
    else await durable
    if (evidence !== undefined)
      engine.cache.put(key, call.workspace, { tool_call_id: call.tool_call_id, result, json, evidence })
  } catch (error) {
    if (isSettled(live.call)) throw error
    teller.flush()
    if (bound === undefined || !isOvertaken(live, error)) {
      await tellOfFailure(engine, live, error)
      return await stopped(engine, live, error)
    }
    const assessment = await judgedAnew(engine, live)
    if (assessment) await askAgain(engine, live, assessment)
  } finally {
    clearTimeout(timer)
    if (!reads) touched(engine, live)
  }
}

/** Whether a file has moved on in the moment between the last look and the change, which has then not been made. */
const isOvertaken = ({ changes, in_editors, abort }: Live, error: unknown) =>
  error instanceof ToolError &&
  error.code === 'STALE_FILE' &&
  changes.length === 0 &&
  in_editors.length === 0 &&
  !abort.signal.aborted

const auto = (): ApprovedBy => ({ source: 'auto', at: new Date().toISOString() })

function answerAgain(engine: Engine, live: Live, { result, json, tool_call_id }: Kept) {
  void succeed(engine, live, result, json, tool_call_id)
  live.show()
}

/** Something in the workspace may be other than before: no earlier answer about it is given again. */
function touched(engine: Engine, { call }: Live) {
  engine.epochs.set(call.workspace, (engine.epochs.get(call.workspace) ?? 0) + 1)
  engine.cache.forget(call.workspace)
}

/** What would show that an answer given now has become wrong; undefined where nothing could. */
async function evidenceFor(engine: Engine, live: Live): Promise<string | undefined> {
  const { tool, call, host, assessment, ctx, fresh } = live
  const cacheable = typeof tool.cacheable === 'function' ? tool.cacheable(call.params) : tool.cacheable
  if (!cacheable || fresh || !engine.cache.on) return undefined
  const parts: (string | undefined)[] = [String(engine.epochs.get(call.workspace) ?? 0)]
  for (const { path, access } of assessment!.paths)
    parts.push(
      access === 'list' ? await engine.workspaces.get(ctx.workspace.name)!.treeVersion() : host.files.fingerprint(path)
    )
  if (engine.buffers.any) parts.push(...heldEvidence(engine, live))
  return parts.includes(undefined) ? undefined : parts.join('|')
}

/** What editors hold of the files read; of what is listed, anything that changes. */
const heldEvidence = ({ buffers }: Engine, { ctx: { workspace }, assessment }: Live) =>
  assessment!.paths.map(({ path, access }) =>
    access === 'list'
      ? String(buffers.generation(workspace.name))
      : (buffers.held(workspace.name, path)?.hash ?? 'not held')
  )

async function withRetries(live: Live, teller: ProgressTeller): Promise<unknown> {
  const { tool, abort } = live
  for (let retry = 0; ; retry += 1) {
    note(live, { ...live.call, attempts: retry + 1 })
    try {
      return await attempt(live, teller)
    } catch (error) {
      const harmless = tool.idempotent && !live.acted && !abort.signal.aborted
      const again = harmless && retry < RETRIES && error instanceof ToolError && error.recoverable
      if (!again) throw error
      teller.add({ message: `${error.message} Trying again (${retry + 1} of ${RETRIES}).` })
      const ms = BACKOFF_MS * 2 ** retry * (0.5 + Math.random())
      await pause(ms, undefined, abort).catch(() => abort.signal.throwIfAborted())
    }
  }
}

/** One start of the tool. Ends at the latest a short grace after the call was told to stop. */
async function attempt(live: Live, teller: ProgressTeller): Promise<unknown> {
  const { tool, ctx, abort } = live
  abort.signal.throwIfAborted()
  const running = drive(tool.run(live.call.params, ctx), teller)
  if (!(running instanceof Promise)) return running
  const { promise: given_up, reject } = Promise.withResolvers<never>()
  let timer: NodeJS.Timeout | undefined
  const onAbort = () => {
    timer = setTimeout(() => reject(abort.signal.reason), GRACE_MS)
  }
  abort.signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([running, given_up])
  } finally {
    clearTimeout(timer)
    abort.signal.removeEventListener('abort', onAbort)
  }
}

function drive(running: unknown, teller: ProgressTeller): unknown {
  if (running !== null && typeof running === 'object' && Symbol.asyncIterator in running)
    return follow(running as AsyncGenerator<Progress, unknown>, teller)
  return running
}

async function follow(steps: AsyncGenerator<Progress, unknown>, teller: ProgressTeller): Promise<unknown> {
  for (;;) {
    const { done, value } = await steps.next()
    if (done) return value
    teller.add(value)
  }
}

function present(engine: Engine, live: Live, output: unknown, diagnostics: NewDiagnostics | undefined): Result {
  const { tool, call } = live
  const { title, content, metadata, attachments, truncated } = tool.present(output, call.params)
  const notes = notesAfter(engine, live)
  const result = {
    title,
    content: [
      content,
      ...notes.map(each => `(${each})`),
      ...(diagnostics ? newDiagnosticsNotes(diagnostics) : [])
    ].join('\n'),
    data: output,
    metadata: { ...metadata, ...(diagnostics && { diagnostics }) },
    attachments: attachments ?? [],
    truncated: truncated ?? false,
    ...(tool.captures_output && { output_href: `/calls/${call.tool_call_id}/output` })
  }
  return withHooks(result, call.hooks)
}
