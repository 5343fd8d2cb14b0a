// Replaces the content of an ended call and its events by a mark: what was sent, shown, printed and answered. What remains says
// which tool ran when, for whom, who decided, and which files it changed.

import type { Call, CallError, CallResult, SettledCall } from '../protocol/calls.ts'
import type { ContentRemoval } from '../protocol/content-removal.ts'
import type { EventType } from '../protocol/events.ts'
import type { FileChange } from '../protocol/file-change.ts'

const MARKS: Record<ContentRemoval['reason'], string> = {
  purged: 'Content removed: a person purged the call.',
  sensitive:
    'Content removed: the call used a file that may contain secrets, and the content of such calls is stored only for 24 hours.'
}

/** Fields of a call that remain. */
const CALL_FIELDS: readonly string[] = [
  'status',
  'tool_call_id',
  'tool',
  'params',
  'toolset',
  'requested_tool',
  'session_id',
  'workspace',
  'agent',
  'background',
  'client',
  'hooks',
  'attempts',
  'created_at',
  'timeout_ms',
  'approval',
  'approved_by',
  'rejected_by',
  'started_at',
  'finished_at',
  'execution_time_ms',
  'cached',
  'changes',
  'undo',
  'error',
  'reason'
]

const JOB_FIELDS: readonly string[] = [
  'task_id',
  'tool',
  'session_id',
  'workspace',
  'client',
  'command',
  'cwd',
  'isolation',
  'interactive',
  'pty',
  'status',
  'started_at',
  'ended_at',
  'output_bytes',
  'exit_code',
  'signal',
  'duration_ms'
]

const COMMON_EVENT_FIELDS: readonly string[] = ['seq', 'time', 'type', 'session_id', 'workspace', 'tool_call_id']
const CHANGE_FIELDS: readonly string[] = ['path', 'operation', 'kind', 'from', 'before_mode', 'after_mode']
/** They lead to stored contents, which undo needs; a guessed content could be compared with them. */
const HASH_FIELDS: readonly string[] = ['before_hash', 'after_hash', 'from_hash', 'before_attributes']

/** Fields of the events of a call that remain. */
const EVENT_FIELDS: Partial<Record<EventType, readonly string[]>> = {
  'tool.call': ['tool', 'params', 'toolset', 'requested_tool', 'requires_approval', 'agent', 'client', 'approval'],
  'tool.decision': ['decision', 'by'],
  'tool.result': ['status', 'tool', 'error', 'execution_time_ms'],
  'tool.content_removed': ['tool', 'reason', 'by'],
  'file.changed': [...CHANGE_FIELDS, ...HASH_FIELDS, 'by'],
  'tool.delegate': ['delegation_id', 'effect', 'client_id', 'params', 'expires_at'],
  'tool.delegation_ended': ['delegation_id', 'outcome', 'by'],
  'job.started': ['task_id', 'command', 'cwd', 'isolation', 'interactive', 'pty'],
  'job.exited': ['task_id', 'status', 'exit_code', 'signal', 'duration_ms']
}

type Fields = Record<string, unknown>
const pick = (value: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.filter(name => value[name] !== undefined).map(name => [name, value[name]]))

const removeReason = (value: unknown) => {
  if (typeof value !== 'object' || value === null) return value
  const { reason: _, digest: __, ...rest } = value as Fields
  return rest
}

/** Replacements of fields that hold content, by name. */
const REPLACEMENTS: Record<string, (value: unknown, removal: ContentRemoval) => unknown> = {
  params: () => ({}),
  approval: (value, { reason }) => ({
    ...pick(value as Fields, ['level', 'reason', 'expires_at', 'available_decisions']),
    digest: '',
    matched_rules: [],
    preview: { title: MARKS[reason] },
    always_options: []
  }),
  approved_by: removeReason,
  rejected_by: removeReason,
  by: removeReason,
  hooks: value => (value as Fields[]).map(run => pick(run, ['name', 'when', 'source', 'outcome', 'ms'])),
  command: (_, { reason }) => MARKS[reason],
  error: (value, { reason }) =>
    ({ ...pick(value as Fields, ['code', 'recoverable']), message: MARKS[reason] }) as CallError,
  changes: (value, removal) => (value as FileChange[]).map(change => removeHashes(change as Fields, removal)),
  undo: (value, { reason }) => (reason === 'purged' ? { available: false, reason: MARKS[reason] } : value)
}

/** Undo needs the hashes; a purge takes its contents away. */
const removeHashes = (change: Fields, { reason }: ContentRemoval): Fields =>
  reason === 'purged' ? pick(change, CHANGE_FIELDS) : change

const removeFields = (value: Fields, names: readonly string[], removal: ContentRemoval): Fields => {
  const remaining = pick(value, names)
  const replaced = Object.keys(remaining).filter(name => Object.hasOwn(REPLACEMENTS, name))
  return {
    ...remaining,
    ...Object.fromEntries(replaced.map(name => [name, REPLACEMENTS[name]!(remaining[name], removal)]))
  }
}

export function removeCallContent(call: SettledCall, removal: ContentRemoval): Call {
  const remaining = removeFields(call as unknown as Fields, CALL_FIELDS, removal)
  const reason = 'reason' in call && { reason: MARKS[removal.reason] }
  return { ...remaining, ...reason, content_removed: removal } as unknown as Call
}

/** Returns what stands in place of the result of a call. */
export const removedResult = ({ reason }: ContentRemoval): CallResult => ({
  title: MARKS[reason],
  content: MARKS[reason],
  data: null,
  metadata: {},
  attachments: [],
  truncated: false
})

/** Returns the JSON of an event without its content, under the same number. */
export function removeEventContent(json: string, removal: ContentRemoval): string {
  const event = JSON.parse(json) as Fields & { type: EventType }
  const names = [...COMMON_EVENT_FIELDS, ...(EVENT_FIELDS[event.type] ?? [])]
  const remaining = removeFields(event, names, removal)
  if (removal.reason === 'purged') for (const name of HASH_FIELDS) delete remaining[name]
  return JSON.stringify({ ...remaining, ...(event.type !== 'tool.content_removed' && { content_removed: removal }) })
}

export const removeJobContent = (job: object, removal: ContentRemoval): object =>
  removeFields(job as Fields, JOB_FIELDS, removal)
