// Event journal: the durable, ordered log. It assigns sequence numbers, and publishes events to readers once they are on disk.

import type { NewEvent } from '../protocol/events.ts'
import type { Store } from '../store/store.ts'
import type { StoreWrite } from '../store/store-schema.ts'
import type { JournalEntry } from './frame.ts'

/** Receives every event in order, after it became durable. */
type Listener = (entries: readonly JournalEntry[]) => void

export class Journal {
  readonly #store: Store
  readonly #listeners = new Set<Listener>()
  #unpublished: JournalEntry[] = []
  #last: number
  #head: number

  constructor(store: Store) {
    this.#store = store
    this.#last = store.latestSeq()
    this.#head = this.#last
  }

  /** Returns the id of the journal, with which its numbers identify events. */
  get id(): string {
    return this.#store.journalId
  }

  /** Returns true while events wait for room on the disk. */
  get isBlocked(): boolean {
    return this.#store.room.isBlocked
  }

  /** Returns the number of the newest event that readers may see. */
  get head(): number {
    return this.#head
  }

  /** Returns the number of the newest event, durable or not. */
  get last(): number {
    return this.#last
  }

  /** Returns the number of the oldest retained event. */
  get oldest(): number {
    return this.#store.oldestSeq()
  }

  /**
   * Appends events, together with the writes of `also`, in one transaction. Resolves when they are durable and published.
   * `result` is the JSON of a tool.result's result.
   */
  append(events: readonly NewEvent[], also?: () => StoreWrite[], result?: string): Promise<void> {
    const time = new Date().toISOString()
    const entries = events.map((event): JournalEntry => {
      const seq = ++this.#last
      return {
        seq,
        event,
        json: JSON.stringify({ seq, time, ...event }),
        result: event.type === 'tool.result' ? result : undefined
      }
    })
    this.#unpublished.push(...entries)
    const upTo = this.#last
    const durable = this.#store.write(() => [...entries.map(entry => toEventRow(entry, time)), ...(also?.() ?? [])])
    return durable.then(() => this.#publish(upTo))
  }

  /** Reads events after a number, in order, from disk. */
  since(after: number, limit: number) {
    return this.#store.events(after, limit)
  }

  sinceOfCall(tool_call_id: string, after: number, limit: number) {
    return this.#store.eventsOfCall(tool_call_id, after, limit)
  }

  /** Subscribes to events that become durable from now on. Returns a function that unsubscribes. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #publish(upTo: number) {
    if (upTo <= this.#head) return
    const entries = this.#unpublished
    let n = 0
    while (n < entries.length && entries[n]!.seq <= upTo) n += 1
    const published = n === entries.length ? entries : entries.slice(0, n)
    this.#unpublished = n === entries.length ? [] : entries.slice(n)
    this.#head = upTo
    for (const listener of this.#listeners) listener(published)
  }
}

const toEventRow = ({ seq, event, json }: JournalEntry, time: string): StoreWrite => [
  'event',
  seq,
  time,
  event.type,
  event.session_id ?? null,
  event.workspace ?? null,
  event.tool_call_id ?? null,
  json
]
