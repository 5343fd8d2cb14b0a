// A worker that finds tokens. It is ended if a text takes too long.
import { type HighlightAnswer, type HighlightRequest, type LineTokens, splitTokens } from './tokens.ts'

/** Time for one text. */
const TEXT_TIMEOUT_MS = 2_000
/** Time for the worker to load. */
const LOAD_TIMEOUT_MS = 20_000
/** After so many texts without an answer in time, the worker is off until the page is loaded again. */
const MAX_TIMEOUTS = 3

interface Task {
  request: HighlightRequest
  lines: readonly string[]
  resolve: (tokens: readonly LineTokens[] | undefined) => void
}

export class HighlightThread {
  readonly #script: string
  readonly #queue: Task[] = []
  #current: Task | undefined
  #worker: { thread: Worker; isReady: boolean } | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #timeouts = 0

  /** `script` is beside the script of the page. */
  constructor(script: string) {
    this.#script = script
  }

  /** Returns the tokens of each line of a text; undefined if it has none. */
  find(request: HighlightRequest, lines: readonly string[]): Promise<readonly LineTokens[] | undefined> {
    const { promise, resolve } = Promise.withResolvers<readonly LineTokens[] | undefined>()
    this.#queue.push({ request, lines, resolve })
    this.#sendNext()
    return promise
  }

  /** Sends one text at a time, so that each has its own time limit. */
  #sendNext() {
    if (this.#current || this.#queue.length === 0) return
    if (this.#timeouts >= MAX_TIMEOUTS) {
      for (const { resolve } of this.#queue.splice(0)) resolve(undefined)
      return
    }
    this.#worker ??= this.#startWorker()
    if (!this.#worker.isReady) return
    this.#current = this.#queue.shift()!
    this.#timer = setTimeout(() => this.#stopWorker(1), TEXT_TIMEOUT_MS)
    this.#worker.thread.postMessage(this.#current.request)
  }

  #startWorker() {
    const thread = new Worker(new URL(this.#script, import.meta.url), { name: 'highlighter', type: 'module' })
    const started = { thread, isReady: false }
    this.#timer = setTimeout(() => this.#stopWorker(MAX_TIMEOUTS), LOAD_TIMEOUT_MS)
    thread.addEventListener('error', event => {
      event.preventDefault()
      if (this.#worker === started) this.#stopWorker(MAX_TIMEOUTS)
    })
    thread.addEventListener('message', ({ data }: MessageEvent<HighlightAnswer>) => {
      if (this.#worker !== started) return
      clearTimeout(this.#timer)
      if (data.state === 'ready') started.isReady = true
      else this.#settle(data.state === 'done' ? splitTokens(data.tokens, this.#current?.lines ?? []) : undefined)
      this.#sendNext()
    })
    return started
  }

  /** Ends the worker, and leaves plain the text that it has not answered. */
  #stopWorker(failures: number) {
    clearTimeout(this.#timer)
    this.#worker?.thread.terminate()
    this.#worker = undefined
    this.#timeouts += failures
    this.#settle(undefined)
    this.#sendNext()
  }

  #settle(tokens: readonly LineTokens[] | undefined) {
    this.#current?.resolve(tokens)
    this.#current = undefined
  }
}
