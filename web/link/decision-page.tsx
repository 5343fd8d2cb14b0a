// The page of a link in a notification: one call, with its whole preview, and the decision on it.
import { useEffect, useState } from 'preact/hooks'
import { ApprovalCard } from '../approvals/approval-card.tsx'
import { client, toErrorMessage } from '../session/session.ts'
import { LiveRegion } from '../shell/live-region.tsx'
import { approvals, upsertPending } from '../store/approvals.ts'
import { connection } from '../store/connection.ts'
import { formatTime } from '../text/format-time.ts'
import { markInvisible } from '../text/invisible.tsx'
import { type DecisionLink, readDecisionLink } from './decision-link.ts'

export function DecisionPage() {
  const link = readDecisionLink()
  const [failure, setFailure] = useState<string>()
  useEffect(() => {
    if (link) loadCall(link).catch((error: unknown) => setFailure(toErrorMessage(error)))
  }, [])
  const [entry] = approvals.value
  return (
    <div class="shell">
      <header class="bar">
        <span class="brand">Toolgate</span>
      </header>
      <main class="panel" id="panel" tabIndex={-1} aria-label="Decision">
        {entry ? (
          <div class="approvals decision">
            <h1 class="asked-head">
              Decide as {markInvisible(link?.person ?? '')} until {formatTime(link?.expires_at ?? '')}
            </h1>
            <ApprovalCard asked={entry} takesFocus={false} />
          </div>
        ) : (
          <div class="empty">
            <h1>{failure === undefined ? 'Loading…' : 'This link cannot be used'}</h1>
            {failure !== undefined && <p role="alert">{markInvisible(failure)}</p>}
          </div>
        )}
      </main>
      <LiveRegion />
    </div>
  )
}

async function loadCall({ tool_call_id }: DecisionLink) {
  const call = await client().get(tool_call_id)
  if (call.status !== 'awaiting_approval') throw new Error('This call does not wait for approval.')
  // A link permits no rules.
  upsertPending({ ...call, approval: { ...call.approval, always_options: [] } })
  connection.value = { state: 'live' }
}
