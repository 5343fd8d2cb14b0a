// Undelivered notifications, in the store: one row for each channel of a call that fell due. A row is written in one transaction with the
// mark that the call fell due, and deleted in one with the outcome of the channel.
import { createHash } from 'node:crypto'
import { steadyNow } from '../steady-time.ts'
import type { Store } from '../store/store.ts'
import type { StoreWrite } from '../store/store-schema.ts'

const ROW_KIND = 'notification'
const MARK_KIND = 'notified'
const OUTCOME_KIND = 'notification_outcome'

/** A call that waits since an event of the journal. A call that waits again does so since a later event. */
export interface Wait {
  tool_call_id: string
  /** Number of the event with which the call began to wait. */
  seq: number
  /** Time of that event, in milliseconds since 1970. */
  since: number
}

/** An undelivered notification. */
export interface OutboxRow extends Wait {
  channel: string
  /** Time at which it fell due, and of the next attempt, in milliseconds since 1970. */
  due: number
  next: number
  attempts: number
}

/** The latest outcomes of a channel. */
export interface Outcome {
  last_success?: string
  last_error?: { time: string; message: string }
}

export class Outbox {
  readonly #store: Pick<Store, 'state' | 'write'>
  readonly #rows = new Map<string, OutboxRow>()
  readonly #outcomes = new Map<string, Outcome>()
  /** Numbers of the events since which calls wait that have fallen due. */
  readonly #marks = new Map<string, number>()

  /** Reads the state of earlier runs. */
  constructor(store: Pick<Store, 'state' | 'write'>) {
    this.#store = store
    for (const [key, value] of store.state(ROW_KIND)) this.#rows.set(key, JSON.parse(value))
    for (const [id, value] of store.state(MARK_KIND)) this.#marks.set(id, JSON.parse(value))
    for (const [channel, value] of store.state(OUTCOME_KIND)) this.#outcomes.set(channel, JSON.parse(value))
  }

  get size(): number {
    return this.#rows.size
  }

  rowsOf(channel: string): OutboxRow[] {
    return [...this.#rows.values()].filter(row => row.channel === channel)
  }

  outcomeOf(channel: string): Outcome {
    return this.#outcomes.get(channel) ?? {}
  }

  /** Checks if a wait has fallen due before. */
  hasFallenDue({ tool_call_id, seq }: Wait): boolean {
    return this.#marks.get(tool_call_id) === seq
  }

  /**
   * Adds a row for each channel, each with the time that a call waits before that channel is notified, unless the call does not wait any
   * longer when they are written. Resolves with the rows once they are durable.
   */
  async add(wait: Wait, delays: ReadonlyMap<string, number>, isWaiting: () => boolean): Promise<OutboxRow[]> {
    const now = steadyNow()
    const rows = Array.from(delays, ([channel, delay]): OutboxRow => {
      const due = Math.max(now, wait.since + delay)
      return { ...wait, channel, due, next: due, attempts: 0 }
    })
    let isWritten = false
    const { tool_call_id, seq } = wait
    await this.#store.write(() => {
      isWritten = isWaiting()
      if (!isWritten) return []
      return [...rows.map(toWrite), ['setState', MARK_KIND, tool_call_id, JSON.stringify(seq)] satisfies StoreWrite]
    })
    if (!isWritten) return []
    this.#marks.set(tool_call_id, seq)
    for (const row of rows) this.#rows.set(keyOf(row), row)
    return rows
  }

  /** Stores when a row is tried again, and why it failed. */
  async postpone(row: OutboxRow, outcome: Outcome): Promise<void> {
    this.#outcomes.set(row.channel, outcome)
    await this.#store.write(() =>
      this.#rows.has(keyOf(row)) ? [toWrite(row), ...this.#outcomeWrites(row.channel)] : []
    )
  }

  /** Deletes a row that was delivered or given up, and stores the outcome. */
  async remove(row: OutboxRow, outcome?: Outcome): Promise<void> {
    const key = keyOf(row)
    if (outcome) this.#outcomes.set(row.channel, outcome)
    this.#rows.delete(key)
    await this.#store.write(() => [['forgetState', ROW_KIND, key], ...this.#outcomeWrites(row.channel)])
  }

  /** Stores the outcome of a message that has no row. */
  async noteOutcome(channel: string, outcome: Outcome): Promise<void> {
    this.#outcomes.set(channel, outcome)
    await this.#store.write(() => this.#outcomeWrites(channel))
  }

  /** Deletes all about a call that does not wait any longer. */
  async forget(tool_call_id: string): Promise<void> {
    const keys = [...this.#rows].flatMap(([key, row]) => (row.tool_call_id === tool_call_id ? [key] : []))
    for (const key of keys) this.#rows.delete(key)
    const hasMark = this.#marks.delete(tool_call_id)
    if (!hasMark && keys.length === 0) return
    await this.#store.write(() => [
      ...keys.map((key): StoreWrite => ['forgetState', ROW_KIND, key]),
      ['forgetState', MARK_KIND, tool_call_id]
    ])
  }

  /** Deletes what is about other calls and other channels than these. */
  async forgetOthers(calls: ReadonlySet<string>, channels: ReadonlySet<string>): Promise<void> {
    const known = new Set([...this.#marks.keys(), ...[...this.#rows.values()].map(row => row.tool_call_id)])
    const rows = [...this.#rows.values()].filter(({ channel }) => !channels.has(channel))
    await Promise.all([
      ...[...known].filter(id => !calls.has(id)).map(id => this.forget(id)),
      ...rows.map(row => this.remove(row))
    ])
  }

  #outcomeWrites(channel: string): StoreWrite[] {
    const outcome = this.#outcomes.get(channel)
    return outcome ? [['setState', OUTCOME_KIND, channel, JSON.stringify(outcome)]] : []
  }
}

const keyOf = ({ tool_call_id, seq, channel }: OutboxRow) => `${tool_call_id}/${seq}/${channel}`
const toWrite = (row: OutboxRow): StoreWrite => ['setState', ROW_KIND, keyOf(row), JSON.stringify(row)]

/** Returns the id that receivers know a notification by: the same in each attempt. */
export const toNotificationId = (row: OutboxRow): string =>
  `msg_${createHash('sha256').update(keyOf(row)).digest('hex').slice(0, 32)}`
