// One thread for work that would hold up the server. It does one thing at a time; what takes too long, or is no longer
// wanted, ends the thread with it.
import { Worker } from 'node:worker_threads'
import { ToolError } from '../../errors.ts'
import type { FromThread, ToThread } from './compute-worker.ts'

export interface Terms {
  /** Ends the work; the call then fails with its reason. */
  signal: AbortSignal
  /** How long the work may take once it has begun. Past it the call fails with TIMEOUT. */
  deadline_ms: number
}

export class ComputeThread {
  /** Nothing more can be asked of it. */
  gone = false
  readonly #worker: Worker
  #settle: ((message: FromThread | Error) => void) | undefined

  constructor() {
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
    this.#worker = new Worker(new URL(`./compute-worker.${extension}`, import.meta.url))
    this.#worker.on('message', (message: FromThread) => this.#settle?.(message))
    this.#worker.on('error', error => this.#settle?.(error as Error))
    this.#worker.on('exit', () => {
      this.gone = true
      this.#settle?.(new Error('The thread has ended.'))
    })
  }

  async run(asked: ToThread, { signal, deadline_ms }: Terms): Promise<unknown> {
    const { promise, resolve } = Promise.withResolvers<FromThread | Error>()
    this.#settle = resolve
    const cancelled = () => resolve(signal.reason)
    const timer = setTimeout(() => resolve(late(deadline_ms)), deadline_ms)
    signal.addEventListener('abort', cancelled)
    this.#worker.ref()
    try {
      signal.throwIfAborted()
      this.#worker.postMessage(asked)
      const answer = await promise
      if (!(answer instanceof Error)) {
        if ('failed' in answer) throw new Error(answer.failed)
        return answer.output
      }
      void this.end()
      throw answer
    } finally {
      this.#settle = undefined
      clearTimeout(timer)
      signal.removeEventListener('abort', cancelled)
      // Doing nothing, it keeps nobody waiting for it.
      this.#worker.unref()
    }
  }

  async end(): Promise<void> {
    this.gone = true
    await this.#worker.terminate()
  }
}

const late = (deadline_ms: number) =>
  new ToolError('TIMEOUT', `The work was not done within ${deadline_ms} ms and was ended.`)
