// The card of one call: everything needed to decide, and the buttons.
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Diff, DiffViewToggle } from '../diff/diff.tsx'
import { useCoveredHeight } from '../diff/end-mark.tsx'
import { findOwnScript } from '../diff/own-script.ts'
import { CallEffect, CallText, ExecutedFiles } from '../diff/preview.tsx'
import { describeUnviewed, isFullyViewed } from '../diff/review.ts'
import { ReviewStatus } from '../diff/review-status.tsx'
import { describeSent, ServerName } from '../hub/origin.tsx'
import { ModeButton } from '../modes/mode-badge.tsx'
import { has } from '../session/place.ts'
import { canApprove } from '../session/session.ts'
import { ErrorNotice } from '../shell/error-notice.tsx'
import { ignoresKeys, isSequenceKey } from '../shell/keys.ts'
import { lazy } from '../shell/lazy.tsx'
import { announce } from '../shell/live-region.tsx'
import { goTo, hrefOf } from '../shell/routes.ts'
import { keysSetting } from '../shell/settings.ts'
import {
  type ApprovalEntry,
  type ApprovalOutcome,
  findNextPending,
  type Staleness,
  type WaitingCall
} from '../store/approvals.ts'
import { isConnected } from '../store/connection.ts'
import { CopyButton } from '../text/copy-button.tsx'
import { formatTime } from '../text/format-time.ts'
import { hasInvisible } from '../text/has-invisible.ts'
import { markInvisible } from '../text/invisible.tsx'
import { AlwaysDialog } from './always-dialog.tsx'
import { ApprovalsBadge } from './approvals-badge.tsx'
import { CallOutcome } from './call-outcome.tsx'
import { ChangedBy } from './changed-by.tsx'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { getReview, sendingCalls } from './decide.ts'
import { decisionErrors } from './decision-errors.ts'
import { useGuard } from './decision-guard.ts'
import { ContextSection, ParamsSection, ReasonFacts, RequestedAs, RequestFacts } from './facts.tsx'
import { checkFreshness } from './freshness.ts'
import { GroupLine } from './group-line.tsx'
import { findGroupOf } from './groups.ts'
import { LastDecisionLine } from './last-decision.tsx'
import { selectAlso } from './list-view.ts'
import { NarrowestRule } from './narrowest-rule.tsx'
import { oldTextLoader } from './old-texts.ts'
import { approveAndGoOn, lastDecision, rejectAndGoOn } from './queue.ts'
import { RejectDialog } from './reject-dialog.tsx'
import { RelatedCalls } from './related-calls.tsx'
import { commentingOn, commentsOn, openDraft, setComments } from './review-comments.ts'
import { findSimilarCalls } from './similar-calls.ts'
import { loadWholePreview } from './whole-preview.ts'

const EditDialog = lazy(async () => (await import('./edit-dialog.tsx')).EditDialog)

type OpenDialog = 'reject' | 'alternative' | 'always' | 'edit' | 'confirm' | undefined

interface ApprovalCardProps {
  asked: ApprovalEntry
  /** False for a card that opened without an action of the person: keys do nothing until the card gets the focus. */
  takesFocus: boolean
}

export function ApprovalCard({ asked, takesFocus }: ApprovalCardProps) {
  const { call, outcome, previousApproval, stale, sent } = asked
  const { approval, tool } = call
  const { preview, level } = approval
  const self = useRef<HTMLElement>(null)
  const [dialog, setDialog] = useState<OpenDialog>()
  const busy = sendingCalls.value.has(call.tool_call_id)
  const failure = decisionErrors.value.get(call.tool_call_id)
  const guard = useGuard(
    `${approval.digest} ${approval.approvals?.length ?? 0} ${stale ? `stale ${stale.reason ?? ''}` : ''} ${failure ?? ''}`
  )
  const acts = !outcome && !busy && !sent && canApprove()
  const review = getReview(call)
  const script = preview.text === undefined ? undefined : findOwnScript(tool, call.params)
  const { alternative } = preview
  const willFail = alternative?.call_will_fail || stale?.reason !== undefined
  const comments = commentsOn(call.tool_call_id)
  const isViewed = isFullyViewed(review)
  const approvable = isViewed && comments.length === 0
  const end = useCoveredHeight<HTMLElement>()

  useEffect(() => {
    if (takesFocus) self.current?.focus({ preventScroll: true })
  }, [takesFocus])
  useEffect(() => self.current?.scrollIntoView({ block: 'start' }), [])
  useEffect(() => {
    if (isConnected.value && !outcome) void checkFreshness(call)
  }, [isConnected.value, approval.digest])
  useEffect(() => {
    if (isConnected.value && !outcome) void loadWholePreview(call)
  }, [isConnected.value, approval.digest])
  // A new preview is read from its start: its end, which may be where the old one was scrolled to, says nothing.
  const shownReview = useRef(review.id)
  useLayoutEffect(() => {
    if (shownReview.current === review.id) return
    shownReview.current = review.id
    showStart(self.current!)
  }, [review.id])
  // The outcome is at the start of the card. After a decision from elsewhere, the open dialog is obsolete, and the focus was on a
  // button that is gone: keys go on in the card.
  useEffect(() => {
    if (!outcome) return
    setDialog(undefined)
    showStart(self.current!)
    if (document.activeElement === document.body) self.current?.focus({ preventScroll: true })
  }, [outcome])
  // The confirmation applied to the earlier preview. The reason of a rejection remains valid, and edited params are previewed
  // again.
  useEffect(() => {
    setDialog(open => (open === 'confirm' || open === 'always' ? undefined : open))
  }, [approval.digest, stale])

  const similar = outcome ? undefined : findSimilarCalls(call)
  const group = outcome ? undefined : findGroupOf(call.tool_call_id)
  const yes = () => (level === 'strict' ? setDialog('confirm') : void approveAndGoOn(call))
  /** Approving needs everything on the screen first. Keys rest after a refusal: `n` may be meant for the next card. */
  const ifViewed = (act: () => void) => () =>
    approvable ? act() : announce(`Not approved: ${describeUnviewed(review) ?? 'comments are sent with a rejection'}`)
  const actions: Record<string, () => void> = {
    y: ifViewed(yes),
    n: () => void rejectAndGoOn(call),
    r: () => setDialog('reject'),
    ...(alternative && { i: () => setDialog('alternative') }),
    ...(has('edit') && approval.approvals_needed === undefined && { e: () => setDialog('edit') }),
    ...(preview.diff !== undefined && { c: () => openCommentInSight(self.current!, call.tool_call_id) }),
    ...(approval.always_options.length > 0 && { a: ifViewed(() => setDialog('always')) }),
    ...(group && { w: () => goTo('approvals', 'group', group.key) }),
    ...(similar && {
      s: () => {
        selectAlso(similar.ids)
        announce(`${similar.ids.length} calls selected that one rule would allow: ${similar.label}`)
      }
    })
  }
  const next = outcome && findNextPending(call.tool_call_id)
  /** No key that decides on a waiting call, and not the Enter of a link or button in the card. */
  const decidedActions: Record<string, () => void> = {
    Enter: () => (next === undefined ? announce('No other call is waiting') : goTo('approvals', next))
  }
  const press = (key: string) => () => guard.acceptsClick() && acts && actions[key]?.()

  return (
    <article
      ref={self}
      class="card"
      tabIndex={-1}
      aria-labelledby="card-title"
      onFocusIn={({ relatedTarget }) => {
        if (!self.current?.contains(relatedTarget as Node | null)) guard.onFocus()
      }}
      onFocusOut={({ relatedTarget }) => {
        if (!self.current?.contains(relatedTarget as Node | null)) guard.onBlur()
      }}
      data-keys={guard.hasKeys ? '' : undefined}
      onKeyDown={event => {
        const isOnCard = event.target === event.currentTarget
        const act = outcome ? isOnCard && decidedActions[event.key] : acts && actions[event.key]
        if (!act || event.ctrlKey || event.metaKey || event.altKey || ignoresKeys(event) || isSequenceKey()) return
        event.preventDefault()
        if (outcome || guard.acceptsKey()) act()
      }}
    >
      {lastDecision.value?.next === call.tool_call_id && <LastDecisionLine of={lastDecision.value} />}
      <header class="card-head">
        <div class="row">
          <LevelBadge level={level} />
          {!outcome && <ApprovalsBadge approval={approval} />}
          <code>{markInvisible(tool)}</code>
          <ServerName of={call} />
          {has('modes') && <ModeButton session={{ session_id: call.session_id, workspace: call.workspace }} />}
          {has('queue') && (
            <>
              <CopyButton text={linkTo(call)} label="link">
                Copy link
              </CopyButton>
              <a class="button quiet card-back" href="#/approvals">
                Back
              </a>
            </>
          )}
        </div>
      </header>
      {outcome && <OutcomeNotice outcome={outcome} />}
      {outcome && has('queue') && <CallOutcome id={call.tool_call_id} />}
      {sent && !outcome && (
        <p class="notice" role="status">
          {describeSent(sent)} by {markInvisible(sent.person_name)}. The server has not yet confirmed the decision.
        </p>
      )}
      {!canApprove() && !outcome && (
        <p class="notice">You can view this call, but you cannot approve or reject it with this token.</p>
      )}
      {stale && !outcome && <StaleNotice call={call} stale={stale} />}
      {previousApproval && !stale && !outcome && <p class="notice warn">{CHANGED_NOTICE}</p>}
      <ErrorNotice text={failure} />
      {hasInvisible([preview, call.params, call.context]) && <p class="notice warn">{HIDDEN_NOTICE}</p>}
      <div class="card-effect">
        <h2 id="card-title" class={script && 'spoken'}>
          {markInvisible(preview.title)}
        </h2>
        <CallEffect preview={preview} review={review} script={script} isStrict={level === 'strict'} />
        {!outcome && <RelatedCalls call={call} />}
        {group && <GroupLine group={group} />}
        <div>
          <ReasonFacts approval={approval} />
          {actions.a && acts && <NarrowestRule approval={approval} onClick={press('a')} />}
          <RequestFacts call={call} />
        </div>
      </div>
      {preview.text !== undefined && !script && (
        <CardSection title="Effect" text={preview.text}>
          <CallText preview={preview} review={review} />
        </CardSection>
      )}
      <ExecutedFiles preview={preview} review={review} />
      {preview.diff !== undefined && (
        <CardSection title="Changes" text={preview.diff} beside={<DiffViewToggle />}>
          <Diff
            key={review.id}
            text={preview.diff}
            review={review}
            loadOldText={outcome ? undefined : index => oldTextLoader(call, index)}
            commenting={acts ? commentingOn(call.tool_call_id) : undefined}
          />
        </CardSection>
      )}
      <ParamsSection call={call} folded={preview.diff !== undefined || preview.text !== undefined} review={review} />
      <RequestedAs call={call} />
      <ContextSection call={call} />
      {outcome && !has('queue') ? null : outcome ? (
        <footer class="card-end">
          <div class="row decisions">
            {next === undefined ? (
              <span class="muted">No other call is waiting.</span>
            ) : (
              <DecisionButton
                label="Next waiting call"
                key_="Enter"
                kind="primary"
                acts
                onClick={() => goTo('approvals', next)}
              />
            )}
          </div>
        </footer>
      ) : (
        <footer class="card-end" ref={end}>
          <ReviewStatus review={review} />
          {comments.length > 0 && (
            <div class="row review-status">
              <span>{formatCommentCount(comments.length)}: sent with a rejection, and not with an approval</span>
              <button class="button small" type="button" onClick={() => setComments(call.tool_call_id, [])}>
                Discard
              </button>
            </div>
          )}
          <div class="row decisions">
            {alternative && (
              <DecisionButton
                label={`Reject and ask for ${alternative.title}…`}
                key_="i"
                kind={alternative.call_will_fail && 'primary'}
                acts={guard.isReady && acts}
                onClick={press('i')}
              />
            )}
            <DecisionButton
              label="Approve"
              key_="y"
              kind={willFail ? undefined : level === 'strict' ? 'danger-solid' : 'primary'}
              acts={guard.isReady && acts && approvable}
              onClick={press('y')}
            />
            <DecisionButton label="Reject" key_="n" acts={guard.isReady && acts} onClick={press('n')} />
            <DecisionButton
              label={
                comments.length === 0 ? 'Reject with a message…' : `Reject with ${formatCommentCount(comments.length)}…`
              }
              key_="r"
              kind={comments.length > 0 ? 'primary' : undefined}
              acts={guard.isReady && acts}
              onClick={press('r')}
            />
            {actions.a && (
              <DecisionButton
                label="Always…"
                key_="a"
                acts={guard.isReady && acts && approvable}
                onClick={press('a')}
              />
            )}
            {actions.e && <DecisionButton label="Edit…" key_="e" acts={guard.isReady && acts} onClick={press('e')} />}
            {similar && (
              <DecisionButton
                label={`Select ${similar.ids.length} like this:`}
                detail={similar.what}
                title={`Select the calls that one rule would allow: ${similar.label}`}
                key_="s"
                acts={acts}
                onClick={press('s')}
              />
            )}
            {stale && <span class="badge warn">changed since shown</span>}
            {busy && <span class="muted">Sending…</span>}
          </div>
        </footer>
      )}
      {dialog === 'confirm' && (
        <ConfirmDialog
          title={preview.title}
          reason={approval.reason}
          guardKey={approval.digest}
          onYes={() => void approveAndGoOn(call, { confirm: true })}
          onClose={() => setDialog(undefined)}
        />
      )}
      {dialog === 'reject' && <RejectDialog call={call} onClose={() => setDialog(undefined)} />}
      {dialog === 'alternative' && (
        <RejectDialog call={call} message={alternative?.user_message} onClose={() => setDialog(undefined)} />
      )}
      {dialog === 'always' && <AlwaysDialog call={call} onClose={() => setDialog(undefined)} />}
      {dialog === 'edit' && <EditDialog call={call} onClose={() => setDialog(undefined)} />}
    </article>
  )
}

const formatCommentCount = (count: number) => (count === 1 ? '1 comment' : `${count} comments`)

/** Opens a comment on the first changed line in sight, or else on the first of the diff. */
function openCommentInSight(card: HTMLElement, id: string) {
  const lines = [...card.querySelectorAll<HTMLElement>('.lines :is(.added, .removed)')]
  const isInSight = (line: HTMLElement) => line.getBoundingClientRect().top >= card.getBoundingClientRect().top
  const line = lines.find(isInSight) ?? lines[0]
  const path = line?.closest<HTMLElement>('.diff-file')?.dataset.name
  const { number, numbers } = line?.dataset ?? {}
  const isRemoved = line?.matches('.removed') ?? false
  const shown = number ?? numbers?.trim().split(/\s+/)[0]
  if (path !== undefined && shown !== undefined)
    openDraft(id, { path, side: isRemoved ? 'old' : 'new', line: Number(shown) })
}

/** Returns the address of the call, which shows it after its end, too. */
const linkTo = ({ tool_call_id }: WaitingCall) => new URL(hrefOf('activity', tool_call_id), location.href).href

/** Scrolls a card to its start: the card itself, or on narrow screens the page. */
export function showStart(card: HTMLElement) {
  if (card.scrollTop > 0) card.scrollTop = 0
  else card.scrollIntoView({ block: 'start' })
}

const STALE_NOTICE =
  'The effect of the call has changed since this preview was shown. Approve shows the new preview first.'

export const StaleNotice = ({ call, stale: { reason } }: { call: WaitingCall; stale: Staleness }) => (
  <p class="notice warn">
    {reason === undefined ? (
      STALE_NOTICE
    ) : (
      <>
        A file of the call has changed since this preview was shown, and the call would fail now
        <ReasonSuffix text={reason} /> Approve checks the call again.
      </>
    )}
    <ChangedBy call={call} />
  </p>
)

export const CHANGED_NOTICE =
  'The preview has changed since it was shown, and nothing was approved. Review the new preview.'

export const HIDDEN_NOTICE =
  'The text contains invisible characters, or characters that change the order of text. These characters are shown as code points.'

const LevelBadge = ({ level }: { level: 'ask' | 'strict' }) =>
  level === 'strict' ? <span class="badge bad">strict: confirm twice</span> : <span class="badge warn">ask</span>

interface DecisionButtonProps {
  label: string
  /** Shown after the label where there is room. */
  detail?: string
  title?: string
  key_: string
  kind?: 'primary' | 'danger-solid' | undefined
  acts: boolean
  onClick: () => void
}

/** A disabled button remains a button: it looks disabled, and pressing it does nothing. */
export const DecisionButton = ({ label, detail, title = label, key_, kind, acts, onClick }: DecisionButtonProps) => (
  <button
    class={kind ? `button ${kind}` : 'button'}
    type="button"
    aria-disabled={!acts}
    aria-keyshortcuts={key_}
    title={`${title} (${key_})`}
    onClick={onClick}
  >
    {label}
    {detail !== undefined && <span class="decision-detail">{markInvisible(detail)}</span>}
    {keysSetting.value === 'on' && (
      <span class="key" aria-hidden="true">
        {key_}
      </span>
    )}
  </button>
)

interface CardSectionProps {
  title: string
  text: string
  /** Shown beside the title. */
  beside?: ComponentChildren
  children: ComponentChildren
}

export const CardSection = ({ title, text, beside, children }: CardSectionProps) => (
  <section class="part">
    <div class="part-head">
      <h3>{title}</h3>
      <div class="row">
        {beside}
        <CopyButton text={text} label={title} />
      </div>
    </div>
    {children}
  </section>
)

const OUTCOME_LABELS: Record<ApprovalOutcome['decision'], string> = {
  approved: 'Approved',
  rejected: 'Rejected',
  expired: 'Expired: no decision in time',
  cancelled: 'Cancelled',
  failed: 'Failed',
  interrupted: 'Interrupted',
  gone: 'No longer waiting',
  void: 'Nothing was decided'
}

const FOLLOW_UP_LABELS: Record<NonNullable<ApprovalOutcome['became']>['ended'], string> = {
  failed: 'it failed',
  cancelled: 'it was cancelled',
  interrupted: 'it was interrupted'
}

export const OutcomeNotice = ({ outcome: { decision, by, at, reason, became } }: { outcome: ApprovalOutcome }) => (
  <p class={`notice ${became || decision === 'failed' ? 'bad' : decision === 'approved' ? 'good' : ''}`} role="status">
    {OUTCOME_LABELS[decision]}
    {by !== undefined && <> by {markInvisible(by)}</>} at {formatTime(at)}
    <ReasonSuffix text={reason} />
    {became && (
      <>
        {' '}
        Then {FOLLOW_UP_LABELS[became.ended]}
        <ReasonSuffix text={became.reason} />
      </>
    )}
  </p>
)

/** Appends the reason to a sentence if it is known. The reason may be a sentence itself. */
const ReasonSuffix = ({ text }: { text: string | undefined }) =>
  text === undefined ? (
    '.'
  ) : (
    <>
      : {markInvisible(text)}
      {!/[.!?]$/.test(text) && '.'}
    </>
  )
