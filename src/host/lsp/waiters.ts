// Set of waiters for the next event of a server. An aborted waiter is removed.

export class Waiters {
  readonly #waiting = new Set<() => void>()

  /** Resolves at the next `wake`; rejects with the signal's reason. */
  async next(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const abort = () => reject(signal.reason)
    this.#waiting.add(resolve)
    signal.addEventListener('abort', abort, { once: true })
    try {
      await promise
    } finally {
      this.#waiting.delete(resolve)
      signal.removeEventListener('abort', abort)
    }
  }

  wake() {
    for (const resolve of [...this.#waiting]) resolve()
  }
}
