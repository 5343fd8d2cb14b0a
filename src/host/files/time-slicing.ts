// Time slicing of long work on the main thread, so that concurrent requests wait for no more than one slice.
import { setImmediate as turn } from 'node:timers/promises'

const SLICE_MS = 4

export class TimeSlicer {
  #until = performance.now() + SLICE_MS

  /** Yields to the event loop once the slice is used up. */
  async yieldIfDue(): Promise<void> {
    if (performance.now() < this.#until) return
    await turn()
    this.#until = performance.now() + SLICE_MS
  }
}

/** Maps items with bounded concurrency. */
export async function mapConcurrently<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<R>
): Promise<R[]> {
  const results: R[] = new Array(items.length)
  let next = 0
  const worker = async () => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at]!)
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker))
  return results
}
