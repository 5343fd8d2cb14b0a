// What the activity list shows: of the newest events those that were not cleared away and that the filter leaves, as they
// are now or were when somebody paused.
import { computed, signal } from '@preact/signals'
import type { Event } from '../../src/client/client.ts'
import { goTo } from '../shell/routes.ts'
import { ring, ringVersion } from '../store/event-ring.ts'
import { entriesOf, type Filter, facets, filtered, NO_FILTER } from './entries.ts'
import { type Row, rowsOf } from './rows.ts'
import { paced } from './throttled.ts'

/** A list that changes more often is not read. */
const PACE_MS = 100

export const filter = signal<Filter>(NO_FILTER)
/** Calls whose events are shown below them. */
export const opened = signal<ReadonlySet<string>>(new Set())

/** What there was when somebody paused. */
const paused = signal<Ring | undefined>(undefined)
/** Up to this event all was cleared away. */
const cleared = signal(0)

interface Ring {
  events: readonly Event[]
  older: number
}

const version = paced(ringVersion, PACE_MS).value
const latest = computed((): Ring => {
  version.value
  return { events: ring.events.slice(), older: ring.older }
})
const current = computed(() => paused.value ?? latest.value)
const kept = computed(() => {
  const { events } = current.value
  return cleared.value === 0 ? events : events.filter(({ seq }) => seq > cleared.value)
})

export const offered = computed(() => facets(kept.value))
export const entries = computed(() => filtered(entriesOf(kept.value), filter.value))
export const rows = computed(() => rowsOf(entries.value, opened.value))

/** How many older events are not shown: let go here, or cleared away. */
export const older = computed(() => ({
  skipped: current.value.older,
  cleared: current.value.events.length - kept.value.length
}))

export const isPaused = computed(() => paused.value !== undefined)
/** How many events came since. */
export const missed = computed(() => {
  const then = paused.value
  return then ? latest.value.older + latest.value.events.length - then.older - then.events.length : 0
})

export function pauseOrResume() {
  paused.value = paused.peek() ? undefined : latest.peek()
}

export function clear() {
  cleared.value = latest.peek().events.at(-1)?.seq ?? 0
  if (paused.peek()) paused.value = latest.peek()
}

export function showCleared() {
  cleared.value = 0
}

export function toggle(key: string) {
  const next = new Set(opened.peek())
  if (!next.delete(key)) next.add(key)
  opened.value = next
}

/** Where a row leads: to its call, or to the event itself, of several to the newest. */
export const leadsTo = ({ entry, event = entry.events.at(-1)! }: Row): string => entry.tool_call_id ?? String(event.seq)

export function openRow(row: Row) {
  goTo('activity', leadsTo(row))
}
