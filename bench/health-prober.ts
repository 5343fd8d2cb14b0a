// Probes the health of servers all the while, in a separate thread: the work of the load client must not show in the figures.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Endpoint } from './http.ts'

/** Response times in milliseconds, by the order of the servers. */
export type ProbedTimes = readonly (readonly number[])[]

export class HealthProber {
  readonly #worker: Worker
  readonly #times: Promise<ProbedTimes>

  /** Begins to probe each of the servers. */
  static async start(servers: readonly Endpoint[]): Promise<HealthProber> {
    const endpoints = servers.map(({ host, port, token }) => ({ host, port, token }))
    const worker = new Worker(new URL('./health-probe-worker.ts', import.meta.url), { workerData: endpoints })
    await once(worker, 'message')
    return new HealthProber(worker)
  }

  private constructor(worker: Worker) {
    this.#worker = worker
    this.#times = once(worker, 'message').then(([times]) => times)
    // Reported by `stop`.
    this.#times.catch(() => {})
  }

  /** Returns the times since the start. A probe that is under way counts. */
  async stop(): Promise<ProbedTimes> {
    this.#worker.postMessage('stop')
    return this.#times
  }
}
