// One worker thread for CPU-bound work. It runs one job at a time; a timeout or cancellation ends the thread.
import { Worker } from 'node:worker_threads'
import { ToolError } from '../../errors.ts'
import { TimeLimit } from '../../time-limit.ts'
import type { ComputeRequest, ComputeResponse } from './compute-worker.ts'

export interface ComputeOptions {
  /** Cancels the work; the call then fails with its reason. */
  signal: AbortSignal
  /** Time limit of the work once it has begun. Beyond it the call fails with TIMEOUT. */
  deadlineMs: number
}

export class ComputeThread {
  /** The thread has ended. */
  isTerminated = false
  readonly #worker: Worker
  #settle: ((message: ComputeResponse | Error) => void) | undefined

  /** Throws OVERLOADED if the system starts no thread. */
  constructor() {
    this.#worker = startWorker()
    this.#worker.on('message', (message: ComputeResponse) => this.#settle?.(message))
    this.#worker.on('error', error => this.#settle?.(threadError(error as Error)))
    this.#worker.on('exit', code => {
      this.isTerminated = true
      this.#settle?.(threadError(new Error(`it ended with code ${code}`)))
    })
  }

  async run(request: ComputeRequest, { signal, deadlineMs }: ComputeOptions): Promise<unknown> {
    const { promise, resolve } = Promise.withResolvers<ComputeResponse | Error>()
    this.#settle = resolve
    const cancelled = () => resolve(signal.reason)
    const limit = new TimeLimit(deadlineMs, () => resolve(timeoutError(deadlineMs)))
    signal.addEventListener('abort', cancelled)
    this.#worker.ref()
    try {
      signal.throwIfAborted()
      this.#worker.postMessage(request)
      const answer = await promise
      if (!(answer instanceof Error)) {
        if ('failed' in answer) throw new Error(answer.failed)
        return answer.output
      }
      void this.terminate()
      throw answer
    } finally {
      this.#settle = undefined
      limit.end()
      signal.removeEventListener('abort', cancelled)
      // An idle thread does not keep the process alive.
      this.#worker.unref()
    }
  }

  async terminate(): Promise<void> {
    this.isTerminated = true
    await this.#worker.terminate()
  }
}

function startWorker(): Worker {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  try {
    return new Worker(new URL(`./compute-worker.${extension}`, import.meta.url))
  } catch (error) {
    throw threadError(error as Error)
  }
}

function threadError(error: NodeJS.ErrnoException): ToolError {
  if (error.code === 'ERR_WORKER_INIT_FAILED')
    return new ToolError(
      'OVERLOADED',
      'The worker thread for diffs and edits could not be started: the system is out of threads or memory. Increase the ' +
        'limits of the server (`ulimit -u`, or the limits of its container), and retry.'
    )
  return new ToolError(
    'EXECUTION_ERROR',
    `The worker thread for diffs and edits failed: ${error.message}. Retry: a new thread is started. If it fails again, check the installation with \`toolgate doctor\`.`
  )
}

const timeoutError = (deadline_ms: number) =>
  new ToolError('TIMEOUT', `The computation took longer than ${deadline_ms} ms and was stopped.`)
