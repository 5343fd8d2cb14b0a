// Whether a server has read the project, as far as it tells.
import type { Readiness as Signal } from './server-row.ts'

interface Progress {
  token?: string | number
  value?: { kind?: string; title?: string; message?: string }
}

export class Readiness {
  readonly #signal: Signal
  readonly #running = new Map<string | number, string>()
  #said = false
  #waiting: (() => void)[] = []

  constructor(signal: Signal) {
    this.#signal = signal
  }

  get isReady(): boolean {
    const signal = this.#signal
    if (typeof signal === 'object' && !this.#said) return false
    return signal === 'initialized' || this.#running.size === 0
  }

  /** What it is doing. */
  get doing(): string | undefined {
    return [...this.#running.values()].at(-1)
  }

  told(method: string, params: unknown) {
    const signal = this.#signal
    if (typeof signal === 'object' && method === signal.notification && signal.says(params)) this.#said = true
    if (method === '$/progress') this.#progress(params as Progress)
    if (this.isReady) for (const resolve of this.#waiting.splice(0)) resolve()
  }

  /** Resolves once it is ready. */
  async ready(signal: AbortSignal): Promise<void> {
    if (this.isReady) return
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const abort = () => reject(signal.reason)
    this.#waiting.push(resolve)
    signal.addEventListener('abort', abort, { once: true })
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }

  #progress({ token, value }: Progress) {
    if (token === undefined) return
    if (value?.kind === 'begin') this.#running.set(token, value.title ?? value.message ?? '')
    if (value?.kind === 'end') this.#running.delete(token)
  }
}
