// Pauses between attempts to reach the hub: longer after each failure, and never the same for all servers.
import { setTimeout as pause } from 'node:timers/promises'

const MIN_MS = 250
const MAX_MS = 15_000

export class Backoff {
  #ms = MIN_MS

  /** Resolves when the next attempt is due, or the signal aborts. */
  async wait(signal: AbortSignal) {
    await pause(this.#ms * (0.5 + Math.random()), undefined, { signal }).catch(() => {})
    this.#ms = Math.min(2 * this.#ms, MAX_MS)
  }

  /** Notes that an attempt was successful. */
  reset() {
    this.#ms = MIN_MS
  }
}
