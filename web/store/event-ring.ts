// The newest events, as they came. Older ones are let go and counted.
import { signal } from '@preact/signals'
import type { Event } from '../../src/client/client.ts'
import { bumpOnNextFrame } from './frame-batching.ts'

/** How many are kept. */
export const CAPACITY = 10_000
/** Let go at once, so that each event costs little. */
const TRIM_COUNT = 500

/** Grows with every change of the ring; whoever shows it reads this, and then the ring. Told once a frame. */
export const eventRingVersion = signal(0)
const scheduleUpdate = bumpOnNextFrame(eventRingVersion)

class EventRing {
  /** Oldest first. Not to be changed by readers. */
  events: Event[] = []
  /** How many were let go. */
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
