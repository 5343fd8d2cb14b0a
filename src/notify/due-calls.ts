// Calls that wait and have not fallen due, in the order in which they do.
import { steadyNow } from '../steady-time.ts'
import type { Wait } from './outbox.ts'

/** Interval at which calls are looked at again that are watched, or have no room. */
const RECHECK_MS = 1_000
/** Longest time of a timer. */
const MAX_TIMER_MS = 3_600_000

interface DueCallsParts {
  afterMs: number
  /** Takes a call that is due; returns false if people cannot be notified about it yet. */
  take(wait: Wait): boolean
}

export class DueCalls {
  readonly #parts: DueCallsParts
  /** By call, the longest wait first. */
  readonly #waits = new Map<string, Wait>()
  #timer: NodeJS.Timeout | undefined
  #wakeAt = Number.POSITIVE_INFINITY
  #isClosed = false

  constructor(parts: DueCallsParts) {
    this.#parts = parts
  }

  /** Adds a call that begins to wait, or waits again. */
  add(wait: Wait) {
    this.#waits.delete(wait.tool_call_id)
    this.#waits.set(wait.tool_call_id, wait)
    this.#wakeBy(wait.since + this.#parts.afterMs)
  }

  delete(tool_call_id: string) {
    this.#waits.delete(tool_call_id)
  }

  close() {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  /** Takes the calls that are due, and sets a timer for the next one. */
  #check() {
    this.#wakeAt = Number.POSITIVE_INFINITY
    const now = steadyNow()
    for (const wait of this.#waits.values()) {
      const due = wait.since + this.#parts.afterMs
      if (due > now) return this.#wakeBy(due)
      if (this.#parts.take(wait)) this.#waits.delete(wait.tool_call_id)
      else this.#wakeBy(now + RECHECK_MS)
    }
  }

  /** Checks the calls at that time at the latest. */
  #wakeBy(time: number) {
    if (this.#isClosed || time >= this.#wakeAt) return
    this.#wakeAt = time
    clearTimeout(this.#timer)
    const pause = Math.min(Math.max(0, time - steadyNow()), MAX_TIMER_MS)
    this.#timer = setTimeout(() => this.#check(), pause).unref()
  }
}
