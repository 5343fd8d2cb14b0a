// Reports which calls wait, ahead of the events before them: while the hub has much of the journal to catch up on, people can decide already.
// The hub forgets the report once it has the events up to it.

import type { WaitingCall } from '../protocol/uplink.ts'
import type { HubClient } from './hub-client.ts'

/** Limits of a report; what does not fit is at the hub with its event. */
const MAX_CALLS = 200
const MAX_LENGTH = 4 * 1024 * 1024

export interface WaitingSource {
  /** Returns a text that changes whenever other calls wait, or show something else. */
  waitingKey(): string
  /** Returns the calls that wait, oldest first. */
  listWaiting(): Iterable<WaitingCall>
}

interface WaitingReportParts {
  hub: Pick<HubClient, 'sendWaiting'>
  journal: { id: string; head: number }
  calls: WaitingSource
}

export class WaitingReport {
  readonly #parts: WaitingReportParts
  #sentKey: string | undefined
  #isSending = false

  constructor(parts: WaitingReportParts) {
    this.#parts = parts
  }

  /** Sends what waits now, unless the hub knows it. Events do not wait for that, and a report that failed is sent with the next batch. */
  update(signal: AbortSignal) {
    const { hub, journal, calls } = this.#parts
    if (this.#isSending) return
    const key = calls.waitingKey()
    if (key === this.#sentKey) return
    this.#isSending = true
    const { id: journal_id, head } = journal
    hub
      .sendWaiting({ journal_id, head, calls: takeFirst(calls.listWaiting()) }, signal)
      .then(() => {
        this.#sentKey = key
      })
      .catch(() => {})
      .finally(() => {
        this.#isSending = false
      })
  }

  /** Notes that the hub has caught up, and so forgets the report. */
  reset() {
    this.#sentKey = undefined
  }
}

function takeFirst(calls: Iterable<WaitingCall>): WaitingCall[] {
  const taken: WaitingCall[] = []
  let length = 0
  for (const call of calls) {
    length += call.data.length
    if (taken.length === MAX_CALLS || length > MAX_LENGTH) break
    taken.push(call)
  }
  return taken
}
