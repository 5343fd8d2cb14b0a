// Computes how old the history is, by the time that servers have seen pass while they ran, and by the order of the journal. The clock
// of the system may be wrong by years at a start, or be set, and what is dropped by it is gone.
import { CLOCK_CHECK_MS, steadyNow } from '../steady-time.ts'
import type { Store } from './store.ts'
import type { ClockReading, HistoryBorder } from './store-schema.ts'

const DAY_MS = 86_400_000
/** Maximum time between two runs that counts as passed, since the server has not seen it. */
const MAX_UNSEEN_MS = DAY_MS
/** Time for which files may have had another clock before a reading of it is stored. */
const READING_MARGIN_MS = CLOCK_CHECK_MS + 5_000

export class HistoryAge {
  readonly #store: Store
  readonly #seenBefore: number
  readonly #began = steadyNow()

  /** Begins to count the time of this run, and stores a reading. The first one of a store stands for all that it holds. */
  constructor(store: Store) {
    this.#store = store
    const last = store.clockReadings().at(-1)
    const unseen = last ? Math.min(Math.max(0, Date.now() - last.system_ms), MAX_UNSEEN_MS) : 0
    this.#seenBefore = (last?.seen_ms ?? 0) + unseen
    this.record().catch(() => {})
  }

  /** Stores a reading of the clocks: now and then, and whenever the system's clock was set. */
  async record(): Promise<void> {
    await this.#store.write(() => [['clockReading', this.#seen(), Date.now() - READING_MARGIN_MS]])
  }

  /** Returns the border of what is older than so many days; undefined if nothing is. */
  findBorder(max_age_days: number): HistoryBorder | undefined {
    const reading = this.#olderThan(max_age_days).at(-1)
    return reading && { seq: reading.seq + 1, n: reading.n + 1 }
  }

  /**
   * Returns the time of the system's clock before which files are older than so many days; -Infinity if none are. After the clock was set
   * back, files may be younger than their times, and count as such.
   */
  findFileBorder(max_age_days: number): number {
    const readings = this.#store.clockReadings()
    const last = this.#olderThan(max_age_days).length - 1
    if (last < 0) return Number.NEGATIVE_INFINITY
    return Math.min(Date.now(), ...readings.slice(last).map(({ system_ms }) => system_ms))
  }

  /** Drops readings that no border needs: those before the last one that is so old. */
  async forget(max_age_days: number): Promise<void> {
    const last = this.#olderThan(max_age_days).at(-1)
    if (last) await this.#store.write(() => [['forgetClockReadings', last.seen_ms]])
  }

  #seen() {
    return Math.round(this.#seenBefore + steadyNow() - this.#began)
  }

  /** In order. */
  #olderThan(max_age_days: number): ClockReading[] {
    const border = this.#seen() - max_age_days * DAY_MS
    return this.#store.clockReadings().filter(({ seen_ms }) => seen_ms < border)
  }
}
