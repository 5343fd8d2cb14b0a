// The change of one file by a session: its diff, warnings, and the calls that made it.
import { type ChangingCall, describeDecider, type SessionFile } from '../../src/client/client.ts'
import { WITHHELD_REASONS } from '../../src/protocol/withheld-reasons.ts'
import { Status } from '../activity/status.tsx'
import { Diff } from '../diff/diff.tsx'
import { hrefOf } from '../shell/routes.ts'
import { formatTime } from '../text/format-time.ts'
import { markInvisible, markName } from '../text/invisible.tsx'

interface ChangedFileProps {
  file: SessionFile
  calls: ReadonlyMap<string, ChangingCall>
  /** Called with the id of a call to undo. */
  onUndo: (id: string) => void
}

/** More calls are folded. */
const MAX_OPEN_CALLS = 3

export function ChangedFile({ file, calls, onUndo }: ChangedFileProps) {
  const { path, from, kind, operation, added, removed, diff, diff_truncated, withheld } = file
  const made = file.calls.flatMap(id => calls.get(id) ?? [])
  return (
    <section class="detail-section changed-file" aria-label={path}>
      <h3>
        <code>{markName(from === undefined ? path : `${from} → ${path}`)}</code>{' '}
        <span class="muted">{kind === undefined ? operation : `${kind} ${operation}`}</span>
        {added !== undefined && <span class="added number"> +{added}</span>}
        {removed !== undefined && <span class="removed number"> −{removed}</span>}
      </h3>
      {file.changed_between && (
        <p class="notice warn">Others changed the file between the calls. The diff contains their changes.</p>
      )}
      {file.changed_since && (
        <p class="notice warn">The file was changed after the last call. The diff does not show that.</p>
      )}
      {withheld !== undefined && <p class="notice">{WITHHELD_REASONS[withheld]}</p>}
      {diff_truncated && <p class="notice">The diff is shortened.</p>}
      {diff !== undefined && diff !== '' && <Diff text={diff} />}
      {made.length > MAX_OPEN_CALLS ? (
        <details>
          <summary>{made.length} calls</summary>
          <CallList calls={made} onUndo={onUndo} />
        </details>
      ) : (
        <CallList calls={made} onUndo={onUndo} />
      )}
    </section>
  )
}

const CallList = ({ calls, onUndo }: { calls: readonly ChangingCall[]; onUndo: (id: string) => void }) => (
  <ul class="changing-calls small">
    {calls.map(call => (
      <li key={call.tool_call_id}>
        <a href={hrefOf('activity', call.tool_call_id)}>{markInvisible(call.tool)}</a>
        {call.status !== 'success' && <Status status={call.status} />}
        <span class="muted">{markInvisible(describeCall(call))}</span>
        {call.undo?.available ? (
          <button
            type="button"
            class="button quiet"
            aria-label={`Undo ${call.tool} of ${formatTime(call.finished_at)}`}
            onClick={() => onUndo(call.tool_call_id)}
          >
            Undo…
          </button>
        ) : (
          <span class="muted">{markInvisible(call.undo?.reason ?? 'Cannot be undone.')}</span>
        )}
      </li>
    ))}
  </ul>
)

/** Describes who made a call, who decided on it, and when it ended. */
function describeCall({ agent, client, approved_by, finished_at }: ChangingCall): string {
  const by = agent ?? client
  const decision = approved_by?.source === 'user' ? `approved by ${describeDecider(approved_by)}` : undefined
  return [`by ${by}`, decision, formatTime(finished_at)].filter(Boolean).join(', ')
}
