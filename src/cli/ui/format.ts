// How calls and events are told to people.
import type { Call, DryRun, Event } from '../../client/client.ts'
import { EXIT } from '../exit.ts'
import { clock, due, moment } from './format-time.ts'
import { brief, paintDiff, type Style, safe, safeJson, type Terminal } from './terminal.ts'

export const STATUS_STYLES: Record<Call['status'], Style> = {
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

/** Whether a command of the call goes on after it: as a task by the same id. */
export const runsOn = ({ tool_call_id, ...call }: Call) =>
  call.status === 'success' && (call.result.data as { task_id?: unknown } | null)?.task_id === tool_call_id

export const followWords = (id: string) => `Its output: toolgate logs ${id} --follow`

/** What a call's end means to a shell. */
export function exitOf(call: Call): number {
  if (call.status === 'error') return ERROR_EXITS[call.error.code] ?? EXIT.failed
  return STATUS_EXITS[call.status]
}
const ERROR_EXITS: Record<string, number> = {
  TIMEOUT: EXIT.timeout,
  COMMAND_BLOCKED: EXIT.rejected,
  UNDO_CONFLICT: EXIT.conflict
}
const STATUS_EXITS: Record<Exclude<Call['status'], 'error'>, number> = {
  awaiting_approval: EXIT.ok,
  queued: EXIT.ok,
  running: EXIT.ok,
  success: EXIT.ok,
  rejected: EXIT.rejected,
  cancelled: EXIT.failed,
  interrupted: EXIT.failed,
  expired: EXIT.expired
}

/** Why a call that did not succeed ended, in one line. */
export function reasonOf(call: Call): string {
  if (call.status === 'error') return `${call.error.code}: ${call.error.message}`
  const reason = 'reason' in call ? call.reason : ''
  return call.status === 'rejected' && call.user_message ? `${reason} (${call.user_message})` : reason
}

/** How a call stands that was decided on, and by whom. */
export function whatBecame(call: Call): string {
  const told = (by: { client?: string | undefined; source: string; at: string }) =>
    `by ${safe(by.client ?? by.source)} at ${clock(by.at)}`
  if (call.status === 'rejected') return `it was rejected ${told(call.rejected_by)}`
  const by = 'approved_by' in call ? call.approved_by : undefined
  const why = safe(reasonOf(call))
  return `its status is ${call.status}${why && ` (${why})`}${by ? `, approved ${told(by)}` : ''}`
}

/** What came of an approval. One that could not even begin, or whose call has failed by now, is told as that. */
export const whatCameOf = (call: Call) =>
  exitOf(call) === EXIT.ok ? 'approved' : `${call.status}: ${safe(reasonOf(call))}`

/** Everything an approver must see before deciding. */
export function approvalText(terminal: Terminal, call: Extract<Call, { status: 'awaiting_approval' }>): string {
  const { approval } = call
  const { title, text, diff, notes = [] } = approval.preview
  const who = [call.client, call.agent, call.session_id].filter(name => name !== undefined)
  return [
    `${terminal.paint('bold', safe(title))}  ${terminal.paint('gray', call.tool_call_id)}`,
    `  tool     ${safe(call.tool)}  (${approval.level})`,
    `  caller   ${safe(who.join(' / '))}`,
    `  reason   ${safe(approval.reason)}`,
    ...(call.context === undefined ? [] : [`  context  ${brief(call.context, 300)}`]),
    ...(approval.expires_at === null ? [] : [`  expires  ${due(approval.expires_at)}`]),
    `  params   ${safeJson(call.params)}`,
    ...notes.map(note => terminal.paint('yellow', `  note     ${safe(note)}`)),
    ...(text === undefined ? [] : ['', safe(text)]),
    ...(diff === undefined ? [] : ['', paintDiff(terminal, diff.trimEnd())])
  ].join('\n')
}

interface AsChanged {
  tool: string
  params: unknown
  told: DryRun
}

/** What a call would do with other params. */
export function asChangedText(terminal: Terminal, { tool, params, told: { verdict, preview } }: AsChanged): string {
  return [
    terminal.paint('bold', `\nAs you changed it: ${safe(preview?.title ?? tool)}`),
    `  verdict  ${verdict.decision}: ${safe(verdict.reason)}`,
    `  params   ${safeJson(params)}`,
    ...(preview?.text ? ['', safe(preview.text)] : []),
    ...(preview?.diff ? ['', paintDiff(terminal, preview.diff.trimEnd())] : [])
  ].join('\n')
}

/** The rules that may be remembered with an approval, as they would be. */
export const alwaysText = (terminal: Terminal, { approval }: Extract<Call, { status: 'awaiting_approval' }>): string =>
  approval.always_options
    .map(
      ({ id, label, rule, rules }) =>
        `  --always ${id}  ${safe(label)}  ${terminal.paint('gray', safeJson(rules ?? rule))}`
    )
    .join('\n')

/** One event on one line. */
export function eventLine(terminal: Terminal, event: Event): string {
  const time = moment(event.time)
  const call = event.tool_call_id === undefined ? '' : ` ${event.tool_call_id}`
  const tell = EVENT_WORDS[event.type] as ((event: Event) => string) | undefined
  // What was cut lacks what it would be told by; what a newer server tells has no words here yet.
  const words = tell && !event.truncated ? tell(event) : (event.href ?? '')
  return `${terminal.paint('gray', time)} ${terminal.paint('cyan', event.type)}${safe(call)} ${brief(words, 200)}`.trimEnd()
}

type EventWords = { [T in Event['type']]: (event: Extract<Event, { type: T }>) => string }

const EVENT_WORDS: EventWords = {
  'stream.snapshot': ({ head, pending, running }) => `at ${head}, ${pending.length} waiting, ${running.length} running`,
  'stream.gap': ({ asked, oldest }) => `events after ${asked} are gone; the oldest kept is ${oldest}`,
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
  'file.changed': ({ path, operation, added, removed, by }) =>
    `${operation} ${path}${by === 'external' ? ', by another program' : ''}${added === undefined ? '' : ` +${added}`}${removed === undefined ? '' : ` -${removed}`}`,
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
  'mcp.changed': ({ name, workspace, state, tools, reason }) =>
    `${name} in ${workspace}: ${state}, ${tools} tools${reason ? `: ${reason}` : ''}`,
  'tools.changed': ({ source, added, removed, changed }) =>
    [
      source,
      ...added.map(name => `+${name}`),
      ...removed.map(name => `-${name}`),
      ...changed.map(name => `~${name}`)
    ].join(' '),
  'rules.changed': ({ change, rule_id }) => `${change} ${rule_id}`
}
