// One stream per browser: HTTP/1.1 allows six connections per origin, which a stream for each tab would use up. The tab that
// holds a lock follows events and forwards them; when it closes, the lock goes to another tab, which resumes after the last event
// that it has processed, so that nothing is lost.
import { type Client, ToolgateError } from '../../src/client/client.ts'
import { canApprove, endSession } from '../session/session.ts'
import type { WaitingCall } from './approvals.ts'
import { type ConnectionState, connection } from './connection.ts'
import {
  applyUpdate,
  completeUpdate,
  currentState,
  lastEventId,
  position,
  restoreState,
  type StoreState,
  type StoreUpdate
} from './updates.ts'
import { loadWholeCalls } from './whole-calls.ts'

/** Number of past events loaded at first. */
const HISTORY_EVENTS = 2_000

/** Messages between tabs. */
type TabMessage =
  /** Asks for the whole state. */
  | { says: 'hello' }
  | { says: 'known'; known: StoreState; link: ConnectionState }
  /** An update and the event before it: a tab that has not seen that event asks for the whole state. */
  | { says: 'step'; step: StoreUpdate; after: number }
  | { says: 'link'; link: ConnectionState }

/** Follows events until `signal` aborts, directly or through another tab. */
export async function followStream(client: Client, signal: AbortSignal): Promise<void> {
  const lead = () => new Leader(client, signal).lead()
  // Locks need a secure context; without TLS on another machine each tab has its own stream.
  if (!navigator.locks) return lead()
  const follower = new Follower()
  await navigator.locks
    .request('toolgate-stream', { signal }, async () => {
      follower.close()
      await lead()
    })
    .catch(error => {
      if (!signal.aborted) throw error
    })
  follower.close()
}

class Follower {
  readonly #channel = new BroadcastChannel('toolgate-stream')
  #hasState = false

  constructor() {
    this.#channel.onmessage = ({ data }: MessageEvent<TabMessage>) => this.#onMessage(data)
    this.#post({ says: 'hello' })
  }

  close() {
    this.#channel.close()
  }

  #onMessage(said: TabMessage) {
    if (said.says === 'known') {
      if (this.#hasState && said.known.seq <= position.seq) return
      this.#hasState = true
      restoreState(said.known)
      connection.value = said.link
    } else if (said.says === 'link') {
      connection.value = said.link
      if (!this.#hasState) this.#post({ says: 'hello' })
    } else if (said.says === 'step' && this.#hasState) {
      if (said.after > position.seq) this.#post({ says: 'hello' })
      else if (said.step.snapshot || said.step.event.seq > position.seq) applyUpdate(said.step)
    }
  }

  #post(said: TabMessage) {
    this.#channel.postMessage(said)
  }
}

class Leader {
  readonly #client: Client
  readonly #stop: AbortSignal
  readonly #channel = new BroadcastChannel('toolgate-stream')
  readonly #unauthorized = new AbortController()

  constructor(client: Client, stop: AbortSignal) {
    this.#client = client
    this.#stop = AbortSignal.any([stop, this.#unauthorized.signal])
    this.#channel.onmessage = ({ data }: MessageEvent<TabMessage>) => {
      if (data.says === 'hello') this.#post({ says: 'known', known: currentState(), link: connection.peek() })
    }
  }

  async lead(): Promise<void> {
    try {
      for (let first = true; !this.#stop.aborted; first = false) {
        if (!first) await delay(RETRY_MS, this.#stop)
        await this.#follow().catch(error => this.#onDisconnect(error))
      }
    } finally {
      this.#channel.close()
    }
  }

  async #follow(): Promise<void> {
    const client = this.#client
    if (position.seq === 0) await this.#loadState()
    const onDisconnect = (cause: unknown) => this.#onDisconnect(cause)
    for await (const event of client.events({ after: lastEventId(), signal: this.#stop, onDisconnect })) {
      const step = await completeUpdate(client, event)
      const after = position.seq
      applyUpdate(step)
      this.#post({ says: 'step', step, after })
      this.#updateConnection()
    }
  }

  /** Pending calls are shown before the history. */
  async #loadState(): Promise<void> {
    const [state, modes] = await Promise.all([
      this.#client.state({ signal: this.#stop }),
      this.#client.modes({ signal: this.#stop })
    ])
    const pending = await loadWholeCalls(this.#client, state.pending as WaitingCall[])
    restoreState({
      seq: Math.max(0, state.head - HISTORY_EVENTS),
      head: state.head,
      events: [],
      older: 0,
      snapshot: { ...state, pending },
      modes
    })
    this.#updateConnection()
    this.#post({ says: 'known', known: currentState(), link: connection.peek() })
  }

  #updateConnection() {
    // Events of other callers are left out for a token that may not approve: then the last one need not be the newest.
    const left = canApprove() ? position.head - position.seq : 0
    const next: ConnectionState = left > 0 ? { state: 'replaying', left } : { state: 'live' }
    const now = connection.peek()
    if (now.state !== next.state || (next.state === 'replaying' && left % 50 === 0)) this.#setConnection(next)
  }

  /** An invalid token stays invalid: no retry. */
  #onDisconnect(cause: unknown) {
    if (this.#stop.aborted) return
    if (cause instanceof ToolgateError && cause.status === 401) {
      this.#unauthorized.abort()
      endSession()
    }
    const now = connection.peek()
    if (now.state !== 'lost') this.#setConnection({ state: 'lost', since: Date.now() })
  }

  #setConnection(next: ConnectionState) {
    connection.value = next
    this.#post({ says: 'link', link: next })
  }

  #post(said: TabMessage) {
    this.#channel.postMessage(said)
  }
}

/** Delay between attempts if the first connection fails. */
const RETRY_MS = 1_000

function delay(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  signal.addEventListener('abort', () => resolve(), { once: true })
  return promise.finally(() => clearTimeout(timer))
}
