// The page of a link in a notification: one call, with its whole preview, and the decision on it.
import { useEffect, useState } from 'preact/hooks'
import { ApprovalCard } from '../approvals/approval-card.tsx'
import { client, toErrorMessage } from '../session/session.ts'
import { LiveRegion } from '../shell/live-region.tsx'
import { approvals, upsertPending } from '../store/approvals.ts'
import { connection } from '../store/connection.ts'
import { formatTime } from '../text/format-time.ts'
import { markInvisible } from '../text/invisible.tsx'
import { type DecisionLink, isTestLink, readDecisionLink } from './decision-link.ts'

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
              {entry.outcome ? (
                'Decision by a link'
              ) : (
                <>
                  Decide as {markInvisible(link?.person ?? '')} until {formatTime(link?.expires_at ?? '')}
                </>
              )}
            </h1>
            <ApprovalCard asked={entry} takesFocus={false} />
          </div>
        ) : (
          <div class="empty">
            <h1>{describeState(failure)}</h1>
            {isTestLink() && <p>Notifications about waiting calls open here, and you can decide on this page.</p>}
            {failure !== undefined && <p role="alert">{markInvisible(failure)}</p>}
          </div>
        )}
      </main>
      <LiveRegion />
    </div>
  )
}

function describeState(failure: string | undefined): string {
  if (isTestLink()) return 'This device can open links'
  return failure === undefined ? 'Loading…' : 'This link cannot be used'
}

async function loadCall({ tool_call_id }: DecisionLink) {
  const call = await client().get(tool_call_id)
  if (call.status !== 'awaiting_approval') throw new Error('This call does not wait for approval.')
  // A link permits no rules.
  upsertPending({ ...call, approval: { ...call.approval, always_options: [] } })
  connection.value = { state: 'live' }
}
