// Decisions by people: approve, reject, cancel. Exactly one decision wins, and only what was shown runs.

import { isDeepStrictEqual } from 'node:util'
import { invalidFieldError, invalidParam, ToolError } from '../../errors.ts'
import type { AllowUndefined } from '../../protocol/allow-undefined.ts'
import type { AlwaysLimits } from '../../protocol/approvals.ts'
import type { Call, CallWithStatus } from '../../protocol/calls.ts'
import type { AlwaysOption, ApprovedBy } from '../../protocol/decisions.ts'
import { formatApprovalCount } from '../../protocol/format-approval-count.ts'
import { formatDecider } from '../../protocol/format-decider.ts'
import { steadyNow } from '../../steady-time.ts'
import { restoreRedacted } from '../../text/secrets/credentials.ts'
import { statusText } from '../../text/status-text.ts'
import { DEFAULT_REJECTION_REASON } from '../../tool/rejection.ts'
import type { ActiveCall, Caller } from '../active-call.ts'
import { refreshTool } from '../current-tool.ts'
import { type Engine, transition } from '../engine.ts'
import { applyPreHookResult, evaluateWithHooks, formatHookRefusal } from '../hooks/pre-hooks.ts'
import { redactParams } from '../redacted-call.ts'
import { runCall } from '../run.ts'
import {
  decisionEvent,
  type RejectionMessages,
  settleCancelled,
  settleError,
  settleExpired,
  settleRejected
} from '../settle.ts'
import { buildApproval } from './build-approval.ts'
import { computeDigest } from './digest.ts'
import { assertRunnable, assertWorkspacePresent, evaluateNow } from './evaluate.ts'
import { addApproval, assertParamsUnmodified } from './joint-approval.ts'
import { assertMayApprove, findOutageRefusal } from './remote-approval.ts'
import { requestApproval } from './request-approval.ts'
import { approveSourceWrites } from './source-previews.ts'
import { assertModifiedPreviewSeen, assertWholePreviewSeen } from './whole-preview.ts'

export interface ApprovalDecision {
  /** Digest of the shown preview. Required, also with modified params. */
  digest?: string | undefined
  /** Digest of the whole preview, if the one in the call is cut. */
  whole_digest?: string | undefined
  modified_params?: unknown
  /** The modified params in the names of the call's toolset. */
  modified_args?: unknown
  /** Digest of a dry run of the modified params; binds the approval to its result. */
  modified_digest?: string | undefined
  /** Id of one of the call's `always_options`. */
  always?: string | undefined
  /** Limits of the rules that it saves. */
  always_limits?: AllowUndefined<AlwaysLimits> | undefined
  confirm?: boolean | undefined
  reason?: string | undefined
}

export interface RejectionDecision extends RejectionMessages {
  reason?: string | undefined
}

/** Approves a waiting call. Resolves once the decision is durable; the scheduler then starts the call. */
export function approveCall(engine: Engine, live: ActiveCall, given: ApprovalDecision, caller: Caller): Promise<Call> {
  return withDecisionLock(live, async () => {
    const call = await takeWaitingCall(engine, live)
    if (engine.closed)
      throw new ToolError('OVERLOADED', 'The server is stopping. Send the decision again after its restart.')
    assertWorkspacePresent(engine, live)
    assertWithinLink(call, given, caller)
    const complete = completeConfirmation(engine, call, given)
    const decision = restoreCredentials(engine, call, translateModifiedArgs(engine, call, complete))
    refreshTool(engine, live, decision.modified_params ?? live.call.params)
    live.may_approve = true
    if (decision.always !== undefined && decision.modified_params !== undefined) throw alwaysWithParamsError()
    if (decision.always_limits !== undefined && decision.always === undefined)
      throw invalidFieldError('/always_limits', 'must be sent with always')
    if (decision.modified_digest !== undefined && decision.modified_params === undefined)
      throw digestWithoutParamsError()
    if (decision.modified_params !== undefined) assertParamsUnmodified(call.approval.approvals_needed)
    assertConfirmed(decision, call.approval.level)
    if (decision.digest !== call.approval.digest) {
      await approveAsShown(engine, live)
      throw previewChangedError(assertAwaitingApproval(live))
    }
    if (decision.modified_params === undefined) assertWholePreviewSeen(call, decision.whole_digest)
    const always = decision.always === undefined ? undefined : findAlwaysOption(call, decision.always)
    const approved =
      decision.modified_params === undefined
        ? await approveAsShown(engine, live)
        : await approveModified(engine, live, decision)
    if (!approved) return live.call
    assertMayApprove(engine, live.evaluation!.verdict, caller)
    const reason = decision.reason !== undefined && { reason: decision.reason }
    const decider = { ...identifyDecider(caller), ...reason, at: new Date().toISOString() }
    const joint = addApproval(approved.call, live.evaluation!.verdict, { caller, ...decider })
    if (joint?.waiting) {
      const count = formatApprovalCount(joint.waiting.approval)
      await requestApproval(engine, live, joint.waiting)
      logDecision(engine, joint.waiting, `approved by ${formatDecider({ source: 'user', ...decider })}, ${count}`)
      return joint.waiting
    }
    const remembered = always && (await prepareRules(engine, live, always, decision.always_limits ?? {}, caller))
    const made = remembered?.rules.map(({ rule_id }) => rule_id) ?? []
    const { sources } = live.evaluation!
    const wasShown = decision.modified_params === undefined || decision.modified_digest !== undefined
    const approvedSources = sources && wasShown ? approveSourceWrites(live.workspace.root, sources) : []
    const by: ApprovedBy = {
      source: 'user',
      ...decider,
      digest: approved.digest,
      ...(joint && { earlier_approvals: [...joint.earlier] }),
      ...(made[0] !== undefined && { rule_id: made[0] }),
      ...(made.length > 1 && { rule_ids: made })
    }
    const changed = decision.modified_params !== undefined && {
      modified_params: redactParams(engine, { params: decision.modified_params }).params
    }
    const next: Call = { ...approved.call, status: 'queued', approved_by: by }
    live.durableIntent = transition(
      engine,
      live,
      next,
      [...(remembered?.events ?? []), decisionEvent(next, 'approved', { by, ...changed, ...reason })],
      () => [...(remembered?.writes ?? []), ...approvedSources]
    )
    await live.durableIntent
    if (remembered) await engine.rules.enforce(remembered)
    logDecision(engine, approved.call, `approved by ${formatDecider(by)}`)
    runCall(engine, live, approved.digest).catch(error =>
      engine.log.error({ err: error, tool_call_id: next.tool_call_id }, 'failed to settle a call')
    )
    return next
  })
}

export function rejectCall(
  engine: Engine,
  live: ActiveCall,
  { reason, user_message, comments }: RejectionDecision,
  caller: Caller
): Promise<Call> {
  return withDecisionLock(live, async () => {
    const call = await takeWaitingCall(engine, live)
    const by: ApprovedBy = { source: 'user', ...identifyDecider(caller), at: new Date().toISOString() }
    await settleRejected(engine, live, { reason: reason ?? DEFAULT_REJECTION_REASON, user_message, comments, by })
    logDecision(engine, call, `rejected by ${formatDecider(by)}`)
    return live.call
  })
}

/** Returns who decides, as the journal records it. */
export const identifyDecider = ({
  client,
  token,
  via,
  link
}: Caller): Pick<ApprovedBy, 'token' | 'client' | 'via' | 'channel' | 'decision_id'> => ({
  ...(token && { token }),
  ...(link ? { via: 'notification', channel: link.channel } : { client }),
  ...(via && { via: 'hub', decision_id: via.decision_id })
})

const logDecision = (
  { log }: Engine,
  { tool, tool_call_id, approval }: CallWithStatus<'awaiting_approval'>,
  decision: string
) => log.info({ tool, tool_call_id }, `${decision}: ${approval.preview.title}`)

/** Cancels a call in any state. Resolves once it has ended; a call that has ended in the meantime does not change. */
export async function cancelCall(engine: Engine, live: ActiveCall, reason: string | undefined): Promise<Call> {
  const why = reason ?? 'Cancelled by the client.'
  const waiting = await withDecisionLock(live, async () => {
    if (live.call.status !== 'awaiting_approval') return false
    await settleCancelled(engine, live, why)
    return true
  })
  if (waiting) return live.call
  live.stopping ??= 'cancelled'
  live.abort.abort(new ToolError('CANCELLED', why))
  return live.wait({ ms: 30_000, throughApproval: true })
}

/**
 * Fills in the confirmation of the newest preview if the administrator lets the clients of the call's toolset approve by its id
 * alone. Only that preview can then run; a given digest is checked like any other.
 */
function completeConfirmation(
  { settings: { toolsets } }: Engine,
  { toolset, approval }: CallWithStatus<'awaiting_approval'>,
  given: ApprovalDecision
): ApprovalDecision {
  if (toolset === undefined || toolsets[toolset]?.strict !== 'ask') return given
  return { ...given, confirm: given.confirm ?? true, digest: given.digest ?? approval.digest }
}

/** Translates the modified params of a decision to the names of the tool. */
function translateModifiedArgs(
  engine: Engine,
  call: Call,
  { modified_args, ...decision }: ApprovalDecision
): ApprovalDecision {
  if (modified_args === undefined) return decision
  return { ...decision, modified_params: engine.tools.translateParams(call, modified_args) }
}

/** Restores the credentials in modified params, which the approver has received without them. */
function restoreCredentials(engine: Engine, call: Call, decision: ApprovalDecision): ApprovalDecision {
  if (decision.modified_params === undefined) return decision
  const from = { original: call.params, redacted: redactParams(engine, call).params }
  const modified_params = restoreRedacted(decision.modified_params, from, pointer =>
    invalidParam(
      pointer.slice(1),
      'was changed, but contains a masked value. Send the whole new value, or the original value as it was shown.'
    )
  )
  return { ...decision, modified_params }
}

/** Serializes the decisions about one call; later ones find it decided. */
export function withDecisionLock<T>(live: ActiveCall, decide: () => Promise<T>): Promise<T> {
  const turn = live.decisionQueue.then(decide, decide)
  live.decisionQueue = turn.catch(() => {})
  return turn
}

export function assertAwaitingApproval({ call }: ActiveCall): CallWithStatus<'awaiting_approval'> {
  if (call.status === 'awaiting_approval') return call
  throw alreadyDecidedError(call)
}

/** Returns the call to be decided. One whose deadline has passed expires instead, however late that is noticed. */
async function takeWaitingCall(engine: Engine, live: ActiveCall): Promise<CallWithStatus<'awaiting_approval'>> {
  engine.store.room.assertWritable()
  await expireOverdue(engine, live)
  return assertAwaitingApproval(live)
}

/** Ends the call as expired if it still waits past its deadline. Resolves when that is durable. */
export async function expireOverdue(engine: Engine, live: ActiveCall): Promise<void> {
  if (isOverdue(live.call)) await settleExpired(engine, live)
}

/** Returns true if the call waits for a decision although its deadline has passed. */
export const isOverdue = (call: Call): boolean =>
  call.status === 'awaiting_approval' &&
  call.approval.expires_at !== null &&
  Date.parse(call.approval.expires_at) <= steadyNow()

/** Returns true if the call waits for a person at the hub, which is away, and must not wait for that. */
export const isWithoutHub = (engine: Engine, call: Call): boolean =>
  call.status === 'awaiting_approval' && findOutageRefusal(engine, call.approval.approver) !== undefined

/** Rejects the call if it still waits for a person at the hub, which is away. Resolves when that is durable. */
export async function rejectWithoutHub(engine: Engine, live: ActiveCall): Promise<void> {
  if (live.call.status !== 'awaiting_approval') return
  const reason = findOutageRefusal(engine, live.call.approval.approver)
  if (reason === undefined) return
  await settleRejected(engine, live, { reason, by: { source: 'config', at: new Date().toISOString() } })
}

/** Builds the error that names who decided, what and when, or how a call ended without a decision of a person. */
export function alreadyDecidedError(call: Call): ToolError {
  const by = 'rejected_by' in call ? call.rejected_by : 'approved_by' in call ? call.approved_by : undefined
  const decision = call.status === 'rejected' ? 'rejected' : by ? 'approved' : call.status
  const finishedAt = 'finished_at' in call ? call.finished_at : undefined
  const at = by?.at ?? finishedAt
  const happened =
    by && by.source !== 'auto'
      ? `was ${decision} by ${formatDecider(by)} at ${by.at}`
      : `${statusText(call.status)}${finishedAt ? ` at ${finishedAt}` : ''}`
  return new ToolError('CONFLICT', `The call ${happened}.`, {
    status: call.status,
    decision,
    ...(by && { by }),
    ...(at && { at })
  })
}

/** Throws INVALID_PARAMS unless the decision names the shown preview and, for a strict call, confirms it. */
function assertConfirmed({ confirm, digest }: ApprovalDecision, level: 'ask' | 'strict') {
  const isStrict = level === 'strict'
  const errors = [
    ...(isStrict && confirm !== true
      ? [{ pointer: '/confirm', message: 'must be true, because the call needs strict approval' }]
      : []),
    ...(digest === undefined
      ? [{ pointer: '/digest', message: 'must be the digest of the preview that was shown' }]
      : [])
  ]
  if (errors.length === 0) return
  const needed = isStrict ? '`confirm: true` and the digest' : 'the digest'
  throw new ToolError(
    'INVALID_PARAMS',
    `To approve ${isStrict ? 'a strict' : 'this'} call, send ${needed} of the preview that was shown: \`approval.digest\` of the call, or \`digest\` in a toolset.`,
    { errors }
  )
}

/** Throws unless a decision by a link approves the preview that the link was made for, and nothing else. */
function assertWithinLink(
  { approval: { digest } }: CallWithStatus<'awaiting_approval'>,
  decision: ApprovalDecision,
  { link }: Caller
) {
  if (!link) return
  const other = NOT_BY_LINK.find(field => decision[field] !== undefined)
  if (other !== undefined)
    throw new ToolError(
      'FORBIDDEN',
      `A link of a notification approves the call as it was shown, without ${other}. Use the console.`
    )
  if (digest !== link.digest)
    throw new ToolError('CONFLICT', 'The preview of the call has changed since this link was sent.')
}

const NOT_BY_LINK = ['always', 'always_limits', 'modified_params', 'modified_args', 'modified_digest'] as const

/** Rejects `always` with modified params: the option is a rule for the params that were shown. */
const alwaysWithParamsError = () =>
  new ToolError(
    'INVALID_PARAMS',
    'Send either always or modified_params: the rule of an always option applies to the original params.',
    {
      errors: [{ pointer: '/always', message: 'cannot be saved for modified params' }]
    }
  )

const digestWithoutParamsError = () =>
  new ToolError(
    'INVALID_PARAMS',
    'modified_digest requires modified_params: it is the digest of their preview. Send both.',
    {
      errors: [{ pointer: '/modified_digest', message: 'must be sent with modified_params' }]
    }
  )

function findAlwaysOption({ approval: { always_options } }: CallWithStatus<'awaiting_approval'>, id: string) {
  const option = always_options.find(candidate => candidate.id === id)
  if (option) return option
  const known = always_options.map(candidate => candidate.id).join(', ') || 'none'
  throw new ToolError('INVALID_PARAMS', `The call has no always option ${JSON.stringify(id)}. Its options: ${known}.`, {
    errors: [{ pointer: '/always', message: `must be one of: ${known}` }]
  })
}

interface ApprovedCall {
  call: CallWithStatus<'awaiting_approval'>
  digest: string
}

/**
 * Returns the call if its effects still match what was shown. Otherwise it keeps waiting, with the new preview; if it can no
 * longer be previewed, it ends with the error that says why.
 */
async function approveAsShown(engine: Engine, live: ActiveCall): Promise<ApprovedCall | undefined> {
  const call = assertAwaitingApproval(live)
  const now = await evaluateAgain(engine, live).catch(async error => {
    if (!(error instanceof ToolError)) throw error
    await settleError(engine, live, error)
  })
  if (!now) return undefined
  assertNotDenied(now.evaluation)
  if (now.digest === call.approval.digest) {
    live.evaluation = now.evaluation
    return { call, digest: now.digest }
  }
  const { approval } = await buildApproval(engine, live, now.evaluation)
  const { expires_at } = call.approval
  throw previewChangedError(await requestApproval(engine, live, { ...call, approval: { ...approval, expires_at } }))
}

async function evaluateAgain(engine: Engine, live: ActiveCall) {
  const evaluation = await evaluateNow(engine, live)
  assertRunnable(engine, evaluation)
  return { evaluation, digest: await computeDigest(engine, live, evaluation) }
}

/**
 * Approves the call with modified params, after validation, hooks, policy and a new preview. The approver need not see them
 * again, unless a hook modified them once more or their effects differ from the dry run: only what was decided on runs.
 */
async function approveModified(engine: Engine, live: ActiveCall, decision: ApprovalDecision): Promise<ApprovedCall> {
  const call = assertAwaitingApproval(live)
  engine.tools.validate(live.tool, decision.modified_params)
  const looked = await evaluateWithHooks(engine, live, decision.modified_params)
  if (looked.refusedBy) throw new ToolError('PERMISSION_DENIED', formatHookRefusal(looked.refusedBy))
  const { params } = looked
  assertNotDenied(looked.evaluation)
  if (looked.evaluation.verdict.decision === 'strict') assertConfirmed(decision, 'strict')
  assertParamsUnmodified(looked.evaluation.verdict.approvals)
  assertRunnable(engine, looked.evaluation)
  const requested_params = 'requested_params' in call ? call.requested_params : call.params
  const modified = { ...applyPreHookResult(call, looked), requested_params }
  const { approval, evaluation } = await buildApproval(engine, live, looked.evaluation, { hooks: modified.hooks })
  assertModifiedPreviewSeen(approval, decision.modified_digest)
  const next = { ...modified, approval }
  const { modified_params, modified_digest = approval.digest } = decision
  if (isDeepStrictEqual(params, modified_params) && approval.digest === modified_digest) {
    live.evaluation = evaluation
    return { call: next, digest: approval.digest }
  }
  throw previewChangedError(await requestApproval(engine, live, next))
}

function assertNotDenied({ verdict }: { verdict: { decision: string; code?: ToolError['code']; reason: string } }) {
  if (verdict.decision === 'deny')
    throw new ToolError(
      verdict.code ?? 'PERMISSION_DENIED',
      `The rules deny the call, even if it is approved: ${verdict.reason}`
    )
}

const previewChangedError = ({ tool_call_id, approval }: CallWithStatus<'awaiting_approval'>) =>
  new ToolError('PREVIEW_CHANGED', 'The preview has changed since it was shown. Review the new preview.', {
    tool_call_id,
    approval
  })

/** Prepares the rules of an option, to be committed together with the decision. */
function prepareRules(
  engine: Engine,
  live: ActiveCall,
  { scope: offered, rule, rules = rule ? [rule] : [] }: AlwaysOption,
  { scope, ...ends }: AllowUndefined<AlwaysLimits>,
  { client }: Caller
) {
  const { root } = live.workspace
  const where = {
    ...ends,
    scope: scope ?? offered,
    session_id: live.call.session_id,
    token_id: live.owner,
    workspace: root
  }
  return engine.rules.prepare(
    rules.map(each => ({ ...each, ...where })),
    client
  )
}
