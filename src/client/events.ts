// Follows events with automatic reconnection.
import type { Event, EventType } from '../protocol/events.ts'
import { ToolgateError } from './error.ts'
import type { FetchResponse, HttpTransport } from './http-transport.ts'
import { SseParser } from './sse.ts'

export interface EventsOptions {
  /** Begin after this seq, or the event with this id (`<journal_id>-<seq>`), instead of now. */
  after?: number | string
  types?: readonly EventType[]
  session_id?: string
  workspace?: string
  tool_call_id?: string
  /** Effects that this front end offers, such as `editor.apply_edit`. */
  effects?: readonly string[]
  /** Identifies this front end. Default: the client's name. */
  client_id?: string
  signal?: AbortSignal
  /** Called once when the connection is lost, before reconnecting; not for each failed attempt. */
  onDisconnect?: (cause: unknown) => void
  /** Idle timeout of a connection in milliseconds. The server sends a keep-alive every 15 s. */
  idle_timeout_ms?: number
  /** Delay before reconnecting in milliseconds, doubled after each failure. Default: as requested by the server. */
  retry_ms?: number
}

interface EventFrame {
  /** Id of the last event, for resuming. */
  id: string | undefined
  /** Reconnection delay requested by the server. */
  retry: number | undefined
  event: Event
}

const DEFAULT_RETRY_MS = 500
const MAX_RETRY_MS = 10_000
const IDLE_TIMEOUT_MS = 45_000

export async function* followEvents(wire: HttpTransport, options: EventsOptions): AsyncGenerator<Event> {
  const { after, types, effects, client_id, session_id, workspace, tool_call_id } = options
  const { signal, retry_ms, idle_timeout_ms = IDLE_TIMEOUT_MS } = options
  const query = { session_id, workspace, tool_call_id, client_id, types: types?.join(','), effects: effects?.join(',') }
  let last = after === undefined ? undefined : String(after)
  let retry = retry_ms ?? DEFAULT_RETRY_MS
  let tries = 0
  let ever = false

  while (!signal?.aborted) {
    const silence = new IdleTimer(idle_timeout_ms, signal)
    try {
      const headers = { 'last-event-id': last }
      const response = await wire.stream('GET', '/events', { query, headers, signal: silence.signal })
      ever = true
      for await (const frame of readEventFrames(response, () => silence.reset())) {
        tries = 0
        last = frame.id ?? last
        retry = retry_ms ?? frame.retry ?? retry
        yield frame.event
      }
      if (tries === 0) options.onDisconnect?.(new Error('The event stream ended.'))
    } catch (cause) {
      if (signal?.aborted) return
      if (!ever || !isRetryable(cause, wire)) throw cause
      if (tries === 0) options.onDisconnect?.(cause)
    } finally {
      silence.clear()
    }
    // While the server is not found, another program may answer at its address.
    do await delay(Math.min(retry * 2 ** tries++, MAX_RETRY_MS) * (0.5 + Math.random() / 2), signal)
    while (wire.canRediscover && !signal?.aborted && !(await wire.rediscover()))
  }
}

/**
 * Returns true unless the server refuses the request. An unknown token may belong to a restarted server, if that can be
 * rediscovered; otherwise it stays invalid.
 */
function isRetryable(cause: unknown, { canRediscover }: HttpTransport): boolean {
  if (!(cause instanceof ToolgateError)) return true
  return cause.status === 401 ? canRediscover : cause.status === 0 || cause.status >= 500
}

/** Yields the frames of a stream until it ends. Leaving the loop closes the connection. */
export async function* readEventFrames(
  { body }: FetchResponse,
  heard: () => void = () => {}
): AsyncGenerator<EventFrame> {
  if (!body) return
  const parser = new SseParser()
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      heard()
      for (const { id, data } of parser.push(value)) yield { id, retry: parser.retry, event: JSON.parse(data) as Event }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

/** Aborts after an idle timeout, or when the outer signal does. */
class IdleTimer {
  readonly #abort = new AbortController()
  readonly #ms: number
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly signal: AbortSignal

  constructor(ms: number, outer: AbortSignal | undefined) {
    this.#ms = ms
    this.signal = outer ? AbortSignal.any([outer, this.#abort.signal]) : this.#abort.signal
    this.reset()
  }

  /** Restarts the timeout after activity. */
  reset() {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#abort.abort(new Error('The server does not respond.')), this.#ms)
  }

  clear() {
    clearTimeout(this.#timer)
    this.#abort.abort()
  }
}

/** Waits for `ms` milliseconds, or until the signal aborts. */
export function delay(ms: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  // Node 20 has no Promise.withResolvers.
  const elapsed = new Promise<void>(resolve => {
    timer = setTimeout(resolve, ms)
    signal?.addEventListener('abort', () => resolve(), { once: true })
  })
  return elapsed.finally(() => clearTimeout(timer))
}
