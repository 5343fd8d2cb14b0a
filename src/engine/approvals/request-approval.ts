// A call comes to wait for a decision, for the first time or with something else to decide on.

import type { Live } from '../active-call.ts'
import type { CallWith } from '../call.ts'
import { type Engine, step } from '../engine.ts'
import { toolCall } from '../redacted-call.ts'
import { withHrefs } from './preview-files.ts'

type Waiting = CallWith<'awaiting_approval'>
type Also = Parameters<typeof step>[4]

/** Tells everybody of it, with where the texts of its files are. Resolves once that is durable. */
export async function waits(engine: Engine, live: Live, call: Waiting, also?: Also): Promise<Waiting> {
  const waiting = { ...call, approval: await withHrefs(engine, live, call.approval) }
  live.abort.signal.throwIfAborted()
  await step(engine, live, waiting, [toolCall(engine, live, waiting)], also)
  return waiting
}
