// Approval requests: a call starts to wait for a decision, or waits again with other effects to decide on.

import type { CallWithStatus } from '../../protocol/calls.ts'
import type { ActiveCall } from '../active-call.ts'
import { type Engine, transition } from '../engine.ts'
import { withoutPlan } from '../evaluation.ts'
import { toolCallEvent } from '../redacted-call.ts'

type PendingCall = CallWithStatus<'awaiting_approval'>
type ExtraWrites = Parameters<typeof transition>[4]

/** Publishes the request. Resolves once it is durable. */
export async function requestApproval(
  engine: Engine,
  live: ActiveCall,
  waiting: PendingCall,
  also?: ExtraWrites
): Promise<PendingCall> {
  live.abort.signal.throwIfAborted()
  if (live.evaluation) live.evaluation = withoutPlan(live.evaluation)
  await transition(engine, live, waiting, [toolCallEvent(engine, waiting)], also)
  return waiting
}
