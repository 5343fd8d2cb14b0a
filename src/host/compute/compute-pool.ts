// Thread pool for CPU-bound work, such as fuzzy text search: threads start on demand and end when idle. Cheap work runs inline.
import type { ToolError } from '../../errors.ts'
import { awaitTurn } from '../../time-limit.ts'
import {
  COMPUTE_JOBS,
  type ComputeJob,
  type ComputeJobInput,
  type ComputeJobName,
  type ComputeJobOutput
} from './compute-jobs.ts'
import { type ComputeOptions, ComputeThread } from './compute-thread.ts'

/** Up to this cost, some milliseconds, work runs inline: the round trip to another thread costs as much. */
const MAX_INLINE_STEPS = 300_000
const MAX_THREADS = 2
const IDLE_TIMEOUT_MS = 20_000

interface Waiter {
  accept(thread: ComputeThread): void
  reject(reason: Error): void
}

const shutdownError = () => new Error('The server is stopping.')

export class ComputePool {
  readonly #threads = new Set<ComputeThread>()
  /** Idle threads, with their idle timers. */
  readonly #idle = new Map<ComputeThread, NodeJS.Timeout>()
  readonly #waiting: Waiter[] = []
  #closed = false

  /** Runs a job of the table. Fails with the signal's reason, or with TIMEOUT after its deadline. */
  async run<N extends ComputeJobName>(
    name: N,
    input: ComputeJobInput<N>,
    terms: ComputeOptions
  ): Promise<ComputeJobOutput<N>> {
    terms.signal.throwIfAborted()
    const job = COMPUTE_JOBS[name] as unknown as ComputeJob<ComputeJobInput<N>, ComputeJobOutput<N>>
    if (job.steps(input) <= MAX_INLINE_STEPS) return job.run(input)
    const thread = await awaitTurn(this.#acquire(terms.signal), terms.signal)
    try {
      return (await thread.run({ name, input }, terms)) as ComputeJobOutput<N>
    } finally {
      this.#release(thread)
    }
  }

  /** Ends all threads; work in flight fails. */
  async close(): Promise<void> {
    this.#closed = true
    for (const timer of this.#idle.values()) clearTimeout(timer)
    for (const waiter of this.#waiting.splice(0)) waiter.reject(shutdownError())
    await Promise.all([...this.#threads].map(thread => thread.terminate()))
  }

  /** Waits for a thread. */
  async #acquire(signal: AbortSignal): Promise<ComputeThread> {
    if (this.#closed) throw shutdownError()
    const [rested] = this.#idle.keys()
    if (rested) return this.#unpark(rested)
    if (this.#threads.size < MAX_THREADS) return this.#start()
    const { promise, resolve, reject } = Promise.withResolvers<ComputeThread>()
    const cancelled = () => {
      this.#waiting.splice(this.#waiting.indexOf(waiter), 1)
      reject(signal.reason)
    }
    const settled = () => signal.removeEventListener('abort', cancelled)
    const waiter: Waiter = {
      accept(thread) {
        settled()
        resolve(thread)
      },
      reject(reason) {
        settled()
        reject(reason)
      }
    }
    signal.addEventListener('abort', cancelled)
    this.#waiting.push(waiter)
    return promise
  }

  #start() {
    const thread = new ComputeThread()
    this.#threads.add(thread)
    return thread
  }

  #unpark(thread: ComputeThread) {
    clearTimeout(this.#idle.get(thread))
    this.#idle.delete(thread)
    return thread
  }

  #release(thread: ComputeThread) {
    if (thread.isTerminated) this.#threads.delete(thread)
    const next = this.#waiting.shift()
    if (next && thread.isTerminated) this.#startFor(next)
    else if (next) next.accept(thread)
    else if (!thread.isTerminated) this.#park(thread)
  }

  #startFor(waiter: Waiter) {
    let thread: ComputeThread
    try {
      thread = this.#start()
    } catch (error) {
      waiter.reject(error as ToolError)
      // No other release may follow that would start one for the rest.
      const next = this.#waiting.shift()
      if (next) this.#startFor(next)
      return
    }
    waiter.accept(thread)
  }

  #park(thread: ComputeThread) {
    const ended = () => {
      this.#idle.delete(thread)
      this.#threads.delete(thread)
      void thread.terminate()
    }
    this.#idle.set(thread, setTimeout(ended, IDLE_TIMEOUT_MS).unref())
  }
}
