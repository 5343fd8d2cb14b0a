// Reads the log of calls on a thread, which starts on demand and ends when idle: a query of a large log takes long.
import { Worker } from 'node:worker_threads'
import { ToolError } from '../errors.ts'
import type { CallQuery, LogPage, LogRows } from './call-log.ts'
import type { LogRequest, LogResponse } from './log-worker.ts'

const IDLE_TIMEOUT_MS = 20_000

interface PendingRequest {
  resolve(page: LogPage<LogRows[keyof LogRows]>): void
  reject(error: Error): void
}

export class LogReader {
  readonly #file: string
  readonly #pending = new Map<number, PendingRequest>()
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined
  #requests = 0
  #isClosed = false

  constructor(file: string) {
    this.#file = file
  }

  /** Returns a page of the log, with those columns. */
  async read<K extends keyof LogRows>(rows: K, query: CallQuery): Promise<LogPage<LogRows[K]>> {
    if (this.#isClosed) throw unreadableError('the server is stopping')
    clearTimeout(this.#idle)
    this.#worker ??= this.#start()
    const id = ++this.#requests
    const { promise, resolve, reject } = Promise.withResolvers<LogPage<LogRows[keyof LogRows]>>()
    this.#pending.set(id, { resolve, reject })
    this.#worker.postMessage({ id, rows, query } satisfies LogRequest)
    return (await promise) as LogPage<LogRows[K]>
  }

  /** Ends the thread; requests in flight fail. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#end()
  }

  #start(): Worker {
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
    const worker = new Worker(new URL(`./log-worker.${extension}`, import.meta.url), {
      workerData: this.#file,
      resourceLimits: { maxYoungGenerationSizeMb: 8 }
    })
    worker.unref()
    worker.on('message', (response: LogResponse) => this.#onResponse(response))
    worker.on('error', error => this.#onEnd(worker, error.message))
    worker.on('exit', () => this.#onEnd(worker, 'the thread that reads the journal has ended'))
    return worker
  }

  #onResponse(response: LogResponse) {
    const request = this.#pending.get(response.id)
    this.#pending.delete(response.id)
    if ('page' in response) request?.resolve(response.page)
    else request?.reject(unreadableError(response.failed))
    if (this.#pending.size === 0) this.#idle = setTimeout(() => void this.#end(), IDLE_TIMEOUT_MS).unref()
  }

  /** The next request starts another thread. */
  #onEnd(worker: Worker, why: string) {
    if (this.#worker !== worker) return
    this.#worker = undefined
    for (const { reject } of this.#pending.values()) reject(unreadableError(why))
    this.#pending.clear()
  }

  async #end() {
    clearTimeout(this.#idle)
    const worker = this.#worker
    if (!worker) return
    this.#onEnd(worker, 'the server is stopping')
    await worker.terminate()
  }
}

const RETRY_AFTER_S = 1

const unreadableError = (why: string) =>
  new ToolError('OVERLOADED', `The journal could not be read: ${why}. Retry.`, { retry_after_s: RETRY_AFTER_S })
