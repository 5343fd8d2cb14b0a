// A call's first step: what its hooks and policy say of it, and then it runs, waits for a decision, or has ended.
import { ToolError } from '../errors.ts'
import type { Write } from '../store/store.ts'
import type { Assessment, Live } from './active-call.ts'
import { approval, assess, checkEarly } from './approvals/evaluate.ts'
import { waits } from './approvals/request-approval.ts'
import type { Approval, ApprovedBy, Call, HookRun } from './call.ts'
import { type Engine, enter, step } from './engine.ts'
import { isLookedAt, lookedCall, refusalBy, throughHooks } from './hooks/pre-hooks.ts'
import { toolCall } from './redacted-call.ts'
import { run } from './run.ts'
import { decided, reject, stopped } from './settle.ts'

export interface Taking {
  /** What goes into the journal with the first step. */
  also: () => Write[]
  /** Digest of what the sender was shown and approves with the request; `confirm` also where it is strict. */
  shown: { digest: string; confirm: boolean } | undefined
}

/** The call's first step: judged, and then run, asked for, or ended. Resolves when it may be told of. Where it has hooks that
 * is before they have answered, since they may need seconds, and nobody should wait so long to hear that there is a call. */
export async function take(engine: Engine, live: Live, taking: Taking): Promise<Live> {
  enter(engine, live)
  const known = Promise.withResolvers<void>()
  const taken = takeLooked(engine, live, taking, known.resolve)
  await Promise.race([taken, known.promise])
  taken.catch(error => engine.log.error({ err: error }, 'a call could not be taken'))
  return live
}

async function takeLooked(engine: Engine, live: Live, { also, shown }: Taking, known: () => void): Promise<void> {
  let left = also
  let assessment: Assessment
  try {
    assessment = await assess(engine, live, live.call.params)
    live.assessment = assessment
    if (await isLookedAt(engine, live, assessment)) {
      // A call that programs have seen is not forgotten, whatever becomes of the server meanwhile.
      await step(engine, live, live.call, [], also)
      left = none
      known()
      const looked = await throughHooks(engine, live, { params: live.call.params, assessment })
      live.call = lookedCall(live.call, looked)
      if (looked.refused) return await refuseByHook(engine, live, looked.refused)
      assessment = looked.assessment
      live.assessment = assessment
    }
    await checkEarly(engine, live, live.call.params, assessment)
    live.abort.signal.throwIfAborted()
    const { verdict } = assessment
    if (verdict.decision === 'deny' && verdict.code) throw new ToolError(verdict.code, verdict.reason)
    if (verdict.decision === 'deny') await refuse(engine, live, verdict, left)
    else if (verdict.decision !== 'allow') await ask(engine, live, assessment, { also: left, shown })
  } catch (error) {
    if (engine.store.failed) throw error
    await stopped(engine, live, error, { before: [toolCall(engine, live, live.call)], also: left })
    return
  }
  if (assessment.verdict.decision === 'allow') await allow(engine, live, assessment, left)
}

const none = () => []

async function allow(engine: Engine, live: Live, { verdict, effect }: Assessment, also: () => Write[]) {
  const { source, rule_id } = verdict
  const approved_by = { source, at: live.call.created_at, ...(rule_id !== undefined && { rule_id }) }
  const queued: Call = { ...(live.call as Extract<Call, { status: 'queued' }>), approved_by }
  live.intent = step(engine, live, queued, [toolCall(engine, live, queued)], also)
  const running = runOn(engine, live, undefined)
  // A read may be told of before its commit; anything else is durable first.
  await (effect === 'read' ? Promise.race([running, live.intent]) : live.intent)
}

function runOn(engine: Engine, live: Live, bound: string | undefined): Promise<void> {
  const { tool_call_id } = live.call
  const running = run(engine, live, bound)
  running.catch(error => engine.log.error({ err: error, tool_call_id }, 'a call could not be ended'))
  return running
}

async function ask(engine: Engine, live: Live, assessment: Assessment, { also, shown }: Taking): Promise<void> {
  const asked = await approval(engine, live, live.call.params, assessment)
  live.abort.signal.throwIfAborted()
  if (live.may_approve && shown?.digest === asked.digest && (asked.level === 'ask' || shown.confirm))
    return allowAsShown(engine, live, asked, also)
  const { tool, tool_call_id } = live.call
  live.intent = waits(engine, live, { ...live.call, status: 'awaiting_approval', approval: asked }, also).then(() =>
    engine.log.info({ tool, tool_call_id }, `waiting for approval: ${asked.preview.title}`)
  )
  return live.intent
}

/** Whoever sent it has seen what it would do, and approved that. */
function allowAsShown(engine: Engine, live: Live, asked: Approval, also: () => Write[]): Promise<void> {
  const { client } = live.call
  const by: ApprovedBy = { source: 'user', client, at: new Date().toISOString(), digest: asked.digest }
  const queued: Call = { ...live.call, status: 'queued', approval: asked, approved_by: by }
  live.intent = step(engine, live, queued, [toolCall(engine, live, queued), decided(queued, 'approved', { by })], also)
  runOn(engine, live, asked.digest)
  return live.intent
}

function refuse(
  engine: Engine,
  live: Live,
  { reason, matched_rules }: Assessment['verdict'],
  also: () => Write[]
): Promise<void> {
  const rule_id = matched_rules[0]?.rule_id
  const by: ApprovedBy = {
    source: rule_id === undefined ? 'config' : 'rule',
    at: live.call.created_at,
    ...(rule_id !== undefined && { rule_id })
  }
  return reject(engine, live, { reason, by }, { before: [toolCall(engine, live, live.call)], also })
}

function refuseByHook(engine: Engine, live: Live, run: HookRun): Promise<void> {
  const by: ApprovedBy = { source: 'hook', hook: run.name, at: new Date().toISOString() }
  return reject(engine, live, { reason: refusalBy(run), by }, { before: [toolCall(engine, live, live.call)] })
}
