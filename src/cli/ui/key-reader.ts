// Reads single keys of a person at a terminal. What was typed before something was shown is ignored: it was meant for something else.
import type { CliRuntime } from '../context.ts'

/** How long keys are dead after what they are about has changed, or the terminal got the focus. */
const KEY_GUARD_MS = 500
const CTRL_C = '\u0003'
const CTRL_D = '\u0004'
const FOCUS_IN = '\u001b[I'
const ENABLE_FOCUS_REPORTING = '\u001b[?1004h'
const DISABLE_FOCUS_REPORTING = '\u001b[?1004l'

export class KeyReader {
  readonly #runtime: CliRuntime
  #onKey: ((key: string) => void) | undefined
  #guardedUntil = 0

  constructor(world: CliRuntime) {
    this.#runtime = world
  }

  /** From now on no line is edited and nothing typed is shown. */
  open(): void {
    const { stdin, stderr } = this.#runtime
    this.guard()
    stdin.setRawMode?.(true)
    stdin.on('data', this.#onData)
    stdin.resume()
    stderr.write(ENABLE_FOCUS_REPORTING)
  }

  /** The terminal is again as it was, for lines and other programs. */
  close(): void {
    const { stdin, stderr } = this.#runtime
    stderr.write(DISABLE_FOCUS_REPORTING)
    stdin.off('data', this.#onData)
    stdin.setRawMode?.(false)
    stdin.pause()
  }

  /** Keys are dead for a moment, starting now. */
  guard(): void {
    this.#guardedUntil = performance.now() + KEY_GUARD_MS
  }

  /** Tells that a key did not count. */
  bell(): void {
    this.#runtime.stderr.write('\u0007')
  }

  /** Resolves once keys count again; rejects with the signal's own reason, which tells more than that it ended. */
  async waitUntilReady(signal: AbortSignal): Promise<void> {
    const { setTimeout: pause } = await import('node:timers/promises')
    for (let left = this.#remainingGuardMs(); left > 0; left = this.#remainingGuardMs()) {
      await pause(left, undefined, { signal }).catch(() => {})
      signal.throwIfAborted()
    }
  }

  /** The next input that counts: a key, or several characters that came at once, as pasted text does. */
  next(signal: AbortSignal): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const stop = () => reject(signal.reason)
    this.#onKey = key => {
      if (key === CTRL_C) reject(new DOMException('Interrupted.', 'AbortError'))
      else resolve(key === CTRL_D ? 'q' : key)
    }
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    return promise.finally(() => {
      this.#onKey = undefined
      signal.removeEventListener('abort', stop)
    })
  }

  #remainingGuardMs = () => this.#guardedUntil - performance.now()

  #onData = (bytes: Buffer | string) => {
    const text = String(bytes)
    if (text === FOCUS_IN) return this.guard()
    if (text === CTRL_C) return this.#onKey?.(text)
    if (this.#remainingGuardMs() <= 0 && this.#onKey) this.#onKey(text)
    else this.bell()
  }
}
