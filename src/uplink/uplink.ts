// Sends the journal of this server to its hub: every event once, in order, as far as the hub has confirmed. Calls never wait for it. The
// hub knows how far it is, so nothing else has to be remembered here.
import { setTimeout as pause } from 'node:timers/promises'
import { messageWithCause } from '../errors.ts'
import type { Journal } from '../events/journal.ts'
import type { UplinkEvent, UplinkGap } from '../protocol/uplink.ts'
import { Backoff } from './backoff.ts'
import { type HubClient, HubRefusal } from './hub-client.ts'
import type { WaitingReport } from './waiting-report.ts'

const MAX_EVENTS = 500
/** Number of events that a hub can lack before it gets the calls that wait ahead of them. */
const FAR_BEHIND = 1_000
/** Characters after which a batch ends. */
const MAX_LENGTH = 1024 * 1024
/** Time for which new events are collected, so that a burst of calls costs their server a few requests. */
const COLLECT_MS = 100
/** Interval of empty batches, which show that the server is there. */
const HEARTBEAT_MS = 20_000
const TIME = /^\{"seq":\d+,"time":"([^"]+)"/

type StoredEvents = ReturnType<Journal['since']>
type JournalReader = Pick<Journal, 'id' | 'head' | 'oldest' | 'since' | 'listen'>

interface Log {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/** State of the connection to the hub. */
export interface UplinkState {
  hub: string
  state: 'connecting' | 'connected' | 'unreachable'
  /** Number of events that the hub does not have yet; null until the hub has answered. */
  behind: number | null
  /** Why it is unreachable. */
  reason?: string
}

interface UplinkParts {
  hub: Pick<HubClient, 'url' | 'readPosition' | 'sendEvents'>
  journal: JournalReader
  log: Log
}

export class Uplink {
  readonly #hub: UplinkParts['hub']
  readonly #journal: JournalReader
  readonly #log: Log
  readonly #closing = new AbortController()
  #state: UplinkState['state'] = 'connecting'
  /** Since when it is not connected, by the monotonic clock. */
  #awaySince: number | undefined = performance.now()
  #reason: string | undefined
  /** The newest event that the hub has. */
  #sent: number | undefined
  #running: Promise<void> | undefined
  #waiting: Pick<WaitingReport, 'update' | 'reset'> | undefined

  constructor({ hub, journal, log }: UplinkParts) {
    this.#hub = hub
    this.#journal = journal
    this.#log = log
  }

  /** Starts to send. With `waiting`, the hub gets the calls that wait first while it is far behind. */
  start(waiting?: Pick<WaitingReport, 'update' | 'reset'>) {
    this.#waiting = waiting
    this.#running ??= this.#run()
  }

  get state(): UplinkState {
    const behind = this.#sent === undefined ? null : Math.max(0, this.#journal.head - this.#sent)
    return {
      hub: this.#hub.url,
      state: this.#state,
      behind,
      ...(this.#reason !== undefined && { reason: this.#reason })
    }
  }

  /** Returns the milliseconds for which the hub has not answered. */
  get awayMs(): number {
    return this.#awaySince === undefined ? 0 : performance.now() - this.#awaySince
  }

  /** Checks if the hub has all events below a number. Until then they are not dropped for their age. */
  hasSentBelow(seq: number): boolean {
    return this.#sent !== undefined && this.#sent >= Math.min(seq - 1, this.#journal.head)
  }

  async close() {
    this.#closing.abort()
    await this.#running
  }

  async #run() {
    const { signal } = this.#closing
    const backoff = new Backoff()
    while (!signal.aborted) {
      try {
        this.#sent ??= await this.#hub.readPosition(this.#journal.id, signal)
        await this.#sendAll()
        this.#noteConnected()
        backoff.reset()
        if (await this.#hasNews()) await pause(COLLECT_MS, undefined, { signal })
        else await this.#sendBatch([])
      } catch (error) {
        if (signal.aborted) return
        this.#noteUnreachable(error as Error)
        await backoff.wait(signal)
      }
    }
  }

  /** Sends what the hub does not have. */
  async #sendAll() {
    for (;;) {
      const { oldest, head } = this.#journal
      if (oldest > this.#sent! + 1 && head >= oldest)
        await this.#reportGap(oldest - 1, 'The events were deleted before they could be sent to the hub.')
      if (this.#journal.head - this.#sent! > FAR_BEHIND) this.#waiting?.update(this.#closing.signal)
      const events = this.#journal.since(this.#sent!, MAX_EVENTS)
      if (events.length === 0) {
        this.#waiting?.reset()
        return
      }
      await this.#send(takeBatch(events))
      this.#noteConnected()
    }
  }

  /** Sends events. What the hub refuses for good is left out and reported, so that later ones go on. */
  async #send(events: readonly UplinkEvent[]): Promise<void> {
    try {
      await this.#sendBatch(events)
    } catch (error) {
      if (!(error instanceof HubRefusal)) throw error
      if (events.length > 1) {
        const half = Math.ceil(events.length / 2)
        await this.#send(events.slice(0, half))
        return this.#send(events.slice(half))
      }
      const { seq, type } = events[0]!
      this.#log.error(
        { seq, type, reason: error.message },
        'the hub rejected an event, which is now missing at the hub'
      )
      await this.#reportGap(seq, error.message)
    }
  }

  async #sendBatch(events: readonly UplinkEvent[], gap?: UplinkGap) {
    const { id: journal_id, head } = this.#journal
    const batch = { journal_id, head, events: [...events], ...(gap && { gap }) }
    this.#sent = await this.#hub.sendEvents(batch, this.#closing.signal)
  }

  async #reportGap(until: number, reason: string) {
    await this.#sendBatch([], { after: this.#sent!, until, reason: reason.slice(0, 1_000) })
  }

  /** Resolves with true once there is a new event, with false after the interval of heartbeats. */
  async #hasNews(): Promise<boolean> {
    const { signal } = this.#closing
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const stop = this.#journal.listen(() => resolve(true))
    const timer = setTimeout(() => resolve(false), HEARTBEAT_MS)
    const end = () => resolve(true)
    signal.addEventListener('abort', end, { once: true })
    if (this.#journal.head > this.#sent!) resolve(true)
    try {
      return await promise
    } finally {
      stop()
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
    }
  }

  #noteConnected() {
    if (this.#state !== 'connected') this.#log.info({ hub: this.#hub.url }, 'connected to the hub')
    this.#state = 'connected'
    this.#awaySince = undefined
    this.#reason = undefined
  }

  #noteUnreachable(error: Error) {
    const reason = messageWithCause(error)
    if (this.#state !== 'unreachable' || this.#reason !== reason)
      this.#log.warn(
        { hub: this.#hub.url, reason },
        'the hub is not available; events are sent when it is available again'
      )
    this.#state = 'unreachable'
    this.#awaySince ??= performance.now()
    this.#reason = reason
  }
}

/** Returns the first events that are not too much for one request. */
function takeBatch(events: StoredEvents): UplinkEvent[] {
  const batch: UplinkEvent[] = []
  let length = 0
  for (const { seq, type, tool_call_id, data: json, result } of events) {
    const data = result === null ? json : `${json.slice(0, -1)},"result":${result}}`
    length += data.length
    if (batch.length > 0 && length > MAX_LENGTH) break
    const time = TIME.exec(json)?.[1] ?? (JSON.parse(json) as { time: string }).time
    batch.push({ seq, type, time, ...(tool_call_id !== null && { tool_call_id }), data })
  }
  return batch
}
