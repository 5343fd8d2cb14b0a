// State of the activity list: the newest events, without those cleared or filtered out, current or as of the last pause.
import { computed, signal } from '@preact/signals'
import type { Event } from '../../src/client/client.ts'
import { goTo } from '../shell/routes.ts'
import { eventRing, eventRingVersion } from '../store/event-ring.ts'
import { collectFacets, type Filter, filterEntries, groupEvents, NO_FILTER } from './entries.ts'
import { type Row, toRows } from './rows.ts'
import { throttled } from './throttled.ts'

/** A faster list would be unreadable. */
const UPDATE_INTERVAL_MS = 100

export const filter = signal<Filter>(NO_FILTER)
/** Calls whose events are expanded. */
export const expandedCalls = signal<ReadonlySet<string>>(new Set())

/** The events at the time of the pause. */
const pausedSnapshot = signal<EventSnapshot | undefined>(undefined)
/** All events up to this one have been cleared. */
const clearedSeq = signal(0)

interface EventSnapshot {
  events: readonly Event[]
  older: number
}

const throttledVersion = throttled(eventRingVersion, UPDATE_INTERVAL_MS).value
const latestEvents = computed((): EventSnapshot => {
  throttledVersion.value
  return { events: eventRing.events.slice(), older: eventRing.evicted }
})
const currentEvents = computed(() => pausedSnapshot.value ?? latestEvents.value)
const visibleEvents = computed(() => {
  const { events } = currentEvents.value
  return clearedSeq.value === 0 ? events : events.filter(({ seq }) => seq > clearedSeq.value)
})

export const facetOptions = computed(() => collectFacets(visibleEvents.value))
export const entries = computed(() => filterEntries(groupEvents(visibleEvents.value), filter.value))
export const rows = computed(() => toRows(entries.value, expandedCalls.value))

/** Counts of older events that are not shown: evicted here, or cleared. */
export const hiddenCounts = computed(() => ({
  skipped: currentEvents.value.older,
  cleared: currentEvents.value.events.length - visibleEvents.value.length
}))

export const isPaused = computed(() => pausedSnapshot.value !== undefined)
/** Number of events since the pause. */
export const missedCount = computed(() => {
  const then = pausedSnapshot.value
  return then ? latestEvents.value.older + latestEvents.value.events.length - then.older - then.events.length : 0
})

export function togglePause() {
  pausedSnapshot.value = pausedSnapshot.peek() ? undefined : latestEvents.peek()
}

export function clearEvents() {
  clearedSeq.value = latestEvents.peek().events.at(-1)?.seq ?? 0
  if (pausedSnapshot.peek()) pausedSnapshot.value = latestEvents.peek()
}

export function showCleared() {
  clearedSeq.value = 0
}

export function toggleExpanded(key: string) {
  const next = new Set(expandedCalls.peek())
  if (!next.delete(key)) next.add(key)
  expandedCalls.value = next
}

/** Returns the id a row links to: its call, or its event, the newest of several. */
export const detailIdOf = ({ entry, event = entry.events.at(-1)! }: Row): string =>
  entry.tool_call_id ?? String(event.seq)

export function openRow(row: Row) {
  goTo('activity', detailIdOf(row))
}
