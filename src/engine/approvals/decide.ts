// Decisions by people: approve, reject, cancel. Exactly one decision wins; what runs is what was shown.
import { isDeepStrictEqual } from 'node:util'
import { ToolError } from '../../errors.ts'
import type { Caller, Live } from '../active-call.ts'
import type { AlwaysOption, ApprovedBy, Call, CallWith } from '../call.ts'
import { takeServedTool } from '../current-tool.ts'
import { type Engine, step } from '../engine.ts'
import { isLookedAt, type Looked, lookedCall, refusalBy, throughHooks } from '../hooks/pre-hooks.ts'
import { run } from '../run.ts'
import { cancel, decided, fail, reject } from '../settle.ts'
import { approval, assess, checkEarly } from './evaluate.ts'
import { waits } from './request-approval.ts'

export interface Approve {
  digest?: string | undefined
  modified_params?: unknown
  /** The same by the names by which the call was asked for. */
  modified_args?: unknown
  /** What a dry run of these params told: binds the approval to that. */
  modified_digest?: string | undefined
  /** Id of one of the call's `always_options`. */
  always?: string | undefined
  confirm?: boolean | undefined
  reason?: string | undefined
}

export interface Reject {
  reason?: string | undefined
  user_message?: string | undefined
}

/** Lets a waiting call run. Resolves once the decision is durable; the call's turn comes by itself. */
export function approve(engine: Engine, live: Live, given: Approve, caller: Caller): Promise<Call> {
  return inTurn(live, async () => {
    const call = awaiting(live)
    if (engine.closed) throw new ToolError('OVERLOADED', 'The server is stopping; decide after it is back.')
    const decision = inOwnParams(engine, call, given)
    takeServedTool(engine, live, decision.modified_params ?? live.call.params)
    live.may_approve = true
    if (decision.always !== undefined && decision.modified_params !== undefined) throw notBoth()
    if (decision.modified_digest !== undefined && decision.modified_params === undefined) throw ofNothing()
    if (call.approval.level === 'strict') mustConfirm(decision)
    if (decision.digest !== undefined && decision.digest !== call.approval.digest) {
      await asShown(engine, live)
      throw previewChanged(awaiting(live))
    }
    const always = decision.always === undefined ? undefined : optionOf(call, decision.always)
    const approved =
      decision.modified_params === undefined ? await asShown(engine, live) : await asModified(engine, live, decision)
    if (!approved) return live.call
    const made = always ? await remember(engine, live, always, caller) : []
    const reason = decision.reason !== undefined && { reason: decision.reason }
    const by: ApprovedBy = {
      source: 'user',
      client: caller.client,
      ...reason,
      at: new Date().toISOString(),
      digest: approved.digest,
      ...(made[0] !== undefined && { rule_id: made[0] }),
      ...(made.length > 1 && { rule_ids: made })
    }
    const changed = decision.modified_params !== undefined && { modified_params: decision.modified_params }
    const next: Call = { ...approved.call, status: 'queued', approved_by: by }
    live.intent = step(engine, live, next, [decided(next, 'approved', { by, ...changed, ...reason })])
    await live.intent
    logDecision(engine, approved.call, `approved by ${caller.client}`)
    run(engine, live, approved.digest).catch(error =>
      engine.log.error({ err: error, tool_call_id: next.tool_call_id }, 'a call could not be ended')
    )
    return next
  })
}

export function rejectCall(
  engine: Engine,
  live: Live,
  { reason, user_message }: Reject,
  caller: Caller
): Promise<Call> {
  return inTurn(live, async () => {
    const call = awaiting(live)
    const by: ApprovedBy = { source: 'user', client: caller.client, at: new Date().toISOString() }
    await reject(engine, live, { reason: reason ?? 'User rejected the operation', user_message, by })
    logDecision(engine, call, `rejected by ${caller.client}`)
    return live.call
  })
}

const logDecision = (
  { log }: Engine,
  { tool, tool_call_id, approval }: CallWith<'awaiting_approval'>,
  decision: string
) => log.info({ tool, tool_call_id }, `${decision}: ${approval.preview.title}`)

/** Stops a call, whatever it is doing. Resolves once it has ended; one that ended by itself meanwhile stays as it is. */
export async function cancelCall(engine: Engine, live: Live, reason: string | undefined): Promise<Call> {
  const why = reason ?? 'Cancelled by the client.'
  const waiting = await inTurn(live, async () => {
    if (live.call.status !== 'awaiting_approval') return false
    await cancel(engine, live, why)
    return true
  })
  if (waiting) return live.call
  live.stopping ??= 'cancelled'
  live.abort.abort(new ToolError('CANCELLED', why))
  return live.wait({ ms: 30_000, throughApproval: true })
}

/** The decision with changed params as the tool takes them. */
function inOwnParams(engine: Engine, call: Call, { modified_args, ...decision }: Approve): Approve {
  if (modified_args === undefined) return decision
  return { ...decision, modified_params: engine.tools.ownParams(call, modified_args) }
}

/** One decision about a call at a time; the later ones find it decided. */
export function inTurn<T>(live: Live, decide: () => Promise<T>): Promise<T> {
  const turn = live.deciding.then(decide, decide)
  live.deciding = turn.catch(() => {})
  return turn
}

export function awaiting({ call }: Live): CallWith<'awaiting_approval'> {
  if (call.status === 'awaiting_approval') return call
  throw alreadyDecided(call)
}

/** Says who decided, what and when. */
export function alreadyDecided(call: Call): ToolError {
  const by = 'rejected_by' in call ? call.rejected_by : 'approved_by' in call ? call.approved_by : undefined
  const decision = call.status === 'rejected' ? 'rejected' : by ? 'approved' : call.status
  const at = by?.at ?? ('finished_at' in call ? call.finished_at : undefined)
  const who = by?.client ?? by?.source
  return new ToolError('CONFLICT', `The call was ${decision}${who ? ` by ${who}` : ''}${at ? ` at ${at}` : ''}.`, {
    status: call.status,
    decision,
    ...(by && { by }),
    ...(at && { at })
  })
}

function mustConfirm({ confirm, digest }: Approve) {
  const errors = [
    ...(confirm === true ? [] : [{ pointer: '/confirm', message: 'must be true: the call is strict' }]),
    ...(digest === undefined
      ? [{ pointer: '/digest', message: 'must be the digest of the preview that was shown' }]
      : [])
  ]
  if (errors.length > 0)
    throw new ToolError('INVALID_PARAMS', 'A strict call needs confirm and the digest of what was shown.', { errors })
}

/** An option is a rule for the params that were shown; other params are for this once. */
const notBoth = () =>
  new ToolError('INVALID_PARAMS', 'Give always or modified_params, not both: the option is for what was asked.', {
    errors: [{ pointer: '/always', message: 'cannot be remembered for changed params' }]
  })

const ofNothing = () =>
  new ToolError('INVALID_PARAMS', 'modified_digest says what modified_params were shown to do; give both.', {
    errors: [{ pointer: '/modified_digest', message: 'must go with modified_params' }]
  })

function optionOf({ approval: { always_options } }: CallWith<'awaiting_approval'>, id: string) {
  const option = always_options.find(candidate => candidate.id === id)
  if (option) return option
  const known = always_options.map(candidate => candidate.id).join(', ') || 'none'
  throw new ToolError('INVALID_PARAMS', `The call offers no option ${JSON.stringify(id)}; it offers ${known}.`, {
    errors: [{ pointer: '/always', message: `must be one of: ${known}` }]
  })
}

interface Approved {
  call: CallWith<'awaiting_approval'>
  digest: string
}

/** The call as it was shown, if that is still what it would do. Otherwise it waits on, with the fresh preview; where it
 * can no longer be previewed at all, it ends with the error that says why, and there is nothing to approve. */
async function asShown(engine: Engine, live: Live): Promise<Approved | undefined> {
  const call = awaiting(live)
  const now = await lookAgain(engine, live).catch(async error => {
    if (!(error instanceof ToolError)) throw error
    await fail(engine, live, error)
  })
  if (!now) return undefined
  live.assessment = now.assessment
  mayRun(now.assessment)
  if (now.digest === call.approval.digest) return { call, digest: now.digest }
  const approval = { ...now.approval, expires_at: call.approval.expires_at }
  throw previewChanged(await waits(engine, live, { ...call, approval }))
}

async function lookAgain(engine: Engine, live: Live) {
  const { params } = live.call
  const assessment = await assess(engine, live, params)
  const fresh = await approval(engine, live, params, { ...assessment, verdict: atLeastAsk(assessment.verdict) })
  return { assessment, approval: fresh, digest: fresh.digest }
}

/** The call with other params: checked, looked at by its hooks, judged and looked at anew. Who changes them need not be
 * shown them again, unless a hook has changed them once more, or they would not do what a dry run of them told: what runs
 * is what somebody decided on. */
async function asModified(engine: Engine, live: Live, decision: Approve): Promise<Approved> {
  const call = awaiting(live)
  engine.tools.check(live.tool, decision.modified_params)
  const looked = await lookedAt(engine, live, decision.modified_params)
  const { params, assessment } = looked
  mayRun(assessment)
  if (assessment.verdict.decision === 'strict') mustConfirm(decision)
  await checkEarly(engine, live, params, assessment)
  const requested_params = 'requested_params' in call ? call.requested_params : call.params
  const modified = { ...lookedCall(call, looked), requested_params }
  const asked = { ...assessment, verdict: atLeastAsk(assessment.verdict) }
  const fresh = await approval(engine, live, params, asked, modified.hooks)
  live.assessment = assessment
  const next = { ...modified, approval: fresh }
  const { modified_params, modified_digest = fresh.digest } = decision
  if (isDeepStrictEqual(params, modified_params) && fresh.digest === modified_digest)
    return { call: next, digest: fresh.digest }
  throw previewChanged(await waits(engine, live, next))
}

async function lookedAt(engine: Engine, live: Live, params: unknown): Promise<Looked> {
  const assessment = await assess(engine, live, params)
  if (!(await isLookedAt(engine, live, assessment))) return { params, assessment, runs: [] }
  const looked = await throughHooks(engine, live, { params, assessment })
  if (looked.refused) throw new ToolError('PERMISSION_DENIED', refusalBy(looked.refused))
  return looked
}

function mayRun({ verdict }: { verdict: { decision: string; code?: ToolError['code']; reason: string } }) {
  if (verdict.decision === 'deny')
    throw new ToolError(verdict.code ?? 'PERMISSION_DENIED', `Policy refuses it, approved or not: ${verdict.reason}`)
}

const atLeastAsk = <V extends { decision: string }>(verdict: V): V =>
  verdict.decision === 'allow' ? { ...verdict, decision: 'ask' } : verdict

const previewChanged = ({ tool_call_id, approval }: CallWith<'awaiting_approval'>) =>
  new ToolError('PREVIEW_CHANGED', 'The preview has changed since it was shown. Review the new preview.', {
    tool_call_id,
    approval
  })

/** Remembers all rules of an option; gives their ids. */
async function remember(
  engine: Engine,
  live: Live,
  { scope, rule, rules = rule ? [rule] : [] }: AlwaysOption,
  { client }: Caller
): Promise<string[]> {
  const { root } = live.ctx.workspace
  const where = { scope, session_id: live.call.session_id, workspace: root }
  const added = await engine.rules.addAll(
    rules.map(each => ({ ...each, ...where })),
    client
  )
  return added.map(({ rule_id }) => rule_id)
}
