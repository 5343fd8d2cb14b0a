// Jobs: background commands, running and ended; and the output of one of them.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Job } from '../../src/client/client.ts'
import { JobStatus } from '../activity/status.tsx'
import { client, toErrorMessage } from '../session/session.ts'
import { useKeys } from '../shell/keys.ts'
import { goTo, hrefOf, route } from '../shell/routes.ts'
import { jobs, putJobs } from '../store/jobs.ts'
import { formatDuration, formatTime } from '../text/format-time.ts'
import { markInvisible } from '../text/invisible.tsx'
import { JobPage } from './job-page.tsx'
import { useNow } from './use-now.ts'

export function Jobs() {
  const fault = useEndedJobs()
  const [opened] = route.value.segments
  const list = sortJobs([...jobs.value.values()])
  const now = useNow(list.some(({ status }) => status === 'running'))
  const job = opened === undefined ? undefined : jobs.value.get(opened)
  const move = (by: number) => {
    const at = list.findIndex(({ task_id }) => task_id === opened)
    const next = list[at < 0 ? 0 : Math.max(0, Math.min(at + by, list.length - 1))]
    if (next) goTo('jobs', next.task_id)
  }
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    Escape: () => {
      if (route.peek().segments.length > 0) goTo('jobs')
    }
  })
  return (
    <div class={opened === undefined ? 'panes' : 'panes panes-open'}>
      <nav class="panes-list" aria-label="Jobs">
        <h1 class="spoken">Jobs</h1>
        {fault !== undefined && <p class="notice bad">{fault}</p>}
        {list.length === 0 ? (
          <div class="empty">
            <h2>No jobs</h2>
            <p>Background commands appear here with their output.</p>
          </div>
        ) : (
          <ul class="list">
            {list.map(each => (
              <JobItem key={each.task_id} job={each} now={now} current={each.task_id === opened} />
            ))}
          </ul>
        )}
      </nav>
      {opened !== undefined && (
        <section class="panes-detail" aria-label="Job">
          {job ? (
            <JobPage key={job.task_id} job={job} now={now} />
          ) : (
            <p class="detail muted">This job does not exist, or it ended too long ago to be listed.</p>
          )}
        </section>
      )}
    </div>
  )
}

function JobItem({ job, now, current }: { job: Job; now: number; current: boolean }) {
  return (
    <li>
      <a class="list-item" href={hrefOf('jobs', job.task_id)} aria-current={current ? 'true' : undefined}>
        <span class="list-title mono">{markInvisible(job.command)}</span>
        <span class="list-facts">
          <JobStatus job={job} />
          <span class="number">{formatDuration(elapsedMs(job, now))}</span>
          <span>since {formatTime(job.started_at)}</span>
          {job.description !== undefined && <span class="list-words">{markInvisible(job.description)}</span>}
        </span>
      </a>
    </li>
  )
}

/** Sorts running jobs first, and newest first within each kind. */
const sortJobs = (list: Job[]) =>
  list.sort(
    (a, b) => Number(b.status === 'running') - Number(a.status === 'running') || (a.started_at < b.started_at ? 1 : -1)
  )

export const elapsedMs = (job: Job, now: number) =>
  job.duration_ms ??
  Math.max(0, (job.ended_at === undefined ? now : Date.parse(job.ended_at)) - Date.parse(job.started_at))

/** Fetches ended jobs, which no snapshot contains. */
function useEndedJobs(): string | undefined {
  const fault = useSignal<string | undefined>(undefined)
  useEffect(() => {
    client()
      .jobs()
      .then(putJobs, error => {
        fault.value = toErrorMessage(error)
      })
  }, [])
  return fault.value
}
