// Delivers the rows of one channel: a few at a time, again after failures, and not in quiet hours. Nothing waits for it.

import { steadyNow } from '../steady-time.ts'
import { DeliveryError } from './delivery-error.ts'
import type { Outbox, OutboxRow } from './outbox.ts'
import { computePause, type RetryLimits } from './retry.ts'

/** Longest time of a timer. */
const MAX_TIMER_MS = 3_600_000

interface DeliveryLog {
  warn(details: object, message: string): void
}

interface QueueParts {
  channel: string
  outbox: Outbox
  limits: RetryLimits & { concurrency: number }
  log: DeliveryLog
  /** Returns the end of the quiet hours that a time is in. */
  findQuietEnd(now: number): number | undefined
  /** Sends the notification; resolves with false if its call does not wait any longer. */
  deliver(row: OutboxRow): Promise<boolean>
  /** Returns the message of an error, without secrets. */
  describe(error: unknown): string
}

export class DeliveryQueue {
  readonly #parts: QueueParts
  readonly #inFlight = new Set<OutboxRow>()
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(parts: QueueParts) {
    this.#parts = parts
  }

  /** Starts the attempts that are due, and sets a timer for the next one. */
  run() {
    clearTimeout(this.#timer)
    if (this.#isClosed) return
    const { outbox, channel, limits, findQuietEnd } = this.#parts
    const waiting = outbox.rowsOf(channel).filter(row => !this.#inFlight.has(row))
    if (waiting.length === 0) return
    const time = Date.now()
    const quietEnd = findQuietEnd(time)
    if (quietEnd !== undefined) return this.#wakeIn(quietEnd - time)
    const now = steadyNow()
    const inOrder = waiting.sort((one, other) => one.next - other.next)
    for (const row of inOrder.splice(0, limits.concurrency - this.#inFlight.size)) {
      if (row.next > now) return this.#wakeIn(row.next - now)
      void this.#attempt(row)
    }
  }

  close() {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  #wakeIn(ms: number) {
    this.#timer = setTimeout(() => this.run(), Math.min(Math.max(ms, 0), MAX_TIMER_MS)).unref()
  }

  async #attempt(row: OutboxRow) {
    const { outbox, channel, deliver } = this.#parts
    this.#inFlight.add(row)
    try {
      const before = outbox.outcomeOf(channel)
      const isSent = await deliver(row)
      const outcome = isSent ? { ...before, last_success: new Date().toISOString() } : undefined
      await outbox.remove(row, outcome)
    } catch (error) {
      // The attempt was ended with the server: the row is tried again by the next one.
      if (!this.#isClosed) await this.#noteFailure(row, error).catch(() => {})
    }
    this.#inFlight.delete(row)
    this.run()
  }

  async #noteFailure(row: OutboxRow, error: unknown) {
    const { outbox, channel, limits, log, describe } = this.#parts
    const message = describe(error)
    const outcome = { ...outbox.outcomeOf(channel), last_error: { time: new Date().toISOString(), message } }
    row.attempts += 1
    const { isPermanent, retryAfterMs } =
      error instanceof DeliveryError ? error : { isPermanent: false, retryAfterMs: 0 }
    const details = { channel, tool_call_id: row.tool_call_id, attempts: row.attempts, reason: message }
    const pause = Math.max(
      computePause(row.attempts, limits, Math.random()),
      Math.min(retryAfterMs, limits.max_retry_ms)
    )
    row.next = steadyNow() + pause
    if (isPermanent || row.attempts >= limits.tries || row.next - row.due > limits.give_up_ms) {
      log.warn(details, 'a notification could not be delivered and is given up')
      return outbox.remove(row, outcome)
    }
    log.warn({ ...details, retry_ms: Math.round(pause) }, 'a notification could not be delivered; it is tried again')
    return outbox.postpone(row, outcome)
  }
}
