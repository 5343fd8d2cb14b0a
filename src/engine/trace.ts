// The span of a call. Its id is known from the start, so that it can be handed on.
import { randomBytes } from 'node:crypto'
import type { TraceContext } from '../protocol/trace-context.ts'
import type { ParentSpan } from '../text/trace-context.ts'

/** Sampled, with a random id. */
const NEW_TRACE_FLAGS = '03'

/** Creates the span of a call as a child of its sender's; without one, as the root of a new trace. */
export function createTrace(parent: ParentSpan | undefined): TraceContext {
  const span_id = randomBytes(8).toString('hex')
  return parent
    ? { ...parent, span_id }
    : { trace_id: randomBytes(16).toString('hex'), span_id, flags: NEW_TRACE_FLAGS }
}
