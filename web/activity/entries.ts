// Events as a person reads them: what belongs to one call together, newest call first, and the rest between them.
import type { Event } from '../../src/client/client.ts'

type Told<T extends Event['type']> = Extract<Event, { type: T }>

/** A call, or one event that is of no call. */
export interface Entry {
  /** Of the call, or `seq` of the event. It stays what it is while the call goes on. */
  key: string
  tool_call_id?: string
  /** Oldest first. */
  events: readonly Event[]
}

export interface Filter {
  type: string
  tool: string
  session: string
  text: string
}

export const NO_FILTER: Filter = { type: '', tool: '', session: '', text: '' }

/** Newest first. A call stands where its first event came, so that nothing moves as it goes on. */
export function entriesOf(events: readonly Event[]): Entry[] {
  const calls = new Map<string, Event[]>()
  const entries: Entry[] = []
  for (const event of events) {
    const id = callOf(event)
    const known = id === undefined ? undefined : calls.get(id)
    if (known) {
      known.push(event)
      continue
    }
    const own = [event]
    if (id !== undefined) calls.set(id, own)
    entries.push({ key: id ?? String(event.seq), events: own, ...(id !== undefined && { tool_call_id: id }) })
  }
  return entries.reverse()
}

/** The call that an event belongs to. */
export function callOf(event: Event): string | undefined {
  if (event.tool_call_id !== undefined) return event.tool_call_id
  if (event.type === 'file.changed') return event.by === 'external' ? undefined : event.by.tool_call_id
  return 'task_id' in event ? event.task_id : undefined
}

/** The entries that a filter leaves. A call stays whole where one of its events is what is looked for. */
export function filtered(entries: readonly Entry[], filter: Filter): readonly Entry[] {
  const { type, tool, session } = filter
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean)
  if (!type && !tool && !session && words.length === 0) return entries
  return entries.filter(
    ({ events }) =>
      (!type || events.some(event => event.type === type)) &&
      (!tool || events.some(event => toolOf(event) === tool)) &&
      (!session || events.some(event => event.session_id === session)) &&
      words.every(word => events.some(event => textOf(event).includes(word)))
  )
}

/** What there is to filter by. */
export function facets(events: readonly Event[]): { types: string[]; tools: string[]; sessions: string[] } {
  const types = new Set<string>()
  const tools = new Set<string>()
  const sessions = new Set<string>()
  for (const event of events) {
    types.add(event.type)
    const tool = toolOf(event)
    if (tool !== undefined) tools.add(tool)
    if (event.session_id !== undefined) sessions.add(event.session_id)
  }
  return { types: [...types].sort(), tools: [...tools].sort(), sessions: [...sessions].sort() }
}

const toolOf = (event: Event) => ('tool' in event ? event.tool : undefined)

/** What is searched of an event. An event never changes, so that it is written out once. */
const texts = new WeakMap<Event, string>()
function textOf(event: Event): string {
  const known = texts.get(event)
  if (known !== undefined) return known
  const text = JSON.stringify(event).toLowerCase()
  texts.set(event, text)
  return text
}

/** What the line of a call tells. */
export interface CallSummary {
  /** None where the call is older than what is kept. */
  tool: string | undefined
  about: string
  status: string
  session: string | undefined
  ms: number | undefined
  files: number
}

export function summaryOf({ events }: Entry): CallSummary {
  const call = last(events, 'tool.call')
  const result = last(events, 'tool.result')
  return {
    tool: result?.tool ?? call?.tool,
    about: titleOf(result) ?? aboutOf(call?.params),
    status: statusOf(events, call, result),
    session: events[0]?.session_id,
    ms: result?.execution_time_ms,
    files: events.filter(({ type }) => type === 'file.changed').length
  }
}

function statusOf(events: readonly Event[], call?: Told<'tool.call'>, result?: Told<'tool.result'>): string {
  if (events.some(({ type }) => type === 'job.started') && !events.some(({ type }) => type === 'job.exited'))
    return 'job runs'
  if (result) return result.status
  const decision = last(events, 'tool.decision')
  // A call is told anew when what it would do has changed: then the decision before that says nothing.
  if (decision && (!call || decision.seq > call.seq))
    return decision.decision === 'approved' ? 'running' : decision.decision
  return call?.requires_approval ? 'waits' : call ? 'running' : 'seen'
}

function last<T extends Event['type']>(events: readonly Event[], type: T): Told<T> | undefined {
  return events.findLast((event): event is Told<T> => event.type === type)
}

const titleOf = (result: Told<'tool.result'> | undefined) =>
  (result?.result as { title?: string } | undefined)?.title ??
  (result?.error as { message?: string } | undefined)?.message ??
  result?.reason

/** The params that say most in a line. */
function aboutOf(params: unknown): string {
  if (typeof params !== 'object' || params === null) return ''
  const said = Object.values(params).filter(value => typeof value === 'string' || typeof value === 'number')
  return said.join(' ').slice(0, 300)
}

/** What the line of one event tells. Of one that was too large to be told, large fields are missing. */
export const wordsOf = (event: Event): string => (WORDS[event.type] as (event: Event) => string)(event)

const WORDS: { [T in Event['type']]: (event: Told<T>) => string } = {
  'stream.snapshot': ({ head }) => `at ${head}`,
  'stream.gap': ({ oldest }) => `nothing is kept before ${oldest}`,
  'tool.call': ({ tool, params, requires_approval }) =>
    `${tool} ${aboutOf(params)}${requires_approval ? ', waits for a decision' : ''}`,
  'tool.decision': ({ decision, by, reason }) => joined(decision, clientOf(by), reason),
  'tool.progress': ({ progress, message, delta }) =>
    joined(progress === undefined ? undefined : `${Math.round(progress * 100)} %`, message, delta?.text.trim()),
  'tool.result': event => joined(event.status, titleOf(event)),
  'file.changed': ({ operation, path, from, added, removed, by }) =>
    joined(
      operation,
      from === undefined ? path : `${from} → ${path}`,
      added === undefined ? undefined : `+${added} −${removed ?? 0}`,
      by === 'external' ? 'by somebody else' : undefined
    ),
  'diagnostics.changed': ({ server, files }) =>
    `${server}: ${files?.map(({ path }) => path).join(', ') ?? 'many files'}`,
  'tool.delegate': ({ effect, client_id }) => `${effect} asked of ${client_id}`,
  'tool.delegation_ended': ({ outcome, by, reason }) => joined(outcome, by && `by ${by}`, reason),
  'job.started': ({ command }) => command,
  'job.exited': ({ status, exit_code, reason }) =>
    joined(status, typeof exit_code === 'number' ? `code ${exit_code}` : undefined, reason),
  'agent.state': ({ session_id, state }) => joined(session_id, state.replaceAll('_', ' ')),
  'index.changed': ({ state, indexed }) => `${state}, ${indexed} files`,
  'mcp.changed': ({ name, state, reason }) => joined(name, state.replaceAll('_', ' '), reason),
  'tools.changed': ({ source, added, removed, changed }) =>
    `${source}: ${added?.length ?? 'many'} new, ${removed?.length ?? 'many'} gone, ${changed?.length ?? 'many'} changed`,
  'rules.changed': ({ change, rule_id }) => `${change} ${rule_id}`
}

const clientOf = (by: unknown) => {
  const client = (by as { client?: string } | undefined)?.client
  return client === undefined ? undefined : `by ${client}`
}
const joined = (...parts: (string | undefined)[]) => parts.filter(Boolean).join(' · ')
