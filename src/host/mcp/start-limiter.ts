// Waiting that has an end.

/** Resolves when the work has ended, whatever came of it, or the time is over. Rejects with the signal's reason. */
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

/** Lets so many begin at once; whoever takes long keeps nobody waiting for longer than `patience_ms`. */
export class StartLimiter {
  readonly #maxHoldMs: number
  readonly #waiting: (() => void)[] = []
  #available: number

  constructor(at_once: number, patience_ms: number) {
    this.#available = at_once
    this.#maxHoldMs = patience_ms
  }

  /** Resolves when it is one's turn, with what to call when that is over. */
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
