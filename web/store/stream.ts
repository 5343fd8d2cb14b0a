// One stream per browser: HTTP/1.1 gives a page's address six connections, and a stream for each tab would use them up. The
// tab that holds a lock follows events and passes them on; when it closes, the lock goes to another, which resumes after
// the last event that it has taken in itself, so that nothing is lost.
import { type Client, ToolgateError } from '../../src/client/client.ts'
import { endSession } from '../session/session.ts'
import { type Link, link } from './connection.ts'
import { complete, type Known, known, place, type Step, take, takeKnown } from './updates.ts'

/** How much of the past is shown at first. */
const HISTORY = 2_000

/** What tabs say to each other. */
type Said =
  /** Tell me all you know. */
  | { says: 'hello' }
  | { says: 'known'; known: Known; link: Link }
  /** A step, and the event before it: whoever has not seen that one asks for all. */
  | { says: 'step'; step: Step; after: number }
  | { says: 'link'; link: Link }

/** Follows events until `signal` aborts, by itself or through another tab. */
export async function follow(client: Client, signal: AbortSignal): Promise<void> {
  const lead = () => new Leader(client, signal).lead()
  // No locks where the page is not of this machine and came without TLS. Then each tab is for itself.
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
  #knows = false

  constructor() {
    this.#channel.onmessage = ({ data }: MessageEvent<Said>) => this.#hear(data)
    this.#say({ says: 'hello' })
  }

  close() {
    this.#channel.close()
  }

  #hear(said: Said) {
    if (said.says === 'known') {
      if (this.#knows && said.known.seq <= place.seq) return
      this.#knows = true
      takeKnown(said.known)
      link.value = said.link
    } else if (said.says === 'link') {
      link.value = said.link
      if (!this.#knows) this.#say({ says: 'hello' })
    } else if (said.says === 'step' && this.#knows) {
      if (said.after > place.seq) this.#say({ says: 'hello' })
      else if (said.step.snapshot || said.step.event.seq > place.seq) take(said.step)
    }
  }

  #say(said: Said) {
    this.#channel.postMessage(said)
  }
}

class Leader {
  readonly #client: Client
  readonly #stop: AbortSignal
  readonly #channel = new BroadcastChannel('toolgate-stream')
  readonly #gaveUp = new AbortController()

  constructor(client: Client, stop: AbortSignal) {
    this.#client = client
    this.#stop = AbortSignal.any([stop, this.#gaveUp.signal])
    this.#channel.onmessage = ({ data }: MessageEvent<Said>) => {
      if (data.says === 'hello') this.#say({ says: 'known', known: known(), link: link.peek() })
    }
  }

  async lead(): Promise<void> {
    try {
      for (let first = true; !this.#stop.aborted; first = false) {
        if (!first) await rest(RETRY_MS, this.#stop)
        await this.#follow().catch(error => this.#lost(error))
      }
    } finally {
      this.#channel.close()
    }
  }

  async #follow(): Promise<void> {
    const client = this.#client
    if (place.seq === 0) await this.#begin()
    const onDisconnect = (cause: unknown) => this.#lost(cause)
    for await (const event of client.events({ after: place.seq, signal: this.#stop, onDisconnect })) {
      const step = await complete(client, event)
      const after = place.seq
      take(step)
      this.#say({ says: 'step', step, after })
      this.#connected()
    }
  }

  /** What waits is shown before the past is. */
  async #begin(): Promise<void> {
    const state = await this.#client.state({ signal: this.#stop })
    takeKnown({
      seq: Math.max(0, state.head - HISTORY),
      head: state.head,
      events: [],
      older: 0,
      snapshot: state as never
    })
    this.#connected()
    this.#say({ says: 'known', known: known(), link: link.peek() })
  }

  #connected() {
    const left = place.head - place.seq
    const next: Link = left > 0 ? { state: 'replaying', left } : { state: 'live' }
    const now = link.peek()
    if (now.state !== next.state || (next.state === 'replaying' && left % 50 === 0)) this.#tell(next)
  }

  /** A token that counts no longer will not be right again. */
  #lost(cause: unknown) {
    if (this.#stop.aborted) return
    if (cause instanceof ToolgateError && cause.status === 401) {
      this.#gaveUp.abort()
      endSession()
    }
    const now = link.peek()
    if (now.state !== 'lost') this.#tell({ state: 'lost', since: Date.now() })
  }

  #tell(next: Link) {
    link.value = next
    this.#say({ says: 'link', link: next })
  }

  #say(said: Said) {
    this.#channel.postMessage(said)
  }
}

/** Between tries where the first connection cannot be made. */
const RETRY_MS = 1_000

function rest(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  signal.addEventListener('abort', () => resolve(), { once: true })
  return promise.finally(() => clearTimeout(timer))
}
