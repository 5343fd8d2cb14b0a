// The ends of a call: one function per outcome, each a step with its event.

import { describeError, ToolError } from '../errors.ts'
import type { Call, CallResult, SettledCall } from '../protocol/calls.ts'
import type { ApprovedBy } from '../protocol/decisions.ts'
import type { NewEvent } from '../protocol/events.ts'
import type { FileChange } from '../protocol/file-change.ts'
import type { ReviewComment } from '../protocol/review-comment.ts'
import type { StoreWrite } from '../store/store-schema.ts'
import type { ActiveCall } from './active-call.ts'
import { type Engine, getCallScope, transition } from './engine.ts'
import { endBackgroundCallWrites } from './jobs/background.ts'
import { getUndoAvailability } from './undo-availability.ts'

type DecisionOutcome = Extract<NewEvent, { type: 'tool.decision' }>['decision']

/** Returns the fields of an ended call that all outcomes share. */
function toEndFields<S extends SettledCall['status']>(live: ActiveCall, status: S) {
  const { call, changes } = live
  return {
    ...call,
    status,
    finished_at: new Date().toISOString(),
    ...(live.startedAt !== undefined && { execution_time_ms: live.elapsed() }),
    ...(changes.length > 0 && { changes: [...changes], undo: getUndoAvailability(changes) })
  }
}

/** Writes and events that are committed together with the end of a call. */
interface SettleOptions {
  eventsBefore?: NewEvent[]
  also?: () => StoreWrite[]
}

function settleCall(
  engine: Engine,
  live: ActiveCall,
  call: SettledCall,
  { eventsBefore = [], also }: SettleOptions = {}
): Promise<void> {
  const { tool, status, execution_time_ms } = call
  const resultEvent: NewEvent = {
    type: 'tool.result',
    ...getCallScope(call),
    tool,
    status,
    ...('error' in call && { error: call.error }),
    ...('reason' in call && { reason: call.reason }),
    ...('user_message' in call && call.user_message !== undefined && { user_message: call.user_message }),
    ...('comments' in call && call.comments && { comments: call.comments }),
    ...(call.trace && { trace: call.trace }),
    ...(call.hooks && { hooks: call.hooks }),
    ...(execution_time_ms !== undefined && { execution_time_ms })
  }
  const cleared: StoreWrite[] = live.hasProgressEvents ? [['forgetProgress', call.tool_call_id]] : []
  if (call.background) cleared.push(...endBackgroundCallWrites(call, engine.settings.commands.keep_jobs))
  const origins = recordOrigins(engine, live, live.changes)
  const durable = transition(
    engine,
    live,
    call,
    [...eventsBefore, ...live.changes.map(change => fileChangedEvent(call, change)), resultEvent],
    () => [...(also?.() ?? []), ...cleared, ...origins]
  )
  recordOutput(engine, live).catch(error => engine.log.error({ err: error, tool }, 'failed to count output'))
  cleanUp(live).catch(error => engine.log.error({ err: error, tool }, 'failed to handle a settled call'))
  return durable
}

/** Records what a call did to files, for later calls. Returns the writes to commit with it. */
export function recordOrigins(
  { origins, workspaces }: Engine,
  { call, owner }: ActiveCall,
  changes: readonly FileChange[]
): StoreWrite[] {
  const root = workspaces.get(call.workspace)?.root
  return root === undefined || changes.length === 0 ? [] : origins.record({ ...call, owner }, root, changes)
}

/** Counts the captured output of a call that no person approved. */
async function recordOutput({ outputs, storage }: Engine, live: ActiveCall) {
  if (live.share === undefined || !live.tool.traits?.capturesOutput) return
  storage.recordOutput(live, await outputs.size(live.call.tool_call_id))
}

async function cleanUp({ tool, host, call }: ActiveCall) {
  if (tool.traits?.receivesUpload) host.uploads.remove(call.tool_call_id)
}

export function settleSuccess(
  engine: Engine,
  live: ActiveCall,
  result: CallResult,
  json: string,
  cached_from?: string
) {
  live.resultJson = json
  live.sharedResultOf = cached_from
  const cached = cached_from !== undefined && { cached: true }
  return settleCall(engine, live, { ...toEndFields(live, 'success'), ...cached, result })
}

export function settleError(engine: Engine, live: ActiveCall, error: unknown, together: SettleOptions = {}) {
  const described = describeError(error)
  if (described.code === 'INTERNAL')
    engine.log.error({ err: error, tool_call_id: live.call.tool_call_id }, 'a call failed by an internal error')
  return settleCall(
    engine,
    live,
    { ...toEndFields(live, 'error'), error: engine.masking.maskValue(described) },
    together
  )
}

export function settleCancelled(
  engine: Engine,
  live: ActiveCall,
  reason: string,
  { eventsBefore = [], ...also }: SettleOptions = {}
) {
  const waited = live.call.status === 'awaiting_approval' ? [decisionEvent(live.call, 'cancelled', { reason })] : []
  return settleCall(
    engine,
    live,
    { ...toEndFields(live, 'cancelled'), reason },
    { eventsBefore: [...eventsBefore, ...waited], ...also }
  )
}

export function settleInterrupted(engine: Engine, live: ActiveCall, reason: string, together: SettleOptions = {}) {
  return settleCall(engine, live, { ...toEndFields(live, 'interrupted'), reason }, together)
}

/** Ends a call that did not succeed: as cancelled or interrupted if it was stopped, else as failed. */
export function settleStopped(
  engine: Engine,
  live: ActiveCall,
  error: unknown,
  together: SettleOptions = {}
): Promise<void> {
  const { signal } = live.abort
  if (live.stopping === 'interrupted')
    return settleInterrupted(engine, live, 'The server stopped while the command was running.', together)
  if (live.stopping === 'cancelled') return settleCancelled(engine, live, (signal.reason as Error).message, together)
  // A tool may know why it had no result in time.
  const isExplained = isTimeout(signal.reason) && isTimeout(error)
  return settleError(engine, live, signal.aborted && !isExplained ? signal.reason : error, together)
}

const isTimeout = (error: unknown) => error instanceof ToolError && error.code === 'TIMEOUT'

export function settleExpired(engine: Engine, live: ActiveCall) {
  const { call } = live
  const deadline = call.status === 'awaiting_approval' && call.approval.expires_at
  const reason = `No one approved or rejected the call in time${deadline ? `, until ${deadline}` : ''}. It has not run. If it is still needed, send it again when a person can decide.`
  return settleCall(
    engine,
    live,
    { ...toEndFields(live, 'expired'), reason },
    { eventsBefore: [decisionEvent(live.call, 'expired', { reason })] }
  )
}

export interface RejectionMessages {
  user_message?: string | undefined
  comments?: ReviewComment[] | undefined
}

/** Ends a call that a person or a deny rule rejected. */
export function settleRejected(
  engine: Engine,
  live: ActiveCall,
  options: { reason: string; by: ApprovedBy } & RejectionMessages,
  { eventsBefore = [], also }: SettleOptions = {}
) {
  const { reason, user_message, comments, by } = options
  const messages = {
    ...(user_message !== undefined && { user_message }),
    ...(comments !== undefined && comments.length > 0 && { comments })
  }
  const call = { ...toEndFields(live, 'rejected'), reason, ...messages, rejected_by: by }
  const decided = decisionEvent(live.call, 'rejected', { reason, by })
  return settleCall(engine, live, call, { eventsBefore: [...eventsBefore, decided], ...(also && { also }) })
}

export const fileChangedEvent = (call: Call, change: FileChange): NewEvent => ({
  type: 'file.changed',
  ...getCallScope(call),
  ...change,
  by: { tool_call_id: call.tool_call_id }
})

export const decisionEvent = (
  call: Call,
  decision: DecisionOutcome,
  more: { reason?: string; by?: ApprovedBy; modified_params?: unknown }
): NewEvent => ({
  type: 'tool.decision',
  ...getCallScope(call),
  decision,
  ...more
})
