// State of the lists: the filter of the address, and the rows that match it, current or as of the last pause.
import { computed, signal } from '@preact/signals'
import type { Call, Event } from '../../src/client/client.ts'
import { route } from '../shell/routes.ts'
import { eventRing } from '../store/event-ring.ts'
import { jobs } from '../store/jobs.ts'
import { type CallRow, withJob } from './call-row.ts'
import { eventsVersion, liveCalls, type OlderQuery, older } from './call-store.ts'
import { filterEvents } from './events.ts'
import { type Facet, matchesCall, readFilter, toWords } from './filter.ts'

export const filter = computed(() => readFilter(route.value.query))
const words = computed(() => toWords(filter.value.text))

/** The filters that the server applies. */
export const olderQuery = computed((): OlderQuery => {
  const { status, tool, session } = filter.value
  return {
    ...(status && { status: status as Call['status'] }),
    ...(tool && { tool }),
    ...(session && { session_id: session })
  }
})
/** True if loaded calls may not match: the server does not have these filters. */
export const isFilteredHere = computed(() => filter.value.text !== '' || filter.value.agent !== '')

/** The rows at the time of the pause. */
const paused = signal<Snapshot | undefined>(undefined)

interface Snapshot {
  calls: readonly CallRow[]
  /** Oldest first. */
  events: readonly Event[]
  eventCount: number
}

const current = computed((): Snapshot => {
  eventsVersion.value
  const { events, evicted } = eventRing
  return { calls: liveCalls.value, events: events.slice(), eventCount: evicted + events.length }
})
const shown = computed(() => paused.value ?? current.value)

/** The calls that match the filter, newest first. */
export const calls = computed((): readonly CallRow[] => [...newestCalls.value, ...olderMatches.value])
const newestCalls = computed(() => selectCalls(shown.value.calls))
const olderMatches = computed(() => selectCalls(older.value.rows))

function selectCalls(rows: readonly CallRow[]): CallRow[] {
  const running = jobs.value
  const wanted = filter.value
  const withJobs = running.size === 0 ? rows : rows.map(row => withJob(row, running.get(row.id)))
  return withJobs.filter(row => matchesCall(row, wanted, words.value))
}

/** The events that match the filter, newest first. */
export const events = computed(() => filterEvents(shown.value.events, filter.value).toReversed())

/** Number of events that were published before those of the list. */
export const skippedEvents = computed(() => shown.value.eventCount - shown.value.events.length)

/** The values to filter by. */
export const facets = computed((): Record<Exclude<Facet, 'status'>, string[]> => {
  const rows = [liveFacets.value, olderFacets.value]
  const merge = (name: keyof CallFacets) => [...new Set(rows.flatMap(found => [...found[name]]))].sort()
  return {
    tool: merge('tool'),
    agent: merge('agent'),
    session: merge('session'),
    server: merge('server'),
    type: [...new Set(shown.value.events.map(({ type }) => type))].sort()
  }
})
const liveFacets = computed(() => collectFacets(shown.value.calls))
const olderFacets = computed(() => collectFacets(older.value.rows))

type CallFacets = Record<'tool' | 'agent' | 'session' | 'server', Set<string>>

function collectFacets(rows: readonly CallRow[]): CallFacets {
  const found: CallFacets = { tool: new Set(), agent: new Set(), session: new Set(), server: new Set() }
  for (const { tool, agent, session, server } of rows) {
    if (tool) found.tool.add(tool)
    if (agent !== undefined) found.agent.add(agent)
    if (session !== undefined) found.session.add(session)
    if (server !== undefined) found.server.add(server)
  }
  return found
}

export const isPaused = computed(() => paused.value !== undefined)
/** Number of calls, or in the view of them events, since the pause. */
export const missedCount = computed(() => {
  const then = paused.value
  if (!then) return 0
  const now = current.value
  return filter.value.view === 'events' ? now.eventCount - then.eventCount : now.calls.length - then.calls.length
})

export function togglePause() {
  paused.value = paused.peek() ? undefined : current.peek()
}
