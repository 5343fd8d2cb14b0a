// One job: status, output and actions.
import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { Job } from '../../src/client/client.ts'
import { JobStatus } from '../activity/status.tsx'
import { client, toErrorMessage } from '../session/session.ts'
import { ConfirmAction } from '../shell/confirm-action.tsx'
import { ErrorNotice } from '../shell/error-notice.tsx'
import { hrefOf } from '../shell/routes.ts'
import { formatDateTime } from '../text/format.ts'
import { formatDuration } from '../text/format-time.ts'
import { markInvisible } from '../text/invisible.tsx'
import { DownloadButton } from './download-button.tsx'
import { JobInput } from './job-input.tsx'
import { JobPorts } from './job-ports.tsx'
import { elapsedMs } from './jobs.tsx'
import { OutputFollower } from './output-follower.ts'
import { OutputTerminal } from './output-terminal.tsx'

export function JobPage({ job, now }: { job: Job; now: number }) {
  const { task_id, command, status } = job
  const stopping = useSignal(false)
  const fault = useSignal<string | undefined>(undefined)
  const output = useMemo(() => new OutputFollower(client(), task_id, job.output_bytes), [task_id])
  useEffect(() => () => output.close(), [output])
  return (
    <div class="detail detail-tall">
      <header class="detail-head">
        <h2 class="mono detail-command">{markInvisible(command)}</h2>
        <JobStatus job={job} />
        <a class="button quiet detail-close" href={hrefOf('jobs')}>
          Close
        </a>
      </header>
      <p class="row muted small">
        <span class="number">{formatDuration(elapsedMs(job, now))}</span>
        <span>since {formatDateTime(job.started_at)}</span>
        <span>in {job.cwd === '.' ? 'the workspace' : job.cwd}</span>
        {job.isolation !== 'none' && <span>Isolation: {job.isolation}</span>}
        {formatEnd(job) !== undefined && <span>{formatEnd(job)}</span>}
        <a href={hrefOf('activity', task_id)}>View call</a>
      </p>
      {job.reason !== undefined && <p class="notice">{markInvisible(job.reason)}</p>}
      {status === 'running' && job.ports && (
        <JobPorts job={job} onFault={error => (fault.value = toErrorMessage(error))} />
      )}
      <ErrorNotice text={fault.value} />
      <OutputTerminal output={output} label={`Output of ${command}`}>
        <DownloadButton id={task_id} onFault={error => (fault.value = toErrorMessage(error))} />
        {status === 'running' && (
          <button type="button" class="button danger" onClick={() => (stopping.value = true)}>
            Stop…
          </button>
        )}
      </OutputTerminal>
      {status === 'running' && job.interactive && (
        <JobInput
          id={task_id}
          hasTerminal={job.pty !== undefined}
          onFault={error => (fault.value = toErrorMessage(error))}
        />
      )}
      {stopping.value && <StopDialog job={job} onClose={() => (stopping.value = false)} />}
    </div>
  )
}

function formatEnd({ exit_code, signal }: Job): string | undefined {
  if (typeof exit_code === 'number') return `exit code ${exit_code}`
  return typeof signal === 'string' ? `ended by ${signal}` : undefined
}

function StopDialog({ job, onClose }: { job: Job; onClose: () => void }) {
  const stop = () => client().cancel(job.task_id, { reason: 'stopped in the console' })
  return (
    <ConfirmAction
      title="Stop this command?"
      cancelLabel="Keep running"
      confirmLabel="Stop job"
      doneMessage="Stopped"
      onConfirm={stop}
      onClose={onClose}
    >
      <pre class="code">{markInvisible(job.command)}</pre>
      <p>
        The command and all processes that it started receive a signal to end. Processes that do not end are killed.
      </p>
    </ConfirmAction>
  )
}
