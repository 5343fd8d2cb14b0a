// Bounded queue of a command's output for one reader, who may be slower than the command.
import type { Delta } from './output-decoder.ts'

// Maximum number of queued characters; beyond it the oldest are dropped, which shows as a gap in the offsets. The output itself
// is stored in full.
const MAX_WAITING_CHARACTERS = 262_144

export class DeltaQueue {
  #waiting: Delta[] = []
  #characters = 0
  #wake: (() => void) | undefined
  #ended = false

  add(delta: Delta) {
    this.#waiting.push(delta)
    this.#characters += delta.text.length
    while (this.#characters > MAX_WAITING_CHARACTERS && this.#waiting.length > 1)
      this.#characters -= this.#waiting.shift()!.text.length
    this.#wake?.()
  }

  end() {
    this.#ended = true
    this.#wake?.()
  }

  /**
   * Yields queued and new text, until the end or the reader's signal. One reader at a time; the next continues at the same
   * position.
   */
  async *read(signal?: AbortSignal): AsyncGenerator<Delta, void, void> {
    for (;;) {
      await this.#waitForDelta(undefined, signal)
      const delta = this.#take(signal)
      if (!delta) return
      yield delta
    }
  }

  /** Also yields undefined after `quietMs` without output, once for each silence. */
  async *untilQuiet(quietMs: number, signal: AbortSignal): AsyncGenerator<Delta | undefined, void, void> {
    for (let wasQuiet = false; ; ) {
      const came = await this.#waitForDelta(wasQuiet ? undefined : quietMs, signal)
      wasQuiet = !came
      const delta = came ? this.#take(signal) : undefined
      if (came && !delta) return
      yield delta
    }
  }

  /**
   * Resolves to true once text is queued or the end is reached; to false after `quietMs`. Takes nothing, so that a canceled wait
   * loses no text.
   */
  #waitForDelta(quietMs: number | undefined, signal: AbortSignal | undefined): Promise<boolean> {
    if (this.#waiting.length > 0 || this.#ended || signal?.aborted) return Promise.resolve(true)
    return new Promise(resolve => {
      const wake = () => done(true)
      const timer = quietMs === undefined ? undefined : setTimeout(() => done(false), quietMs)
      const done = (came: boolean) => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', wake)
        resolve(came)
      }
      signal?.addEventListener('abort', wake, { once: true })
      this.#wake = wake
    })
  }

  #take(signal: AbortSignal | undefined): Delta | undefined {
    const delta = signal?.aborted ? undefined : this.#waiting.shift()
    if (delta) this.#characters -= delta.text.length
    return delta
  }
}
