// Reads single keys at a terminal. Input typed before the prompt was shown is ignored: it was meant for something else.
import type { CliRuntime } from '../context.ts'

/** Milliseconds for which keys are ignored after the prompt has changed, or the terminal got the focus. */
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

  /** Switches the terminal to raw mode: no line editing, no echo. */
  open(): void {
    const { stdin, stderr } = this.#runtime
    stdin.setRawMode?.(true)
    stdin.on('data', this.#onData)
    stdin.resume()
    stderr.write(ENABLE_FOCUS_REPORTING)
  }

  /** Restores the terminal for line input and other programs. */
  close(): void {
    const { stdin, stderr } = this.#runtime
    stderr.write(DISABLE_FOCUS_REPORTING)
    stdin.off('data', this.#onData)
    stdin.setRawMode?.(false)
    stdin.pause()
  }

  /** Ignores keys for a moment, starting now. */
  guard(): void {
    this.#guardedUntil = performance.now() + KEY_GUARD_MS
  }

  /** Signals an ignored key. */
  bell(): void {
    this.#runtime.stderr.write('\u0007')
  }

  /** Resolves once keys are accepted again; rejects with the signal's reason, which is more specific than an abort. */
  async waitUntilReady(signal: AbortSignal): Promise<void> {
    const { setTimeout: pause } = await import('node:timers/promises')
    for (let left = this.#remainingGuardMs(); left > 0; left = this.#remainingGuardMs()) {
      await pause(left, undefined, { signal }).catch(() => {})
      signal.throwIfAborted()
    }
  }

  /** Returns the next accepted input: a key, or several characters at once, as in pasted text. */
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
