// Calls as lists show them: each of bounded size, with a reference to the whole.

import type { Call, CallError, CallResult, CallWithStatus } from '../protocol/calls.ts'
import type { ReviewComment } from '../protocol/review-comment.ts'
import { abbreviateJson } from '../text/abbreviate-json.ts'
import { withLimitedPreview } from './approvals/preview-limits.ts'

/** Maximum number of bytes of a call that a list shows whole. */
const MAX_LISTED_BYTES = 64 * 1024
/** Maximum number of bytes of one field of a call that a list abbreviates. */
const MAX_FIELD_BYTES = 8 * 1024
/** Maximum number of changes, and of others of which there may be many, of a call that a list abbreviates. */
const MAX_ITEMS = 20

const LISTED = new WeakMap<Call, { call: Call; json: string }>()

/** Returns a call as lists show it, with its JSON. */
export function toListedCall(call: Call): { call: Call; json: string } {
  const known = LISTED.get(call)
  if (known) return known
  const listed = abbreviateCall(call)
  LISTED.set(call, listed)
  return listed
}

/** Returns the JSON of a stored call as lists show it. */
export function toListedJson(json: string): string {
  return json.length * 3 <= MAX_LISTED_BYTES ? json : abbreviateCall(JSON.parse(json) as Call).json
}

function abbreviateCall(whole: Call): { call: Call; json: string } {
  const call = withLimitedPreview(whole)
  const json = JSON.stringify(call)
  if (Buffer.byteLength(json) <= MAX_LISTED_BYTES) return { call, json }
  const listed = { ...call, ...abbreviateFields(call), truncated: true, href: `/calls/${call.tool_call_id}` } as Call
  return { call: listed, json: JSON.stringify(listed) }
}

type LargeFields = Partial<
  Pick<CallWithStatus<'success'>, 'changes' | 'result'> &
    Pick<CallWithStatus<'error'>, 'error'> &
    Pick<CallWithStatus<'rejected'>, 'comments'>
>

/** Returns the fields that may be large: those that tools and callers define are abbreviated, of lists the beginning is left. */
function abbreviateFields(call: Call): Partial<Call> {
  const { params, requested_params, hooks } = call
  const { changes, result, error, comments } = call as LargeFields
  return {
    params: abbreviateJson(params, MAX_FIELD_BYTES),
    ...(requested_params !== undefined && { requested_params: abbreviateJson(requested_params, MAX_FIELD_BYTES) }),
    ...(hooks && { hooks: hooks.slice(0, MAX_ITEMS) }),
    ...(comments && { comments: abbreviateJson(comments, MAX_FIELD_BYTES) as ReviewComment[] }),
    ...(changes && { changes: changes.slice(0, MAX_ITEMS) }),
    ...(result && { result: abbreviateResult(result) }),
    ...(error?.details && {
      error: { ...error, details: abbreviateJson(error.details, MAX_FIELD_BYTES) as CallError['details'] }
    })
  } as Partial<Call>
}

const abbreviateResult = ({ title, content, data, metadata, attachments, ...rest }: CallResult): CallResult => ({
  ...rest,
  title: abbreviateJson(title, MAX_FIELD_BYTES) as string,
  content: abbreviateJson(content, MAX_FIELD_BYTES) as string,
  data: abbreviateJson(data, MAX_FIELD_BYTES),
  metadata: abbreviateJson(metadata, MAX_FIELD_BYTES) as CallResult['metadata'],
  attachments: attachments.filter(({ data_url }) => data_url.length <= MAX_FIELD_BYTES).slice(0, MAX_ITEMS)
})
