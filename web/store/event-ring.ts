// The newest events, as they came. Older ones are let go and counted.
import { signal } from '@preact/signals'
import type { Event } from '../../src/client/client.ts'
import { withNextFrame } from './frame-batching.ts'

/** How many are kept. */
export const CAPACITY = 10_000
/** Let go at once, so that each event costs little. */
const SLACK = 500

/** Grows with every change of the ring; whoever shows it reads this, and then the ring. Told once a frame. */
export const ringVersion = signal(0)
const changed = withNextFrame(ringVersion)

class Ring {
  /** Oldest first. Not to be changed by readers. */
  events: Event[] = []
  /** How many were let go. */
  older = 0

  add(event: Event) {
    this.events.push(event)
    if (this.events.length > CAPACITY + SLACK) {
      this.events.splice(0, SLACK)
      this.older += SLACK
    }
    changed()
  }

  replace(events: Event[], older: number) {
    this.events = events
    this.older = older
    changed()
  }

  clear() {
    this.older += this.events.length
    this.events = []
    changed()
  }
}

export const ring = new Ring()
