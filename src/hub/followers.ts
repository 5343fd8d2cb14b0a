// Signals of those who use a credential for long, such as streams: they end with it.

/** Time after which all are checked without a change: sessions expire. */
const CHECK_MS = 5_000

interface Follower {
  isValid: () => boolean
  ended: AbortController
}

export class Followers {
  readonly #all = new Set<Follower>()
  readonly #timer = setInterval(() => this.check(), CHECK_MS).unref()

  add(isValid: () => boolean): { signal: AbortSignal; release: () => void } {
    const follower = { isValid, ended: new AbortController() }
    this.#all.add(follower)
    return { signal: follower.ended.signal, release: () => this.#all.delete(follower) }
  }

  /** Ends those that are no longer valid. */
  check() {
    for (const follower of this.#all)
      if (!follower.isValid()) {
        this.#all.delete(follower)
        follower.ended.abort()
      }
  }

  close() {
    clearInterval(this.#timer)
  }
}
