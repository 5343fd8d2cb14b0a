// The outcome of a decided call, in place on its card: status, exit code, output, changed files, undo.
import { useState } from 'preact/hooks'
import type { Call } from '../../src/client/client.ts'
import { ChangedFiles, hasChangedFiles } from '../activity/changed-files.tsx'
import { JobStatus, Status } from '../activity/status.tsx'
import { UndoDialog } from '../activity/undo-dialog.tsx'
import { useCall } from '../activity/use-call.ts'
import { has } from '../session/place.ts'
import { hrefOf } from '../shell/routes.ts'
import { jobs } from '../store/jobs.ts'
import { formatDuration } from '../text/format-time.ts'
import { markInvisible } from '../text/invisible.tsx'
import { TextBlock } from '../text/text-block.tsx'

export function CallOutcome({ id }: { id: string }) {
  const { call } = useCall(id)
  if (!call || call.status === 'awaiting_approval') return null
  const content = call.status === 'success' ? call.result.content : ''
  return (
    <section class="part outcome" aria-label="Outcome">
      <div class="row">
        <OutcomeFacts call={call} />
      </div>
      {call.status === 'rejected' && call.user_message !== undefined && (
        <p>Message to the agent: {markInvisible(call.user_message)}</p>
      )}
      {content !== '' && <TextBlock text={content} label="Output" />}
      {hasChangedFiles(call) && <ChangedFiles call={call} />}
    </section>
  )
}

/** The status, the exit code and the duration of a call, with the link to it and its undo. */
export function OutcomeFacts({ call }: { call: Call }) {
  const [isUndoing, setUndoing] = useState(false)
  const id = call.tool_call_id
  const exitCode = findExitCode(call)
  const ms = 'execution_time_ms' in call ? call.execution_time_ms : undefined
  const startsJob = findResultData(call)?.task_id === id
  return (
    <>
      {startsJob ? (
        <JobFacts id={id} />
      ) : (
        <>
          <Status status={call.status} />
          {exitCode !== undefined && <span class={exitCode === 0 ? 'badge' : 'badge bad'}>exit code {exitCode}</span>}
          {ms !== undefined && <span class="muted number">{formatDuration(ms)}</span>}
        </>
      )}
      <a href={hrefOf('activity', id)}>View call</a>
      {'undo' in call && call.undo?.available && (
        <button type="button" class="button small" onClick={() => setUndoing(true)}>
          Undo…
        </button>
      )}
      {isUndoing && <UndoDialog id={id} onClose={() => setUndoing(false)} />}
    </>
  )
}

/** A call that starts a job ends at once; its job goes on. */
function JobFacts({ id }: { id: string }) {
  const job = jobs.value.get(id)
  return (
    <>
      <span>{job ? 'Background job' : 'Background job started'}</span>
      {job && <JobStatus job={job} />}
      {has('jobs') && <a href={hrefOf('jobs', id)}>View job</a>}
    </>
  )
}

const findResultData = (call: Call) =>
  call.status === 'success' ? (call.result.data as Record<string, unknown> | null | undefined) : undefined

function findExitCode(call: Call): number | undefined {
  const code = findResultData(call)?.exit_code
  return typeof code === 'number' ? code : undefined
}
