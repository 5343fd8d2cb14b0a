// How a call ends: one function per way, each a step with the event that tells it.
import { describeError } from '../errors.ts'
import type { NewEvent } from '../events/events.ts'
import type { Write } from '../store/store.ts'
import type { Live } from './active-call.ts'
import type { ApprovedBy, Call, FileChange, Result, SettledCall } from './call.ts'
import { about, type Engine, step } from './engine.ts'
import { endBackgroundCall } from './jobs/background.ts'
import { undoableOf } from './undo-availability.ts'

type End = Extract<NewEvent, { type: 'tool.decision' }>['decision']

/** The call as it ends, but for what tells how. */
function ending<S extends SettledCall['status']>(live: Live, status: S) {
  const { call, changes } = live
  return {
    ...call,
    status,
    finished_at: new Date().toISOString(),
    ...(live.started !== undefined && { execution_time_ms: live.elapsed() }),
    ...(changes.length > 0 && { changes: [...changes], undo: undoableOf(changes) })
  }
}

/** What goes into the journal together with the end of a call. */
interface With {
  before?: NewEvent[]
  also?: () => Write[]
}

function end(engine: Engine, live: Live, call: SettledCall, { before = [], also }: With = {}): Promise<void> {
  const { tool, status, execution_time_ms } = call
  const told: NewEvent = {
    type: 'tool.result',
    ...about(call),
    tool,
    status,
    ...('error' in call && { error: call.error }),
    ...('reason' in call && { reason: call.reason }),
    ...('user_message' in call && call.user_message !== undefined && { user_message: call.user_message }),
    ...(call.hooks && { hooks: call.hooks }),
    ...(execution_time_ms !== undefined && { execution_time_ms })
  }
  const cleared: Write[] = live.told_progress ? [['forgetProgress', call.tool_call_id]] : []
  if (call.background) cleared.push(...endBackgroundCall(call, engine.settings.commands.keep_jobs))
  const durable = step(
    engine,
    live,
    call,
    [...before, ...live.changes.map(change => fileChanged(call, change)), told],
    () => [...(also?.() ?? []), ...cleared]
  )
  cleanUp(live).catch(error => engine.log.error({ err: error, tool }, 'settled failed'))
  return durable
}

const cleanUp = async ({ tool, ctx }: Live) => tool.settled?.(ctx)

export function succeed(engine: Engine, live: Live, result: Result, json: string, cached_from?: string) {
  live.result_json = json
  live.result_of = cached_from
  const cached = cached_from !== undefined && { cached: true }
  return end(engine, live, { ...ending(live, 'success'), ...cached, result })
}

export function fail(engine: Engine, live: Live, error: unknown, together: With = {}) {
  const described = describeError(error)
  if (described.code === 'INTERNAL')
    engine.log.error({ err: error, tool_call_id: live.call.tool_call_id }, 'a call failed by our fault')
  return end(engine, live, { ...ending(live, 'error'), error: engine.masking.maskedAll(described) }, together)
}

export function cancel(engine: Engine, live: Live, reason: string, { before = [], ...also }: With = {}) {
  const waited = live.call.status === 'awaiting_approval' ? [decided(live.call, 'cancelled', { reason })] : []
  return end(engine, live, { ...ending(live, 'cancelled'), reason }, { before: [...before, ...waited], ...also })
}

export function interrupt(engine: Engine, live: Live, reason: string, together: With = {}) {
  return end(engine, live, { ...ending(live, 'interrupted'), reason }, together)
}

/** The end of a call that did not succeed: as it was told to stop, or as it failed. */
export function stopped(engine: Engine, live: Live, error: unknown, together: With = {}): Promise<void> {
  const { signal } = live.abort
  if (live.stopping === 'interrupted') return interrupt(engine, live, 'The server stopped while it ran.', together)
  if (live.stopping === 'cancelled') return cancel(engine, live, (signal.reason as Error).message, together)
  return fail(engine, live, signal.aborted ? signal.reason : error, together)
}

export function expire(engine: Engine, live: Live) {
  const reason = 'Nobody decided in time.'
  return end(
    engine,
    live,
    { ...ending(live, 'expired'), reason },
    { before: [decided(live.call, 'expired', { reason })] }
  )
}

/** By a person, or by a rule that denies. */
export function reject(
  engine: Engine,
  live: Live,
  options: { reason: string; user_message?: string | undefined; by: ApprovedBy },
  { before = [], also }: With = {}
) {
  const { reason, user_message, by } = options
  const said = user_message !== undefined && { user_message }
  const call = { ...ending(live, 'rejected'), reason, ...said, rejected_by: by }
  const told = decided(live.call, 'rejected', { reason, by })
  return end(engine, live, call, { before: [...before, told], ...(also && { also }) })
}

export const fileChanged = (call: Call, change: FileChange): NewEvent => ({
  type: 'file.changed',
  ...about(call),
  ...change,
  by: { tool_call_id: call.tool_call_id }
})

export const decided = (
  call: Call,
  decision: End,
  more: { reason?: string; by?: ApprovedBy; modified_params?: unknown }
): NewEvent => ({
  type: 'tool.decision',
  ...about(call),
  decision,
  ...more
})
