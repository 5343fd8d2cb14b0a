// Listeners of one kind of change.

/** Stops what it was returned for; also a disposable of VS Code. */
export interface Subscription {
  dispose(): void
}

export class Listeners<T = void> {
  readonly #listeners = new Set<(value: T) => void>()

  /** Calls the listener at each later change. */
  readonly listen = (listener: (value: T) => void): Subscription => {
    this.#listeners.add(listener)
    return { dispose: () => this.#listeners.delete(listener) }
  }

  notify(value: T) {
    for (const listener of [...this.#listeners]) listener(value)
  }
}
