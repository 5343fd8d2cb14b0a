// Groups events by call, newest call first, with the other events between them.
import type { Event } from '../../src/client/client.ts'
import { serverNameOf } from '../hub/server-name.ts'

/** A call, successive states of a session, or a single event of another kind. */
export interface Entry {
  /** Id of the call, or `seq` of the first event. Stable while the call goes on. */
  key: string
  tool_call_id?: string
  /** Oldest first. */
  events: readonly Event[]
}

export interface Filter {
  type: string
  tool: string
  session: string
  /** Name of a server of a hub. */
  server: string
  text: string
}

export const NO_FILTER: Filter = { type: '', tool: '', session: '', server: '', text: '' }

/**
 * Newest first. A call is placed by its first event, so that rows do not move as it goes on; so are the states of a session, of
 * which each call makes two or three.
 */
export function groupEvents(events: readonly Event[]): Entry[] {
  const groups = new Map<string, Event[]>()
  const entries: Entry[] = []
  for (const event of events) {
    const id = callIdOf(event)
    const group =
      id ?? (event.type === 'agent.state' ? `session ${event.session_id} ${serverNameOf(event)}` : undefined)
    const known = group === undefined ? undefined : groups.get(group)
    if (known) {
      known.push(event)
      continue
    }
    const own = [event]
    if (group !== undefined) groups.set(group, own)
    entries.push({ key: id ?? String(event.seq), events: own, ...(id !== undefined && { tool_call_id: id }) })
  }
  return entries.reverse()
}

/** Returns whether an entry has more to show than its line. */
export const isGroup = ({ tool_call_id, events }: Entry): boolean => tool_call_id !== undefined || events.length > 1

/** Returns the id of the call that an event belongs to. */
export function callIdOf(event: Event): string | undefined {
  if (event.tool_call_id !== undefined) return event.tool_call_id
  if (event.type === 'file.changed') return event.by === 'external' ? undefined : event.by.tool_call_id
  return 'task_id' in event ? event.task_id : undefined
}

/** Returns the entries that match a filter. A call is included whole if any of its events matches. */
export function filterEntries(entries: readonly Entry[], filter: Filter): readonly Entry[] {
  const { type, tool, session, server } = filter
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean)
  if (!type && !tool && !session && !server && words.length === 0) return entries
  return entries.filter(
    ({ events }) =>
      (!type || events.some(event => event.type === type)) &&
      (!tool || events.some(event => toolOf(event) === tool)) &&
      (!session || events.some(event => event.session_id === session)) &&
      (!server || events.some(event => serverNameOf(event) === server)) &&
      words.every(word => events.some(event => searchTextOf(event).includes(word)))
  )
}

interface Facets {
  types: string[]
  tools: string[]
  sessions: string[]
  /** Empty at a server itself. */
  servers: string[]
}

/** Collects the values to filter by. */
export function collectFacets(events: readonly Event[]): Facets {
  const types = new Set<string>()
  const tools = new Set<string>()
  const sessions = new Set<string>()
  const servers = new Set<string>()
  for (const event of events) {
    types.add(event.type)
    const tool = toolOf(event)
    if (tool !== undefined) tools.add(tool)
    if (event.session_id !== undefined) sessions.add(event.session_id)
    const server = serverNameOf(event)
    if (server !== undefined) servers.add(server)
  }
  return {
    types: [...types].sort(),
    tools: [...tools].sort(),
    sessions: [...sessions].sort(),
    servers: [...servers].sort()
  }
}

const toolOf = (event: Event) => ('tool' in event ? event.tool : undefined)

/** The searchable text of each event. Events never change, so it is built once. */
const searchTexts = new WeakMap<Event, string>()
function searchTextOf(event: Event): string {
  const known = searchTexts.get(event)
  if (known !== undefined) return known
  const text = JSON.stringify(event).toLowerCase()
  searchTexts.set(event, text)
  return text
}
