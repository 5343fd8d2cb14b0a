// Moves a running call to the background, so that the caller need not wait for it.
import { ToolError } from '../../errors.ts'
import type { Call } from '../../protocol/calls.ts'
import type { StoreWrite } from '../../store/store-schema.ts'
import { statusText } from '../../text/status-text.ts'
import type { ActiveCall } from '../active-call.ts'
import { type Engine, getCallScope, transition } from '../engine.ts'

/** Maximum time in milliseconds for a detaching call to settle. */
const DETACH_TIMEOUT_MS = 5_000

/** Detaches a call: one that can leave a job settles, any other keeps running. Its waiters are answered. */
export async function sendToBackground(engine: Engine, live: ActiveCall): Promise<void> {
  const { call, tool } = live
  if (call.status !== 'running') throw notRunningError(call)
  const { detachable } = tool.traits ?? {}
  const moves = typeof detachable === 'function' ? detachable(call.params) : detachable
  // Undo has to hold all that a covered command changes, so its call goes on.
  if (moves && typeof live.evaluation?.tracking !== 'object') {
    engine.jobs.assertCapacity()
    live.detach.abort()
    await live.wait({ ms: DETACH_TIMEOUT_MS, throughApproval: true })
    return
  }
  if (!call.background) {
    const moved = {
      type: 'tool.progress' as const,
      ...getCallScope(call),
      message: 'The call continues in the background.'
    }
    live.hasProgressEvents = true
    await transition(engine, live, { ...call, background: true }, [moved], () => [backgroundCallWrite(call)])
  }
  live.releaseWaiters()
}

/** Returns the row by which a call is found as a task. */
export const backgroundCallWrite = ({ tool_call_id, workspace }: Call): StoreWrite => [
  'backgroundCall',
  tool_call_id,
  workspace
]

/** Returns the writes for the end of a background call. */
export const endBackgroundCallWrites = ({ tool_call_id }: Call, keep: number): StoreWrite[] => [
  ['endBackgroundCall', tool_call_id],
  ['forgetTasks', 'call', 'call', keep]
]

/** Builds an error with the call's actual status. */
export const notRunningError = ({ status }: Call) =>
  new ToolError('CONFLICT', `Only a running call can be moved to the background; this call ${statusText(status)}.`, {
    status
  })
