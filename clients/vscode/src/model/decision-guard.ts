// Ignores decisions for a moment after something else appears: the key or click was meant for what was there before.

/** Length of that moment in milliseconds. */
export const GUARD_MS = 500

export class DecisionGuard {
  readonly #now: () => number
  #since = Number.NEGATIVE_INFINITY

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Ignores decisions from now on for that moment. */
  restart() {
    this.#since = this.#now()
  }

  accepts(): boolean {
    return this.#now() - this.#since >= GUARD_MS
  }
}
