// Holds the output of a sandboxed program until a check has shown that the program could not have read a secret by then: what is
// hidden from a program is what existed when it started, and a secret that is saved again while it runs is visible to it.
import type { ToolError } from '../../../errors.ts'

/** Time in milliseconds between the arrival of output and its check, while the program runs. */
const CHECK_AFTER_MS = 100
/** Maximum number of held bytes; the program waits then. */
const MAX_HELD_BYTES = 1 << 20

/**
 * Minimum time in milliseconds between two checks of a program that prints nothing: it must not show by its duration what it has
 * read.
 */
const CHECK_PERIOD_MS = 500
/** Checks of a silent program take at most this share of the time. */
const MAX_CHECK_SHARE = 0.02

export interface OutputCheck {
  /** Resolves to the reason for withholding the output so far; undefined if there is none. */
  findReason(): Promise<ToolError | undefined>
  /** Aborts when there is a reason to check at once. */
  isDue: AbortSignal
}

interface HeldBytes {
  bytes: Uint8Array
  pass(bytes: Uint8Array): void
}

export class HeldOutput {
  readonly #check: OutputCheck
  readonly #withheld = new AbortController()
  #held: HeldBytes[] = []
  #size = 0
  #timer: NodeJS.Timeout | undefined
  #periodic: NodeJS.Timeout | undefined
  #running: Promise<void> = Promise.resolve()
  /** A check that has not begun. */
  #next: Promise<void> | undefined
  #checks = 0
  #finishing: Promise<void> | undefined
  #isFinished = false

  constructor(check: OutputCheck) {
    this.#check = check
    check.isDue.addEventListener('abort', this.#checkNow, { once: true })
    this.#schedule(check.isDue.aborted ? 0 : CHECK_PERIOD_MS)
  }

  get isFull() {
    return this.#size > MAX_HELD_BYTES
  }

  get isChecking() {
    return this.#checks > 0
  }

  /** Aborts with the reason when a check has failed: the output is withheld from then on. */
  get withheld(): AbortSignal {
    return this.#withheld.signal
  }

  /** Holds bytes, of which it makes a copy; `pass` receives them later, in the order of arrival. */
  add(bytes: Uint8Array, pass: (bytes: Uint8Array) => void) {
    if (this.withheld.aborted) return
    if (this.#isFinished) return pass(bytes)
    this.#held.push({ bytes: Buffer.from(bytes), pass })
    this.#size += bytes.length
    this.#timer ??= setTimeout(() => void this.release(), CHECK_AFTER_MS)
  }

  /**
   * Releases everything after one check, once the program has ended. Whatever is read later was printed before, so it is not held
   * any more.
   */
  finish(): Promise<void> {
    this.#finishing ??= this.release().then(() => {
      this.#isFinished = true
      for (const { bytes, pass } of this.#held.splice(0)) pass(bytes)
      clearTimeout(this.#timer)
      clearTimeout(this.#periodic)
      this.#check.isDue.removeEventListener('abort', this.#checkNow)
    })
    return this.#finishing
  }

  /** Checks, and then passes what was held before the check. Resolves when that is done, or the output is withheld. */
  release(): Promise<void> {
    if (this.#next) return this.#next
    this.#checks += 1
    const next = this.#running.then(async () => {
      this.#next = undefined
      try {
        await this.#checkAndPass()
      } finally {
        this.#checks -= 1
      }
    })
    this.#next = next
    this.#running = next
    return next
  }

  readonly #checkNow = () => void this.release()

  #schedule(ms: number) {
    if (this.#isFinished) return
    clearTimeout(this.#periodic)
    this.#periodic = setTimeout(this.#checkNow, ms).unref()
  }

  async #checkAndPass() {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.withheld.aborted) return
    const held = this.#held
    this.#held = []
    const started = performance.now()
    const reason = await this.#check.findReason().catch((error: unknown) => error)
    if (reason !== undefined) {
      this.#held = []
      this.#size = 0
      clearTimeout(this.#periodic)
      this.#withheld.abort(reason)
      return
    }
    this.#schedule(Math.max(CHECK_PERIOD_MS, (performance.now() - started) / MAX_CHECK_SHARE))
    for (const { bytes, pass } of held) {
      this.#size -= bytes.length
      pass(bytes)
    }
  }
}
