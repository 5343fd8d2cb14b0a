// Background processes, running and ended, by the id of their call.
import { signal } from '@preact/signals'
import type { Event, Job } from '../../src/client/client.ts'

/** Newest last. */
export const jobs = signal<ReadonlyMap<string, Job>>(new Map())

export function putJobs(list: readonly Job[]) {
  const next = new Map(jobs.peek())
  for (const job of list) next.set(job.task_id, job)
  jobs.value = next
}

export function applyJobEvent(event: Event) {
  if (event.type !== 'job.exited') return
  const job = jobs.peek().get(event.task_id)
  if (!job) return
  const { status, exit_code, signal: by, duration_ms, reason, survivors } = event
  putJobs([
    {
      ...job,
      status,
      ended_at: event.time,
      ...(exit_code !== undefined && { exit_code }),
      ...(by !== undefined && { signal: by }),
      ...(duration_ms !== undefined && { duration_ms }),
      ...(reason !== undefined && { reason }),
      ...(survivors !== undefined && { survivors })
    }
  ])
}
