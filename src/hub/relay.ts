// Wakes what follows the tables of the hub, whichever of its processes has written to them.
import type { Database } from './database/database.ts'

/** Time after which followers look without a notification. */
const POLL_MS = 5_000

export class Relay {
  readonly #waiting = new Set<() => void>()
  readonly #timer: NodeJS.Timeout
  #wakes = 0

  static async open(database: Database, channel: string): Promise<Relay> {
    const relay = new Relay()
    await database.listen(channel, () => relay.#wake())
    return relay
  }

  private constructor() {
    this.#timer = setInterval(() => this.#wake(), POLL_MS).unref()
  }

  /** Returns the number of notifications so far. */
  get wakes(): number {
    return this.#wakes
  }

  /** Resolves once there was a notification after the given number, or the signal aborts. */
  async changedAfter(wakes: number, signal: AbortSignal): Promise<void> {
    if (this.#wakes > wakes || signal.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.add(resolve)
    const stop = () => resolve()
    signal.addEventListener('abort', stop)
    await promise
    signal.removeEventListener('abort', stop)
    this.#waiting.delete(resolve)
  }

  close() {
    clearInterval(this.#timer)
    this.#wake()
  }

  #wake() {
    this.#wakes += 1
    for (const resolve of this.#waiting) resolve()
    this.#waiting.clear()
  }
}
