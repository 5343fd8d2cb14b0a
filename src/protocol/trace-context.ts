// The W3C trace context of a call, and the headers that carry one.
import { type Static, Type } from 'typebox'

export const TraceContext = Type.Object(
  {
    trace_id: Type.String({ description: 'Trace id: 32 hexadecimal digits.' }),
    span_id: Type.String({ description: 'Span id of the call: 16 hexadecimal digits.' }),
    parent_id: Type.Optional(Type.String({ description: 'Span id of the sender.' })),
    flags: Type.String({ description: '01: sampled.' }),
    state: Type.Optional(Type.String({ description: 'Header tracestate of the sender.' }))
  },
  { title: 'TraceContext', description: 'W3C trace context of the call.' }
)
export type TraceContext = Static<typeof TraceContext>

/** A trace context as it travels: in headers, or in `_meta` of an MCP message. */
export interface TraceHeaders {
  traceparent: string
  tracestate?: string
}

/** Headers of requests that submit calls. Any value is accepted: an invalid one is ignored. */
export const TRACE_HEADERS = {
  traceparent: Type.Optional(Type.String({ description: 'W3C trace context of the sender, with tracestate.' }))
}
