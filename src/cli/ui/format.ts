// Formats calls and events for people.

import { type Call, type DryRun, describeDecider, type Event } from '../../client/client.ts'
import { describeApprovals, formatApprovalCount } from '../../protocol/format-approval-count.ts'
import { describeNarrowestOption } from '../../protocol/narrowest-option.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { formatRejectionMessage } from '../../text/rejection-message.ts'
import { EXIT } from '../exit.ts'
import { formatClock, formatDue, formatTimestamp } from './format-time.ts'
import { colorizeDiff, oneLine, type Terminal, type TextStyle, toSafeJson, toSingleLine } from './terminal.ts'

export const STATUS_STYLES: Record<Call['status'], TextStyle> = {
  awaiting_approval: 'yellow',
  queued: 'blue',
  running: 'blue',
  success: 'green',
  error: 'red',
  rejected: 'red',
  cancelled: 'gray',
  interrupted: 'red',
  expired: 'red'
}

/** Returns true if a command of the call continues in the background: as a task with the same id. */
export const hasBackgroundJob = ({ tool_call_id, ...call }: Call) =>
  call.status === 'success' && (call.result.data as { task_id?: unknown } | null)?.task_id === tool_call_id

export const formatFollowHint = (id: string) => `Show its output: toolgate logs ${id} --follow`

/** Maps a call's outcome to an exit code. */
export function exitCodeFor(call: Call): number {
  if (call.status === 'error') return ERROR_EXIT_CODES[call.error.code] ?? EXIT.failed
  return STATUS_EXIT_CODES[call.status]
}
const ERROR_EXIT_CODES: Record<string, number> = {
  TIMEOUT: EXIT.timeout,
  COMMAND_BLOCKED: EXIT.rejected,
  UNDO_CONFLICT: EXIT.conflict
}
const STATUS_EXIT_CODES: Record<Exclude<Call['status'], 'error'>, number> = {
  awaiting_approval: EXIT.ok,
  queued: EXIT.ok,
  running: EXIT.ok,
  success: EXIT.ok,
  rejected: EXIT.rejected,
  cancelled: EXIT.failed,
  interrupted: EXIT.failed,
  expired: EXIT.expired
}

/** Formats in one line why a call did not succeed. */
export function formatReason(call: Call): string {
  if (call.status === 'error') return `${call.error.code}: ${call.error.message}`
  const reason = 'reason' in call ? call.reason : ''
  const message = call.status === 'rejected' ? formatRejectionMessage(call) : undefined
  return message === undefined ? reason : `${reason} (${message.replaceAll('\n', '; ')})`
}

/** Formats the state of a decided call, with the approver. */
export function formatDecision(call: Call): string {
  const formatActor = (by: Parameters<typeof describeDecider>[0] & { at: string }) =>
    `by ${escapeInvisible(describeDecider(by) ?? '')} at ${formatClock(by.at)}`
  if (call.status === 'rejected') return `it was rejected ${formatActor(call.rejected_by)}`
  const by = 'approved_by' in call ? call.approved_by : undefined
  const why = escapeInvisible(formatReason(call))
  return `its status is ${call.status}${why && ` (${why})`}${by ? `, approved ${formatActor(by)}` : ''}`
}

/** Formats the result of an approval; a call that could not start, or has failed by now, as that. */
export function formatApprovalResult(call: Call): string {
  if (call.status === 'awaiting_approval')
    return `${formatApprovalCount(call.approval)}: the call waits for the approval of another person`
  return exitCodeFor(call) === EXIT.ok ? 'approved' : `${call.status}: ${escapeInvisible(formatReason(call))}`
}

/** Formats everything that an approver must see before deciding. */
export function formatApproval(terminal: Terminal, call: Extract<Call, { status: 'awaiting_approval' }>): string {
  const { approval } = call
  const { title, text, diff, notes = [], information = [] } = approval.preview
  const who = [call.client, call.agent, call.session_id].filter(name => name !== undefined)
  const rule = describeNarrowestOption(approval.always_options)
  return [
    `${terminal.paint('bold', escapeInvisible(title))}  ${terminal.paint('gray', call.tool_call_id)}`,
    `  tool     ${escapeInvisible(call.tool)}  (${approval.level})`,
    `  caller   ${escapeInvisible(who.join(' / '))}`,
    `  reason   ${escapeInvisible(approval.reason)}`,
    ...formatNeededApprovals(terminal, approval),
    ...(call.context === undefined ? [] : [`  context  ${oneLine(call.context)}`]),
    ...(rule === undefined ? [] : [`  rule     ${oneLine(rule)}`]),
    ...(approval.expires_at === null ? [] : [`  expires  ${formatDue(approval.expires_at)}`]),
    ...formatParams(call.params, diff),
    ...notes.map(note => terminal.paint('yellow', `  note     ${escapeInvisible(note)}`)),
    ...information.map(fact => `  info     ${escapeInvisible(fact)}`),
    ...(text === undefined ? [] : ['', escapeInvisible(text)]),
    ...(diff === undefined ? [] : ['', colorizeDiff(terminal, diff.trimEnd())])
  ].join('\n')
}

const formatNeededApprovals = (terminal: Terminal, approval: Parameters<typeof describeApprovals>[0]): string[] => {
  const needed = describeApprovals(approval)
  return needed === undefined ? [] : [terminal.paint('yellow', `  joint    ${escapeInvisible(needed)}`)]
}

/** Params that hold texts of files, which the diff shows if there is one. */
const PARAMS_IN_DIFF: ReadonlySet<string> = new Set([
  'old',
  'new',
  'old_string',
  'new_string',
  'old_str',
  'new_str',
  'content',
  'contents',
  'file_text',
  'edits',
  'patch'
])
/** Longer values are not repeated beside the diff. */
const MAX_REPEATED_CHARACTERS = 1_000

function formatParams(params: unknown, diff: string | undefined): string[] {
  const entries = Object.entries((params ?? {}) as Record<string, unknown>)
  const sizeOf = (value: unknown) => (JSON.stringify(value) ?? '').length
  const repeated = diff
    ? entries.filter(([name, value]) => PARAMS_IN_DIFF.has(name) && sizeOf(value) > MAX_REPEATED_CHARACTERS)
    : []
  if (repeated.length === 0) return [`  params   ${toSafeJson(params)}`]
  const others = entries.filter(entry => !repeated.includes(entry))
  const sizes = repeated.map(([name, value]) => `${name} (${sizeOf(value).toLocaleString('en')} characters)`)
  return [
    ...(others.length > 0 ? [`  params   ${toSafeJson(Object.fromEntries(others))}`] : []),
    `  in diff  ${sizes.join(', ')}`
  ]
}

interface EditedCall {
  tool: string
  params: unknown
  dryRun: DryRun
}

/** Formats the preview of a call with modified params. */
export function formatEditedCall(
  terminal: Terminal,
  { tool, params, dryRun: { verdict, preview } }: EditedCall
): string {
  return [
    terminal.paint('bold', `\nWith your changes: ${escapeInvisible(preview?.title ?? tool)}`),
    `  verdict  ${verdict.decision}: ${escapeInvisible(verdict.reason)}`,
    ...formatParams(params, preview?.diff),
    ...(preview?.text ? ['', escapeInvisible(preview.text)] : []),
    ...(preview?.diff ? ['', colorizeDiff(terminal, preview.diff.trimEnd())] : [])
  ].join('\n')
}

/** Formats the rules that may be saved with an approval. */
export const formatRuleOptions = (
  terminal: Terminal,
  { approval }: Extract<Call, { status: 'awaiting_approval' }>
): string =>
  approval.always_options
    .map(
      ({ id, label, rule, rules }) =>
        `  --always ${id}  ${escapeInvisible(label)}  ${terminal.paint('gray', toSafeJson(rules ?? rule))}`
    )
    .join('\n')

/** Formats an event on one line. */
export function formatEventLine(terminal: Terminal, event: Event): string {
  const time = formatTimestamp(event.time)
  const call = event.tool_call_id === undefined ? '' : ` ${event.tool_call_id}`
  const format = EVENT_FORMATTERS[event.type] as ((event: Event) => string) | undefined
  // A truncated event lacks its details; a newer server may have events that are unknown here.
  const words = format && !event.truncated ? format(event) : (event.href ?? '')
  return `${terminal.paint('gray', time)} ${terminal.paint('cyan', event.type)}${escapeInvisible(call)} ${toSingleLine(words, 200)}`.trimEnd()
}

type EventFormatters = { [T in Event['type']]: (event: Extract<Event, { type: T }>) => string }

const EVENT_FORMATTERS: EventFormatters = {
  'stream.snapshot': ({ head, pending, running }) => `at ${head}, ${pending.length} waiting, ${running.length} running`,
  'stream.gap': ({ reason, asked, oldest }) =>
    reason === 'other_journal'
      ? `event ${asked} belongs to another journal, which was restored, repaired or lost`
      : `events after ${asked} are no longer available; the oldest is ${oldest}`,
  'tool.call': ({ tool, params, requires_approval }) =>
    `${tool} ${JSON.stringify(params)}${requires_approval ? ', waits for approval' : ''}`,
  'tool.decision': ({ decision, reason }) => `${decision}${reason ? `: ${reason}` : ''}`,
  'tool.progress': ({ message, progress, delta }) =>
    delta?.text ?? message ?? (progress === undefined ? '' : `${Math.round(progress * 100)} %`),
  'tool.result': ({ tool, status, error, reason, execution_time_ms }) => {
    const failure = (error as { code: string; message: string } | undefined) ?? undefined
    const why = failure ? ` ${failure.code}: ${failure.message}` : reason ? ` ${reason}` : ''
    return `${tool} ${status}${why}${execution_time_ms === undefined ? '' : ` in ${Math.round(execution_time_ms)} ms`}`
  },
  'tool.content_removed': ({ tool, reason, by }) => `${tool} ${reason}${by?.client ? ` by ${by.client}` : ''}`,
  'file.changed': ({ path, operation, added, removed, by }) =>
    `${operation} ${path}${by === 'external' ? ', outside Toolgate' : ''}${added === undefined ? '' : ` +${added}`}${removed === undefined ? '' : ` -${removed}`}`,
  'diagnostics.changed': ({ server, files }) =>
    `${server}: ${files.map(({ path, error, warning }) => `${path} errors ${error} warnings ${warning}`).join(', ')}`,
  'tool.delegate': ({ client_id, effect, params }) => `${client_id}: ${effect} ${JSON.stringify(params)}`,
  'tool.delegation_ended': ({ outcome, by, reason }) =>
    `${outcome}${by ? ` by ${by}` : ''}${reason ? `: ${reason}` : ''}`,
  'job.started': ({ command }) => command,
  'job.exited': ({ status, exit_code, signal, reason, quarantined, quarantine_folder }) =>
    `${status}${typeof exit_code === 'number' ? ` with ${exit_code}` : signal ? ` by ${signal}` : ''}${reason ? `: ${reason}` : ''}${quarantined ? `; moved to ${quarantine_folder}: ${quarantined.join(', ')}` : ''}`,
  'agent.state': ({ session_id, state }) => `${session_id} ${state}`,
  'index.changed': ({ workspace, state, indexed, reason }) =>
    `${workspace} ${state}, ${indexed} files${reason ? `: ${reason}` : ''}`,
  'workspace.changed': ({ workspace, available, reason }) =>
    `${workspace} ${available ? 'is available again' : `is not available: ${reason}`}`,
  'mcp.changed': ({ name, workspace, state, tools, reason }) =>
    `${name} in ${workspace}: ${state}, ${tools} tools${reason ? `: ${reason}` : ''}`,
  'tools.changed': ({ source, added, removed, changed }) =>
    [
      source,
      ...added.map(name => `+${name}`),
      ...removed.map(name => `-${name}`),
      ...changed.map(name => `~${name}`)
    ].join(' '),
  'session.mode': ({ mode, set_by, expires_at }) =>
    `${mode ?? 'as configured'}, by ${set_by}${expires_at === undefined ? '' : ` until ${expires_at}`}`,
  'rules.changed': ({ change, rule_id }) => `${change} ${rule_id}`,
  'tool.cancel': ({ reason }) => reason ?? '',
  'hub_rules.changed': ({ version, rules, saved_by }) =>
    version === null
      ? 'none: this server is no longer enrolled at the hub'
      : `${rules} rules from the hub, by ${saved_by}`
}
