// The outcome of a decided call, in place on its card: status, exit code, output, changed files, undo.
import { useState } from 'preact/hooks'
import type { Call } from '../../src/client/client.ts'
import { ChangedFiles, hasChangedFiles } from '../activity/changed-files.tsx'
import { Status } from '../activity/status.tsx'
import { UndoDialog } from '../activity/undo-dialog.tsx'
import { useCall } from '../activity/use-call.ts'
import { hrefOf } from '../shell/routes.ts'
import { formatDuration } from '../text/format-time.ts'
import { TextBlock } from '../text/text-block.tsx'

export function CallOutcome({ id }: { id: string }) {
  const { call } = useCall(id)
  const [isUndoing, setUndoing] = useState(false)
  if (!call || call.status === 'awaiting_approval') return null
  const exitCode = findExitCode(call)
  const ms = 'execution_time_ms' in call ? call.execution_time_ms : undefined
  const content = call.status === 'success' ? call.result.content : ''
  return (
    <section class="part outcome" aria-label="Outcome">
      <div class="row">
        <Status status={call.status} />
        {exitCode !== undefined && <span class={exitCode === 0 ? 'badge' : 'badge bad'}>exit code {exitCode}</span>}
        {ms !== undefined && <span class="muted number">{formatDuration(ms)}</span>}
        <a href={hrefOf('activity', id)}>Show in activity</a>
        {'undo' in call && call.undo?.available && (
          <button type="button" class="button" onClick={() => setUndoing(true)}>
            Undo…
          </button>
        )}
      </div>
      {content !== '' && <TextBlock text={content} label="Output" />}
      {hasChangedFiles(call) && <ChangedFiles call={call} />}
      {isUndoing && <UndoDialog id={id} onClose={() => setUndoing(false)} />}
    </section>
  )
}

export function findExitCode(call: Call): number | undefined {
  const data = call.status === 'success' ? (call.result.data as { exit_code?: unknown } | null | undefined) : undefined
  return typeof data?.exit_code === 'number' ? data.exit_code : undefined
}
