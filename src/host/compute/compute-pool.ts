// Pure work that would hold up the server, such as looking for text that is only similar: done by a few threads that
// start when first needed and end when nobody needs them. What costs little is done on the spot.
import { JOBS, type Job, type JobInput, type JobName, type JobOutput } from './compute-jobs.ts'
import { ComputeThread, type Terms } from './compute-thread.ts'

/** Up to this, some milliseconds, work is done where it is asked for: a way to another thread and back costs as much. */
const FEW_STEPS = 300_000
const THREADS = 2
const IDLE_MS = 20_000

interface Waiter {
  take(thread: ComputeThread): void
  refuse(reason: Error): void
}

const stopping = () => new Error('Nothing more is worked out: the server stops.')

export class Compute {
  readonly #threads = new Set<ComputeThread>()
  /** Those with nothing to do, and what ends them when that stays so. */
  readonly #idle = new Map<ComputeThread, NodeJS.Timeout>()
  readonly #waiting: Waiter[] = []
  #closed = false

  /** Works out a job of the table. Fails with the signal's reason, or with TIMEOUT when its deadline passes. */
  async run<N extends JobName>(name: N, input: JobInput<N>, terms: Terms): Promise<JobOutput<N>> {
    terms.signal.throwIfAborted()
    const job = JOBS[name] as unknown as Job<JobInput<N>, JobOutput<N>>
    if (job.steps(input) <= FEW_STEPS) return job.run(input)
    const thread = await this.#free(terms.signal)
    try {
      return (await thread.run({ name, input }, terms)) as JobOutput<N>
    } finally {
      this.#release(thread)
    }
  }

  /** Ends all threads; work under way fails. */
  async close(): Promise<void> {
    this.#closed = true
    for (const timer of this.#idle.values()) clearTimeout(timer)
    for (const waiter of this.#waiting.splice(0)) waiter.refuse(stopping())
    await Promise.all([...this.#threads].map(thread => thread.end()))
  }

  /** A thread for one piece of work, as soon as there is one. */
  async #free(signal: AbortSignal): Promise<ComputeThread> {
    if (this.#closed) throw stopping()
    const [rested] = this.#idle.keys()
    if (rested) return this.#wake(rested)
    if (this.#threads.size < THREADS) return this.#start()
    const { promise, resolve, reject } = Promise.withResolvers<ComputeThread>()
    const cancelled = () => {
      this.#waiting.splice(this.#waiting.indexOf(waiter), 1)
      reject(signal.reason)
    }
    const settled = () => signal.removeEventListener('abort', cancelled)
    const waiter: Waiter = {
      take(thread) {
        settled()
        resolve(thread)
      },
      refuse(reason) {
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

  #wake(thread: ComputeThread) {
    clearTimeout(this.#idle.get(thread))
    this.#idle.delete(thread)
    return thread
  }

  #release(thread: ComputeThread) {
    if (thread.gone) this.#threads.delete(thread)
    const next = this.#waiting.shift()
    if (next) next.take(thread.gone ? this.#start() : thread)
    else if (!thread.gone) this.#rest(thread)
  }

  #rest(thread: ComputeThread) {
    const ended = () => {
      this.#idle.delete(thread)
      this.#threads.delete(thread)
      void thread.end()
    }
    this.#idle.set(thread, setTimeout(ended, IDLE_MS).unref())
  }
}
