// One job: how it stands, what it prints, and what can be done to it.
import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { Job } from '../../src/client/client.ts'
import { JobStatus } from '../activity/status.tsx'
import { client, whatFailed } from '../session/session.ts'
import { Question } from '../shell/confirm-action.tsx'
import { Fault } from '../shell/error-notice.tsx'
import { hrefOf } from '../shell/routes.ts'
import { bytesOf, whenOf } from '../text/format.ts'
import { span } from '../text/format-time.ts'
import { marked } from '../text/invisible.tsx'
import { JobInput } from './job-input.tsx'
import { lastedOf } from './jobs.tsx'
import { FollowedOutput, wholeOutput } from './output-follower.ts'
import { Terminal } from './output-terminal.tsx'

export function JobPage({ job, now }: { job: Job; now: number }) {
  const { task_id, command, status } = job
  const stopping = useSignal(false)
  const fault = useSignal<string | undefined>(undefined)
  const output = useMemo(() => new FollowedOutput(client(), task_id, job.output_bytes), [task_id])
  useEffect(() => () => output.close(), [output])
  return (
    <div class="detail detail-tall">
      <header class="detail-head">
        <h2 class="mono detail-command">{marked(command)}</h2>
        <JobStatus job={job} />
        <a class="button quiet detail-close" href={hrefOf('jobs')}>
          Close
        </a>
      </header>
      <p class="row muted small">
        <span class="number">{span(lastedOf(job, now))}</span>
        <span>since {whenOf(job.started_at)}</span>
        <span>in {job.cwd === '.' ? 'the workspace' : job.cwd}</span>
        {job.isolation !== 'none' && <span>kept by the sandbox ({job.isolation})</span>}
        {endOf(job) !== undefined && <span>{endOf(job)}</span>}
        <a href={hrefOf('activity', task_id)}>Its call</a>
      </p>
      {job.reason !== undefined && <p class="notice">{marked(job.reason)}</p>}
      <Fault text={fault.value} />
      <Terminal output={output} label={`Output of ${command}`}>
        <Download id={task_id} onFault={error => (fault.value = whatFailed(error))} />
        {status === 'running' && (
          <button type="button" class="button danger" onClick={() => (stopping.value = true)}>
            Stop…
          </button>
        )}
      </Terminal>
      {status === 'running' && job.interactive && (
        <JobInput
          id={task_id}
          hasTerminal={job.pty !== undefined}
          onFault={error => (fault.value = whatFailed(error))}
        />
      )}
      {stopping.value && <StopDialog job={job} onClose={() => (stopping.value = false)} />}
    </div>
  )
}

function endOf({ exit_code, signal }: Job): string | undefined {
  if (typeof exit_code === 'number') return `exit code ${exit_code}`
  return typeof signal === 'string' ? `ended by ${signal}` : undefined
}

function Download({ id, onFault }: { id: string; onFault: (error: unknown) => void }) {
  const got = useSignal<number | undefined>(undefined)
  const download = async () => {
    got.value = 0
    try {
      const blob = await wholeOutput(client(), id, bytes => {
        got.value = bytes
      })
      const link = Object.assign(document.createElement('a'), {
        href: URL.createObjectURL(blob),
        download: `${id}.txt`
      })
      link.click()
      URL.revokeObjectURL(link.href)
    } catch (error) {
      onFault(error)
    }
    got.value = undefined
  }
  return (
    <button type="button" class="button" disabled={got.value !== undefined} onClick={() => void download()}>
      {got.value === undefined ? 'Download' : bytesOf(got.value)}
    </button>
  )
}

function StopDialog({ job, onClose }: { job: Job; onClose: () => void }) {
  const stop = () => client().cancel(job.task_id, { reason: 'stopped in the console' })
  return (
    <Question title="Stop this command?" no="Let it run" yes="Stop it" done="Stopped" act={stop} onClose={onClose}>
      <pre class="code">{marked(job.command)}</pre>
      <p>It is asked to end, and made to a moment later, with all that it started.</p>
    </Question>
  )
}
