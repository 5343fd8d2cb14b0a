// Time limits of requests to one language server.
import type { ReadinessTracker } from './readiness-tracker.ts'
import { Waiters } from './waiters.ts'

export interface Budgets {
  /** Time limit of a request to a cold server, in milliseconds. */
  start_ms: number
  /** Time limit of a request to a warm server, in milliseconds. */
  answer_ms: number
}

export interface Deadline {
  /** Aborts when the deadline has passed, with the reason that `reasonFor` gave. */
  signal: AbortSignal
  cancel(): void
}

/**
 * Sets deadlines for requests. A server is warm once it has read the project and has answered a request. A request to a cold
 * server has the start budget; when the server becomes warm before the answer, the answer budget counts from that moment.
 */
export class Deadlines {
  readonly #budgets: Budgets
  readonly #readiness: ReadinessTracker
  readonly #firstAnswer = new Waiters()
  #hasAnswered = false

  constructor(budgets: Budgets, readiness: ReadinessTracker) {
    this.#budgets = budgets
    this.#readiness = readiness
  }

  /** Records that the server has answered a request. */
  answered() {
    this.#hasAnswered = true
    this.#firstAnswer.wake()
  }

  /** Starts the clock of a request. `reasonFor` makes the reason of the abort from the limit in milliseconds. */
  start(reasonFor?: (limitMs: number) => Error): Deadline {
    const { start_ms, answer_ms } = this.#budgets
    const late = new AbortController()
    const cancelled = new AbortController()
    const expireIn = (ms: number) => {
      if (cancelled.signal.aborted) return
      const timer = setTimeout(() => late.abort(reasonFor?.(ms)), ms)
      cancelled.signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
    }
    if (this.#isWarm) expireIn(answer_ms)
    else {
      expireIn(start_ms)
      void this.#untilWarm(cancelled.signal).then(
        () => expireIn(answer_ms),
        () => {}
      )
    }
    return { signal: late.signal, cancel: () => cancelled.abort() }
  }

  get #isWarm(): boolean {
    return this.#hasAnswered && this.#readiness.isReady
  }

  /** Rejects with the signal's reason. */
  async #untilWarm(signal: AbortSignal): Promise<void> {
    while (!this.#isWarm)
      await (this.#readiness.isReady ? this.#firstAnswer.next(signal) : this.#readiness.whenReady(signal))
  }
}
