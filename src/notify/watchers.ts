// Knows if people watch the waiting calls: with an open event stream that reports them, or by asking for them lately. A stream of one call
// is that of its sender.
import { type EventFilter, type EventScope, matchesFilter } from '../events/event-streams.ts'

export class Watchers {
  readonly #watchMs: number
  readonly #streams = new Set<EventFilter>()
  #lastAsked = Number.NEGATIVE_INFINITY

  constructor(watchMs: number) {
    this.#watchMs = watchMs
  }

  /** Registers an event stream of a front end that can approve. Returns a function that unregisters it. */
  connect(filter: EventFilter): () => void {
    this.#streams.add(filter)
    return () => this.#streams.delete(filter)
  }

  /** Notes that a front end that can approve has asked for the waiting calls. */
  noteAsked() {
    this.#lastAsked = performance.now()
  }

  /** Checks if someone would see that such a call waits. */
  isWatched(scope: EventScope & { workspace: string }): boolean {
    if (performance.now() - this.#lastAsked < this.#watchMs) return true
    const event = { type: 'tool.call', ...scope }
    return [...this.#streams].some(filter => filter.tool_call_id === undefined && matchesFilter(filter, event))
  }
}
