// Commands that run in the background, and those that have ended.
import type { Client, Job } from '../../../../src/client/client.ts'
import { Listeners } from './listeners.ts'

/** Maximum number of jobs in the list; running ones come first. */
const MAX_JOBS = 50

export class BackgroundJobs {
  readonly changed = new Listeners()
  #jobs: readonly Job[] = []

  /** Running jobs first, then newest first. */
  get list(): readonly Job[] {
    return this.#jobs
  }

  async load(client: Pick<Client, 'jobs'>) {
    const jobs = await client.jobs()
    const running = jobs.filter(isRunning)
    this.#jobs = [...running, ...jobs.filter(job => !isRunning(job))].slice(0, Math.max(MAX_JOBS, running.length))
    this.changed.notify()
  }

  clear() {
    this.#jobs = []
    this.changed.notify()
  }
}

export const isRunning = ({ status }: Pick<Job, 'status'>): boolean => status === 'running'
