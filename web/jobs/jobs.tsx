// Jobs: background commands, running and ended; and the output of one of them.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Job } from '../../src/client/client.ts'
import { JobStatus } from '../activity/status.tsx'
import { client, toErrorMessage } from '../session/session.ts'
import { useKeys } from '../shell/keys.ts'
import { goTo, hrefOf, route } from '../shell/routes.ts'
import { jobs, putJobs } from '../store/jobs.ts'
import { formatDateTime } from '../text/format.ts'
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
          <table class="table jobs figures labelled">
            <thead>
              <tr>
                {['Command', 'Status', 'Session', 'Started', 'Duration', 'Ports'].map(name => (
                  <th key={name} scope="col" class={name === 'Duration' ? 'number' : undefined}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {list.map(each => (
                <JobLine key={each.task_id} job={each} now={now} current={each.task_id === opened} />
              ))}
            </tbody>
          </table>
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

function JobLine({ job, now, current }: { job: Job; now: number; current: boolean }) {
  const { task_id, command, description, session_id, started_at, ports = [] } = job
  return (
    <tr class={current ? 'current' : undefined}>
      <th scope="row" class="job-command">
        <a class="mono" href={hrefOf('jobs', task_id)} aria-current={current ? 'true' : undefined}>
          {markInvisible(command)}
        </a>
        {description !== undefined && <span class="muted small">{markInvisible(description)}</span>}
      </th>
      <td data-name="Status">
        <JobStatus job={job} />
      </td>
      <td data-name="Session">{markInvisible(session_id)}</td>
      <td data-name="Started">
        <time dateTime={started_at} title={formatDateTime(started_at)}>
          {formatTime(started_at)}
        </time>
      </td>
      <td class="number" data-name="Duration">
        {formatDuration(elapsedMs(job, now))}
      </td>
      <td data-name="Ports">{ports.map(({ port }) => port).join(', ')}</td>
    </tr>
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
