// W3C Trace Context: reads the headers `traceparent` and `tracestate`, and writes them for the span of a call. What is invalid is
// ignored, as the specification demands.
import type { TraceContext, TraceHeaders } from '../protocol/trace-context.ts'

/** The span of the sender of a request. */
export interface ParentSpan {
  trace_id: string
  parent_id: string
  flags: string
  state?: string
}

const TRACEPARENT =
  /^(?<version>[0-9a-f]{2})-(?<trace_id>[0-9a-f]{32})-(?<parent_id>[0-9a-f]{16})-(?<flags>[0-9a-f]{2})(?<rest>-.*)?$/s
const ZEROS = /^0+$/
/** Bits of the flags that are defined: sampled, and random trace id. */
const KNOWN_FLAGS = 0x03
const MAX_TRACEPARENT_LENGTH = 256
/** Longer values are not read. */
const MAX_STATE_INPUT_LENGTH = 8_192
/** Length to which the state is cut, by whole members. */
const MAX_STATE_LENGTH = 512
const MAX_STATE_MEMBERS = 32
/** Members above this length are left out first. */
const LONG_MEMBER_LENGTH = 128
const MEMBER =
  /^(?<key>[a-z][a-z0-9_\-*/]{0,255}|[a-z0-9][a-z0-9_\-*/]{0,240}@[a-z][a-z0-9_\-*/]{0,13})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/

/** Returns the span of the sender; undefined if the value is not valid. */
export function parseTraceContext(traceparent: unknown, tracestate: unknown): ParentSpan | undefined {
  if (typeof traceparent !== 'string' || traceparent.length > MAX_TRACEPARENT_LENGTH) return undefined
  const { version, trace_id, parent_id, flags, rest } = TRACEPARENT.exec(traceparent)?.groups ?? {}
  if (!trace_id || !parent_id || !flags || ZEROS.test(trace_id) || ZEROS.test(parent_id)) return undefined
  if (version === 'ff' || (version === '00' && rest !== undefined)) return undefined
  const state = parseTraceState(tracestate)
  const known = (Number.parseInt(flags, 16) & KNOWN_FLAGS).toString(16).padStart(2, '0')
  return { trace_id, parent_id, flags: known, ...(state !== undefined && { state }) }
}

/** Returns the state, bounded; undefined if it is empty, or one of its members is invalid. */
function parseTraceState(text: unknown): string | undefined {
  if (typeof text !== 'string' || text.length > MAX_STATE_INPUT_LENGTH) return undefined
  const members = text
    .split(',')
    .map(member => member.trim())
    .filter(member => member !== '')
  const keys = members.map(member => MEMBER.exec(member)?.groups?.key)
  if (keys.includes(undefined) || new Set(keys).size < keys.length || keys.length > MAX_STATE_MEMBERS) return undefined
  return cutMembers(members).join(',') || undefined
}

/** Leaves out long members, and then the last ones, until the rest is short enough. */
function cutMembers(members: readonly string[]): readonly string[] {
  if (members.join(',').length <= MAX_STATE_LENGTH) return members
  const left = members.filter(({ length }) => length <= LONG_MEMBER_LENGTH)
  while (left.join(',').length > MAX_STATE_LENGTH) left.pop()
  return left
}

/** Returns the headers for what a call asks of others: they are children of its span. */
export const toTraceHeaders = ({ trace_id, span_id, flags, state }: TraceContext): TraceHeaders => ({
  traceparent: `00-${trace_id}-${span_id}-${flags}`,
  ...(state !== undefined && { tracestate: state })
})
