// A call comes to wait for a decision, for the first time or with something else to decide on.

import type { ActiveCall } from '../active-call.ts'
import type { CallWithStatus } from '../call.ts'
import { type Engine, transition } from '../engine.ts'
import { toolCallEvent } from '../redacted-call.ts'
import { addFileHrefs } from './preview-files.ts'

type PendingCall = CallWithStatus<'awaiting_approval'>
type ExtraWrites = Parameters<typeof transition>[4]

/** Tells everybody of it, with where the texts of its files are. Resolves once that is durable. */
export async function requestApproval(
  engine: Engine,
  live: ActiveCall,
  call: PendingCall,
  also?: ExtraWrites
): Promise<PendingCall> {
  const waiting = { ...call, approval: await addFileHrefs(engine, live, call.approval) }
  live.abort.signal.throwIfAborted()
  await transition(engine, live, waiting, [toolCallEvent(engine, live, waiting)], also)
  return waiting
}
