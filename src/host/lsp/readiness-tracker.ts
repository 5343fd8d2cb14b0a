// Whether a server has read the project, as far as it tells.
import type {
  ProgressToken,
  WorkDoneProgressBegin,
  WorkDoneProgressEnd,
  WorkDoneProgressReport
} from 'vscode-languageserver-protocol'
import type { Readiness as Signal } from './servers/server-definition.ts'
import { Waiters } from './waiters.ts'

interface Progress {
  token?: ProgressToken
  value?: WorkDoneProgressBegin | WorkDoneProgressReport | WorkDoneProgressEnd
}

/** One that has not begun to tell of progress so long after it was shown a file has none to make. */
const GRACE_MS = 500

export class Readiness {
  readonly #signal: Signal
  readonly #running = new Map<ProgressToken, string>()
  #said = false
  #shown = false
  #grace: NodeJS.Timeout | undefined
  readonly #waiters = new Waiters()
  /** When it began to read what it reads. */
  #since = performance.now()

  constructor(signal: Signal) {
    this.#signal = signal
  }

  get isReady(): boolean {
    if (this.#signal === 'initialized') return true
    return this.#said && this.#running.size === 0
  }

  /** It was shown a file: what it has to read of the project it reads from now on. */
  shown() {
    if (this.#shown || this.#signal !== 'progress') return
    this.#shown = true
    this.#grace = setTimeout(() => this.#says(), GRACE_MS).unref()
  }

  /** How long it has been reading by now. */
  get reading_ms(): number {
    return this.isReady ? 0 : performance.now() - this.#since
  }

  /** What it is doing. */
  get doing(): string | undefined {
    return [...this.#running.values()].at(-1)
  }

  told(method: string, params: unknown) {
    const signal = this.#signal
    if (method === '$/progress') this.#progress(params as Progress)
    if (typeof signal === 'object' && method === signal.notification && signal.says(params)) this.#says()
  }

  /** Resolves once it is ready. */
  async ready(signal: AbortSignal): Promise<void> {
    // Progress may begin in the same turn that reports readiness.
    while (!this.isReady) await this.#waiters.next(signal)
  }

  #progress({ token, value }: Progress) {
    if (token === undefined) return
    if (value?.kind === 'begin' && this.isReady) this.#since = performance.now()
    if (value?.kind === 'begin') this.#running.set(token, value.title ?? value.message ?? '')
    if (value?.kind === 'end' && this.#running.delete(token) && this.#signal === 'progress') this.#says()
    else this.#wake()
  }

  #says() {
    this.#said = true
    clearTimeout(this.#grace)
    this.#wake()
  }

  #wake() {
    if (this.isReady) this.#waiters.wake()
  }
}
