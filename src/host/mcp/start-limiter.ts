// Waiting with a time limit.

/** Resolves when the work has settled, or after the time limit. Rejects with the signal's reason. */
export async function waitAtMost(work: Promise<unknown> | undefined, ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  if (!work) return
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const abort = () => reject(signal.reason)
  const timer = setTimeout(resolve, ms)
  signal.addEventListener('abort', abort, { once: true })
  work.then(
    () => resolve(),
    () => resolve()
  )
  try {
    await promise
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  }
}

/** Limits concurrent starts; a slow start delays others for at most `patience_ms`. */
export class StartLimiter {
  readonly #maxHoldMs: number
  readonly #waiting: (() => void)[] = []
  #available: number

  constructor(at_once: number, patience_ms: number) {
    this.#available = at_once
    this.#maxHoldMs = patience_ms
  }

  /** Resolves with a release function when a slot is free. */
  async acquire(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    if (this.#available > 0) this.#available -= 1
    else {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#waiting.push(resolve)
      await promise
    }
    let over = false
    const done = () => {
      clearTimeout(timer)
      if (over) return
      over = true
      const next = this.#waiting.shift()
      if (next) next()
      else this.#available += 1
    }
    const timer = setTimeout(done, this.#maxHoldMs).unref()
    if (signal.aborted) done()
    signal.throwIfAborted()
    return done
  }
}
