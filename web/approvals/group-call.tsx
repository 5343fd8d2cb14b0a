// One call on the page of its group: everything that the card of the call shows, and whether the decision includes it.
import { Diff } from '../diff/diff.tsx'
import { findOwnScript } from '../diff/own-script.ts'
import { CallEffect, CallText, ExecutedFiles } from '../diff/preview.tsx'
import { describeUnviewed } from '../diff/review.ts'
import { describeSent } from '../hub/origin.tsx'
import { ErrorNotice } from '../shell/error-notice.tsx'
import { hrefOf } from '../shell/routes.ts'
import type { ApprovalEntry, WaitingCall } from '../store/approvals.ts'
import { hasInvisible } from '../text/has-invisible.ts'
import { markInvisible } from '../text/invisible.tsx'
import { CardSection, CHANGED_NOTICE, HIDDEN_NOTICE, OutcomeNotice, StaleNotice } from './approval-card.tsx'
import { CallOutcome } from './call-outcome.tsx'
import { getReview } from './decide.ts'
import { decisionErrors } from './decision-errors.ts'
import { ParamsSection, ReasonFacts, RequestedAs, RequestFacts } from './facts.tsx'
import { oldTextLoader } from './old-texts.ts'

interface GroupCallProps {
  entry: ApprovalEntry
  /** The call can be decided with the others. */
  isMember: boolean
  /** From 1. */
  position: number
  isIncluded: boolean
  /** The reason and the purpose are shown for all calls together. */
  hidesOrigin: boolean
  onInclude: (isIncluded: boolean) => void
}

export function GroupCall({ entry, position, isMember, isIncluded, hidesOrigin, onInclude }: GroupCallProps) {
  const { call, outcome, sent } = entry
  const { tool_call_id: id, approval } = call
  const missing = isIncluded ? describeUnviewed(getReview(call)) : undefined
  return (
    <div class="group-call" data-member={id}>
      <div class="row group-call-head">
        {isMember && (
          <input
            type="checkbox"
            aria-label={`Decide on this call: ${approval.preview.title}`}
            checked={isIncluded}
            onChange={({ currentTarget }) => onInclude(currentTarget.checked)}
          />
        )}
        <h3 class="group-call-title">
          <a href={hrefOf('approvals', id)}>{markInvisible(approval.preview.title)}</a>
        </h3>
        <code class="muted">{markInvisible(call.tool)}</code>
        {missing !== undefined && <span class="badge">not viewed completely</span>}
        {isMember && !isIncluded && <span class="badge">left out</span>}
      </div>
      {outcome ? (
        <>
          <OutcomeNotice outcome={outcome} />
          <CallOutcome id={id} />
        </>
      ) : sent ? (
        <p class="notice" role="status">
          {describeSent(sent)} by {markInvisible(sent.person_name)}. The server has not yet confirmed the decision.
        </p>
      ) : !isMember ? (
        <p class="notice warn">This call can no longer be decided together with the others. Open it to decide.</p>
      ) : (
        isIncluded && <CallPreview entry={entry} position={position} hidesOrigin={hidesOrigin} />
      )}
    </div>
  )
}

/** The reason a call waits, and its purpose. */
export const CallOrigin = ({ call }: { call: WaitingCall }) => (
  <div>
    <ReasonFacts approval={call.approval} />
    <RequestFacts call={call} />
  </div>
)

function CallPreview({
  entry: { call, previousApproval, stale },
  position,
  hidesOrigin
}: Pick<GroupCallProps, 'entry' | 'position' | 'hidesOrigin'>) {
  const { approval, tool, params } = call
  const { preview, level } = approval
  const review = getReview(call)
  const script = preview.text === undefined ? undefined : findOwnScript(tool, params)
  return (
    <>
      {stale && <StaleNotice call={call} stale={stale} />}
      {previousApproval && !stale && <p class="notice warn">{CHANGED_NOTICE}</p>}
      <ErrorNotice text={decisionErrors.value.get(call.tool_call_id)} />
      {hasInvisible([preview, params, call.context]) && <p class="notice warn">{HIDDEN_NOTICE}</p>}
      <div class="card-effect">
        <CallEffect
          preview={preview}
          review={review}
          script={script}
          isStrict={level === 'strict'}
          position={position}
        />
        {!hidesOrigin && <CallOrigin call={call} />}
      </div>
      {preview.text !== undefined && !script && (
        <CardSection title="Effect" text={preview.text}>
          <CallText preview={preview} review={review} position={position} />
        </CardSection>
      )}
      <ExecutedFiles preview={preview} review={review} />
      {preview.diff !== undefined && (
        <Diff key={review.id} text={preview.diff} review={review} loadOldText={index => oldTextLoader(call, index)} />
      )}
      <ParamsSection call={call} folded={preview.diff !== undefined || preview.text !== undefined} review={review} />
      <RequestedAs call={call} />
    </>
  )
}
