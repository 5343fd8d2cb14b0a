// The calls of the lists: those of the event stream, and older ones that were loaded. Only a small row of each is kept.
import { computed, effect, signal } from '@preact/signals'
import type { Call, Event } from '../../src/client/client.ts'
import { has } from '../session/place.ts'
import { client, toErrorMessage } from '../session/session.ts'
import { eventRing, eventRingVersion } from '../store/event-ring.ts'
import { applyEvent, type CallRow, toCallRow } from './call-row.ts'
import { callIdOf } from './events.ts'
import { throttled } from './throttled.ts'

/** A faster list would be unreadable. */
const UPDATE_INTERVAL_MS = 100
/** Calls of one request. */
const PAGE_SIZE = 500
/** Maximum number of calls of the event stream; older ones are loaded when they are needed. */
const MAX_LIVE_CALLS = 100_000
/** Dropped at once. */
const TRIM_CALLS = 10_000
/** Maximum number of older calls. */
export const MAX_OLDER_CALLS = 200_000

/** The filters that the server applies to older calls. */
export interface OlderQuery {
  status?: Call['status']
  tool?: string
  session_id?: string
}

interface OlderCalls {
  query: OlderQuery
  /** Only calls that were created before this are loaded. */
  until?: string
  /** Newest first. */
  rows: readonly CallRow[]
  /** Cursor of the next page; undefined before the first, null after the last. */
  cursor: string | null | undefined
  isLoading: boolean
  fault?: string
}

const nothingLoaded = (query: OlderQuery): OlderCalls => ({ query, rows: [], cursor: undefined, isLoading: false })

/** Newest last. */
const live = new Map<string, CallRow>()
const liveVersion = signal(0)
/** Time since when each new call is among the live ones. */
let liveSince: string | undefined
/** The events that the live calls are made of, and how many of them were applied, with evicted ones. */
let source: readonly Event[] | undefined
let applied = 0
/** Positions of the older calls in their list. */
const olderPositions = new Map<string, number>()

/** Calls of the event stream, newest first. */
export const liveCalls = computed((): readonly CallRow[] => {
  liveVersion.value
  return [...live.values()].reverse()
})

/** Calls before those of the event stream, as far as they were loaded. */
export const older = signal(nothingLoaded({}))

/** True if there are calls to load. A hub lists older calls in its panel Search. */
export const canLoadOlder = computed(() => {
  const { cursor, rows } = older.value
  return !has('servers') && cursor !== null && rows.length < MAX_OLDER_CALLS
})

export const eventsVersion = throttled(eventRingVersion, UPDATE_INTERVAL_MS).value
effect(() => {
  eventsVersion.value
  applyNewEvents()
})

function applyNewEvents() {
  const { events, evicted } = eventRing
  if (source !== events) {
    // Another tab has sent all of its events.
    source = events
    applied = evicted
    liveSince = undefined
    live.clear()
    resetOlder(older.peek().query)
  }
  const added = events.slice(Math.max(0, applied - evicted))
  applied = evicted + events.length
  if (added.length === 0) return
  liveSince ??= added[0]!.time
  const changed = new Map<number, CallRow>()
  for (const event of added) applyToCall(event, changed)
  if (live.size > MAX_LIVE_CALLS) trimLive()
  else if (changed.size > 0) older.value = { ...older.peek(), rows: replaceRows(older.peek().rows, changed) }
  liveVersion.value++
}

/** Applies an event to its call. Changes of older calls are collected by their positions. */
function applyToCall(event: Event, changed: Map<number, CallRow>) {
  const id = callIdOf(event)
  if (id === undefined) return
  const position = olderPositions.get(id)
  if (position !== undefined) {
    const row = changed.get(position) ?? older.peek().rows[position]
    changed.set(position, applyEvent(row, event, id))
  } else if (live.has(id) || event.type === 'tool.call' || has('servers'))
    live.set(id, applyEvent(live.get(id), event, id))
}

function replaceRows(rows: readonly CallRow[], changed: ReadonlyMap<number, CallRow>): CallRow[] {
  const next = rows.slice()
  for (const [position, row] of changed) next[position] = row
  return next
}

/** Drops the oldest calls of the stream. They can be loaded again. */
function trimLive() {
  for (const id of [...live.keys()].slice(0, TRIM_CALLS)) live.delete(id)
  const [oldest] = live.values()
  liveSince = new Date(oldest!.createdAt).toISOString()
  resetOlder(older.peek().query)
}

/** Sets the filters of older calls. Those of other filters are dropped. */
export function setOlderQuery(query: OlderQuery) {
  if (JSON.stringify(query) !== JSON.stringify(older.peek().query)) resetOlder(query)
}

function resetOlder(query: OlderQuery) {
  olderPositions.clear()
  older.value = nothingLoaded({ ...query })
}

/** Loads the next page of older calls. */
export async function loadOlderCalls(): Promise<void> {
  const { query, rows, cursor, isLoading, until: untilOfFirst } = older.peek()
  if (isLoading || !canLoadOlder.peek()) return
  const until = cursor === undefined ? liveSince && afterTime(liveSince) : untilOfFirst
  const state = { query, rows, ...(until !== undefined && { until }) }
  older.value = { ...state, cursor, isLoading: true }
  try {
    const page = await client().calls({
      ...query,
      limit: PAGE_SIZE,
      ...(until !== undefined && { until }),
      ...(typeof cursor === 'string' && { cursor })
    })
    if (older.peek().query !== query) return
    applyNewEvents()
    if (older.peek().query !== query) return
    const added = withLaterEvents(page.calls.filter(({ tool_call_id: id }) => !live.has(id) && !olderPositions.has(id)))
    const before = older.peek().rows
    for (const [index, { id }] of added.entries()) olderPositions.set(id, before.length + index)
    older.value = { ...state, rows: [...before, ...added], cursor: page.cursor, isLoading: false }
  } catch (error) {
    if (older.peek().query === query) older.value = { ...older.peek(), isLoading: false, fault: toErrorMessage(error) }
  }
}

/** Returns the rows of loaded calls. One that has not ended may have changed while the answer was on its way. */
function withLaterEvents(calls: readonly Call[]): CallRow[] {
  const rows = new Map(calls.map(call => [call.tool_call_id, toCallRow(call)]))
  const unended = new Set([...rows.values()].flatMap(({ id, endedAt }) => (endedAt === undefined ? [id] : [])))
  if (unended.size > 0)
    for (const event of eventRing.events) {
      const id = callIdOf(event)
      if (id !== undefined && unended.has(id)) rows.set(id, applyEvent(rows.get(id), event, id))
    }
  return [...rows.values()]
}

/** The server lists calls before a time; those of the same millisecond are needed too. */
const afterTime = (time: string) => new Date(Date.parse(time) + 1).toISOString()
