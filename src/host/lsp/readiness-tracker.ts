// Tracks if a server has read the project, as far as it reports that.
import type {
  ProgressToken,
  WorkDoneProgressBegin,
  WorkDoneProgressEnd,
  WorkDoneProgressReport
} from 'vscode-languageserver-protocol'
import type { ReadySignal as Signal } from './servers/server-definition.ts'
import { Waiters } from './waiters.ts'
import type { RequestMethod } from './wire/protocol.ts'

interface ProgressParams {
  token?: ProgressToken
  value?: WorkDoneProgressBegin | WorkDoneProgressReport | WorkDoneProgressEnd
}

const CREATE_PROGRESS: RequestMethod = 'window/workDoneProgress/create'
/** A server that reports no progress this long after it has answered about the first document has none to report. */
const PROGRESS_GRACE_MS = 500

export class ReadinessTracker {
  readonly #signal: Signal
  readonly #activeProgress = new Map<ProgressToken, string>()
  #isSignalled = false
  #hasOpenedDocument = false
  #grace: NodeJS.Timeout | undefined
  readonly #waiters = new Waiters()
  /** Time at which it began to load. */
  #loadingSince = performance.now()

  constructor(signal: Signal) {
    this.#signal = signal
  }

  get isReady(): boolean {
    if (this.#signal === 'initialized') return true
    return this.#isSignalled && this.#activeProgress.size === 0
  }

  /** A document was opened: loading of the project begins now. `ask` sends a request about it, and resolves with the answer. */
  documentOpened(ask: () => Promise<unknown>) {
    if (this.#hasOpenedDocument || this.#signal !== 'progress') return
    this.#hasOpenedDocument = true
    void ask()
      .catch(() => {})
      .then(() => this.#startGrace())
  }

  /** Duration of loading so far. */
  get loadingMs(): number {
    return this.isReady ? 0 : performance.now() - this.#loadingSince
  }

  /** Current task of the server. */
  get currentTask(): string | undefined {
    return [...this.#activeProgress.values()].at(-1)
  }

  onNotification(method: string, params: unknown) {
    const signal = this.#signal
    if (method === '$/progress') this.#progress(params as ProgressParams)
    // Progress is about to begin.
    if (method === CREATE_PROGRESS && !this.#isSignalled) this.#grace?.refresh()
    if (typeof signal === 'object' && method === signal.notification && signal.isReady(params)) this.#markReady()
  }

  /** Resolves once it is ready. */
  async whenReady(signal: AbortSignal): Promise<void> {
    // Progress may begin in the same turn that reports readiness.
    while (!this.isReady) await this.#waiters.next(signal)
  }

  #progress({ token, value }: ProgressParams) {
    if (token === undefined) return
    if (value?.kind === 'begin' && this.isReady) this.#loadingSince = performance.now()
    if (value?.kind === 'begin') this.#activeProgress.set(token, value.title ?? value.message ?? '')
    if (value?.kind === 'end' && this.#activeProgress.delete(token) && this.#signal === 'progress') this.#markReady()
    else this.#wake()
  }

  #startGrace() {
    if (!this.#isSignalled) this.#grace = setTimeout(() => this.#markReady(), PROGRESS_GRACE_MS).unref()
  }

  #markReady() {
    this.#isSignalled = true
    clearTimeout(this.#grace)
    this.#wake()
  }

  #wake() {
    if (this.isReady) this.#waiters.wake()
  }
}
