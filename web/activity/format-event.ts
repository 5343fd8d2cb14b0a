// Formats an event in one line.
import type { Event } from '../../src/client/client.ts'

export type EventByType<T extends Event['type']> = Extract<Event, { type: T }>

/** Formats one event in a line. Events that were too large to be published lack their large fields. */
export function formatEvent(event: Event): string {
  try {
    return (EVENT_FORMATTERS[event.type] as (event: Event) => string)(event)
  } catch {
    return NOT_UNDERSTOOD
  }
}

/** Servers of other versions, and hostile ones, send a hub events of other shapes. */
const NOT_UNDERSTOOD = 'unknown event'

const EVENT_FORMATTERS: { [T in Event['type']]: (event: EventByType<T>) => string } = {
  'stream.snapshot': ({ head }) => `at ${head}`,
  'stream.gap': ({ reason, oldest }) =>
    reason === 'other_journal'
      ? 'the journal was restored, repaired or lost'
      : `events before ${oldest} are no longer available`,
  'tool.call': ({ tool, params, requested_tool, requires_approval }) =>
    joinParts(
      `${tool} ${summarizeParams(params)}`,
      requested_tool === undefined ? undefined : `requested as ${requested_tool}`,
      requires_approval ? 'waiting for approval' : undefined
    ),
  'tool.decision': ({ decision, by, reason }) => joinParts(decision, formatDecider(by), reason),
  'tool.progress': ({ progress, message, delta }) =>
    joinParts(progress === undefined ? undefined : `${Math.round(progress * 100)} %`, message, delta?.text.trim()),
  'tool.result': event => joinParts(event.status, resultTitle(event)),
  'tool.content_removed': ({ tool, reason, by }) => joinParts(tool, reason, formatDecider(by)),
  'file.changed': ({ operation, path, from, added, removed, by }) =>
    joinParts(
      operation,
      from === undefined ? path : `${from} → ${path}`,
      added === undefined ? undefined : `+${added} −${removed ?? 0}`,
      by === 'external' ? 'outside Toolgate' : undefined
    ),
  'diagnostics.changed': ({ server, files }) =>
    `${server}: ${files?.map(({ path }) => path).join(', ') ?? 'many files'}`,
  'tool.delegate': ({ effect, client_id }) => `${effect} requested from ${client_id}`,
  'tool.delegation_ended': ({ outcome, by, reason }) => joinParts(outcome, by && `by ${by}`, reason),
  'job.started': ({ command }) => command,
  'job.exited': ({ status, exit_code, reason }) =>
    joinParts(status, typeof exit_code === 'number' ? `code ${exit_code}` : undefined, reason),
  'agent.state': ({ session_id, state }) => joinParts(session_id, state.replaceAll('_', ' ')),
  'index.changed': ({ state, indexed }) => `${state}, ${indexed} files`,
  'workspace.changed': ({ available, reason }) => (available ? 'available again' : joinParts('gone', reason)),
  'mcp.changed': ({ name, state, reason }) => joinParts(name, state.replaceAll('_', ' '), reason),
  'tools.changed': ({ source, added, removed, changed }) =>
    `${source}: ${added?.length ?? 'many'} new, ${removed?.length ?? 'many'} gone, ${changed?.length ?? 'many'} changed`,
  'session.mode': ({ mode, set_by }) => `${mode ?? 'as configured'}, by ${set_by}`,
  'rules.changed': ({ change, rule_id }) => `${change} ${rule_id}`,
  'tool.cancel': ({ by, reason }) => joinParts(formatDecider(by), reason),
  'hub_rules.changed': ({ version, rules, saved_by }) =>
    version === null
      ? 'none: the server is no longer enrolled at the hub'
      : `${rules} rules from the hub, saved by ${saved_by}`
}

const formatDecider = (by: unknown) => {
  const client = (by as { client?: string } | undefined)?.client
  return client === undefined ? undefined : `by ${client}`
}
const joinParts = (...parts: (string | undefined)[]) => parts.filter(Boolean).join(' · ')

/** Summarizes params in a line: multi-line texts and file contents by their length. */
export function summarizeParams(params: unknown): string {
  if (typeof params !== 'object' || params === null) return ''
  return Object.entries(params)
    .flatMap(([name, value]) => {
      if (typeof value === 'number') return [String(value)]
      if (typeof value !== 'string') return []
      return [value.includes('\n') || TEXT_PARAMS.has(name) ? `${name} of ${formatLineCount(value)}` : value]
    })
    .join(' ')
    .slice(0, 300)
}

interface CallDescription {
  /** Title of the result. */
  title?: string | undefined
  /** The preview shown while it waited. */
  shown?: string | undefined
  params: unknown
  /** The reason it did nothing. */
  why?: string | undefined
}

/** Describes the effect of a call; for one that did nothing, the intended effect and the reason. */
export const describeCall = ({ title, shown, params, why }: CallDescription): string =>
  title ?? joinParts(shown ?? summarizeParams(params), why)

/** Params that hold file contents, in any tool. */
const TEXT_PARAMS: ReadonlySet<string> = new Set(['content', 'old', 'new', 'patch', 'old_string', 'new_string', 'text'])

function formatLineCount(text: string): string {
  const count = text === '' ? 0 : text.replace(/\n$/, '').split('\n').length
  return count === 1 ? '1 line' : `${count} lines`
}

/** The preview of a pending call. */
export const pendingPreview = (call: EventByType<'tool.call'> | undefined) =>
  (call?.approval as { preview: { title: string; diff?: string } } | undefined)?.preview

export const resultTitle = (result: EventByType<'tool.result'> | undefined) =>
  (result?.result as { title?: string } | undefined)?.title ??
  (result?.error as { message?: string } | undefined)?.message ??
  result?.reason
