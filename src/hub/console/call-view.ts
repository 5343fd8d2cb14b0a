// Calls as a console shows them: in the shape that a server gives them, from the events that the hub has.
import { isObject } from '../../text/json-object.ts'
import type { KnownCallRow } from '../archive.ts'
import { viewApproval } from './approval-view.ts'
import { toConsoleId } from './call-ids.ts'

type Fields = Record<string, unknown>

/** Fields of the first event of a call that a console shows as they are. */
const TEXT_FIELDS = ['toolset', 'requested_tool', 'context'] as const
/** In place of a result that the hub does not have: it was removed, or is too large. */
const NO_RESULT = { title: '', content: '', data: null, metadata: {}, attachments: [], truncated: true }

/** Returns a call that waits, from the event that says so. */
export const viewWaitingCall = (row: KnownCallRow, began: Fields) => ({
  ...viewBase(row, began),
  status: 'awaiting_approval',
  approval: viewApproval(began.approval, row.digest)
})

/** Returns a call in any state, from its events, which may be incomplete. */
export function viewCall(row: KnownCallRow, events: readonly Fields[]) {
  const began = events.findLast(({ type }) => type === 'tool.call') ?? {}
  if (row.status === 'awaiting_approval') return viewWaitingCall(row, began)
  const decision = events.findLast(({ type }) => type === 'tool.decision')
  const ended = events.findLast(({ type }) => type === 'tool.result')
  const by = isObject(decision?.by) ? decision.by : undefined
  return {
    ...viewBase(row, began),
    status: row.status,
    ...(began.approval !== undefined && { approval: viewApproval(began.approval, null) }),
    ...(by && (row.status === 'rejected' ? { rejected_by: by } : { approved_by: by })),
    ...(row.ended_at && { finished_at: row.ended_at }),
    ...(ended && viewEnd(row.status, ended))
  }
}

function viewBase(row: KnownCallRow, began: Fields) {
  const { server_id, server_name, tool_call_id, tool, session_id, workspace, agent, client, created_at } = row
  const texts = TEXT_FIELDS.flatMap(name => (typeof began[name] === 'string' ? [[name, began[name]]] : []))
  return {
    tool_call_id: toConsoleId(server_id, tool_call_id),
    server_id,
    server_name,
    tool,
    params: began.params ?? {},
    session_id: session_id ?? '',
    workspace: workspace ?? '',
    ...(agent !== null && { agent }),
    client: client ?? '',
    created_at,
    ...Object.fromEntries(texts),
    ...(began.requested_params !== undefined && { requested_params: began.requested_params })
  }
}

function viewEnd(status: string, { result, error, reason, user_message, comments, execution_time_ms }: Fields) {
  return {
    ...(status === 'success' && {
      result: isObject(result) ? { ...NO_RESULT, ...result, content: textOf(result.content) } : NO_RESULT
    }),
    ...(status === 'error' && { error: viewError(error) }),
    ...(status !== 'success' && status !== 'error' && { reason: textOf(reason) }),
    ...(typeof user_message === 'string' && { user_message }),
    ...(Array.isArray(comments) && comments.every(isComment) && { comments }),
    ...(typeof execution_time_ms === 'number' && { execution_time_ms })
  }
}

const isComment = (comment: unknown) =>
  isObject(comment) &&
  typeof comment.path === 'string' &&
  Number.isSafeInteger(comment.line) &&
  typeof comment.text === 'string'

const viewError = (error: unknown) => {
  const { code, message } = isObject(error) ? error : {}
  return { code: textOf(code), message: textOf(message), recoverable: false }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')
