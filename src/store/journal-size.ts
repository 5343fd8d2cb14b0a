// Keeps the journal within its size: the oldest rows are dropped as soon as it has grown beyond that, and not only now and then.
import type { Store } from './store.ts'
import type { HistoryBorder } from './store-schema.ts'

/** Pause before the size is looked at again while nothing could be dropped. */
const RETRY_MS = 5_000

interface Log {
  info(details: object, message: string): void
  warn(details: object, message: string): void
}

export class JournalSize {
  readonly #store: Store
  readonly #maxBytes: number
  readonly #log: Log
  #running: Promise<number> | undefined
  #retry: NodeJS.Timeout | undefined

  constructor(store: Store, max_bytes: number, log: Log) {
    this.#store = store
    this.#maxBytes = max_bytes
    this.#log = log
    store.onGrowth(() => this.#trimAgain())
  }

  /** Drops what is below a border, and the oldest rows beyond the size. Returns the number of dropped rows. */
  async trim(before?: HistoryBorder): Promise<number> {
    const dropped = await this.#store.retain({ before, max_bytes: this.#maxBytes })
    if (dropped > 0)
      this.#log.info({ rows: dropped, oldest: this.#store.oldestSeq() }, 'the oldest part of the history was deleted')
    clearTimeout(this.#retry)
    if (this.#store.isTooLarge) this.#retry = setTimeout(() => this.#trimAgain(), RETRY_MS).unref()
    return dropped
  }

  close() {
    clearTimeout(this.#retry)
    this.#store.onGrowth(() => {})
  }

  #trimAgain() {
    this.#running ??= this.trim().finally(() => {
      this.#running = undefined
    })
    this.#running.catch(error => this.#log.warn({ err: error }, 'failed to limit the size of the journal'))
  }
}
