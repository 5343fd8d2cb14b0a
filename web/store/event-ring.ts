// A ring buffer of the newest events. Evicted ones are counted.
import { signal } from '@preact/signals'
import type { Event } from '../../src/client/client.ts'
import { bumpOnNextFrame } from './frame-batching.ts'

/** Maximum number of events. */
export const CAPACITY = 10_000
/** Evicted at once, so that each event costs little. */
const TRIM_COUNT = 500

/** Incremented with every change of the ring, at most once a frame; a reader reads this and then the ring. */
export const eventRingVersion = signal(0)
const scheduleUpdate = bumpOnNextFrame(eventRingVersion)

class EventRing {
  /** Oldest first. Read-only for others. */
  events: Event[] = []
  /** Number of evicted events. */
  evicted = 0

  add(event: Event) {
    this.events.push(event)
    if (this.events.length > CAPACITY + TRIM_COUNT) {
      this.events.splice(0, TRIM_COUNT)
      this.evicted += TRIM_COUNT
    }
    scheduleUpdate()
  }

  replace(events: Event[], older: number) {
    this.events = events
    this.evicted = older
    scheduleUpdate()
  }

  clear() {
    this.evicted += this.events.length
    this.events = []
    scheduleUpdate()
  }
}

export const eventRing = new EventRing()
