// Reads single keys of a person at a terminal. What was typed before something was shown is ignored: it was meant for something else.
import type { World } from '../context.ts'

/** How long keys are dead after what they are about has changed, or the terminal got the focus. */
const GUARD_MS = 500
const INTERRUPT = '\u0003'
const END = '\u0004'
const FOCUSED = '\u001b[I'
const TELL_FOCUS = '\u001b[?1004h'
const TELL_FOCUS_NO_MORE = '\u001b[?1004l'

export class Keys {
  readonly #world: World
  #taker: ((key: string) => void) | undefined
  #awakeAt = 0

  constructor(world: World) {
    this.#world = world
  }

  /** From now on no line is edited and nothing typed is shown. */
  open(): void {
    const { stdin, stderr } = this.#world
    this.guard()
    stdin.setRawMode?.(true)
    stdin.on('data', this.#take)
    stdin.resume()
    stderr.write(TELL_FOCUS)
  }

  /** The terminal is again as it was, for lines and other programs. */
  close(): void {
    const { stdin, stderr } = this.#world
    stderr.write(TELL_FOCUS_NO_MORE)
    stdin.off('data', this.#take)
    stdin.setRawMode?.(false)
    stdin.pause()
  }

  /** Keys are dead for a moment, starting now. */
  guard(): void {
    this.#awakeAt = performance.now() + GUARD_MS
  }

  /** Tells that a key did not count. */
  ring(): void {
    this.#world.stderr.write('\u0007')
  }

  /** Resolves once keys count again; rejects with the signal's own reason, which tells more than that it ended. */
  async awake(signal: AbortSignal): Promise<void> {
    const { setTimeout: pause } = await import('node:timers/promises')
    for (let left = this.#left(); left > 0; left = this.#left()) {
      await pause(left, undefined, { signal }).catch(() => {})
      signal.throwIfAborted()
    }
  }

  /** The next input that counts: a key, or several characters that came at once, as pasted text does. */
  next(signal: AbortSignal): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const stop = () => reject(signal.reason)
    this.#taker = key => {
      if (key === INTERRUPT) reject(new DOMException('Interrupted.', 'AbortError'))
      else resolve(key === END ? 'q' : key)
    }
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    return promise.finally(() => {
      this.#taker = undefined
      signal.removeEventListener('abort', stop)
    })
  }

  #left = () => this.#awakeAt - performance.now()

  #take = (bytes: Buffer | string) => {
    const text = String(bytes)
    if (text === FOCUSED) return this.guard()
    if (text === INTERRUPT) return this.#taker?.(text)
    if (this.#left() <= 0 && this.#taker) this.#taker(text)
    else this.ring()
  }
}
