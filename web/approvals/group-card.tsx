// The page of a group: the previews of all its calls, one decision on those that are included, and the outcome of each.
import { useEffect, useRef, useState } from 'preact/hooks'
import { describeGroup } from '../../src/protocol/approval-groups.ts'
import { DiffViewToggle } from '../diff/diff.tsx'
import { useCoveredHeight } from '../diff/end-mark.tsx'
import { isFullyViewed } from '../diff/review.ts'
import { UnviewedStatus } from '../diff/review-status.tsx'
import { ServerName } from '../hub/origin.tsx'
import { canApprove } from '../session/session.ts'
import { ignoresKeys, isSequenceKey } from '../shell/keys.ts'
import { announce } from '../shell/live-region.tsx'
import { goTo } from '../shell/routes.ts'
import { approvals, findNextPending, type WaitingCall } from '../store/approvals.ts'
import { isConnected } from '../store/connection.ts'
import { markInvisible } from '../text/invisible.tsx'
import { DecisionButton, showStart } from './approval-card.tsx'
import { approve, getReview, reject, sendingCalls } from './decide.ts'
import { decisionErrors } from './decision-errors.ts'
import { useGuard } from './decision-guard.ts'
import { checkFreshness } from './freshness.ts'
import { CallOrigin, GroupCall } from './group-call.tsx'
import { GroupRejectDialog } from './group-reject-dialog.tsx'
import { openedGroupIds, selectGroup, waitingGroups } from './groups.ts'

const idOf = ({ tool_call_id }: WaitingCall) => tool_call_id

export function GroupCard({ groupKey }: { groupKey: string }) {
  const self = useRef<HTMLElement>(null)
  const { ids, joined, addJoined } = useShownCalls(groupKey)
  const [leftOut, setLeftOut] = useState<ReadonlySet<string>>(new Set())
  const [isRejecting, setRejecting] = useState(false)
  const entries = approvals.value.filter(({ call }) => ids.includes(call.tool_call_id))
  const members = selectGroup(entries, groupKey)
  const included = members.filter(call => !leftOut.has(call.tool_call_id))
  const guard = useGuard(describeShown(included))
  const end = useCoveredHeight<HTMLElement>()
  const busy = ids.some(id => sendingCalls.value.has(id))
  const acts = included.length > 0 && !busy && canApprove()
  const missing = describeMissing(included)
  const what = describeGroup(included)

  useEffect(() => self.current?.focus({ preventScroll: true }), [])
  useEffect(() => {
    if (isConnected.value) for (const call of members) void checkFreshness(call)
  }, [isConnected.value, members.map(({ approval }) => approval.digest).join()])
  const isDone = members.length === 0
  useEffect(() => {
    if (isDone) setRejecting(false)
    if (isDone && self.current) showStart(self.current)
  }, [isDone])

  const next = findNextPending(ids.at(-1) ?? '')
  const actions: Record<string, () => void> = isDone
    ? { Enter: () => (next === undefined ? announce('No other call is waiting') : goTo('approvals', next)) }
    : {
        y: () => (missing === undefined ? void decideEach(included, approve) : announce(`Not approved: ${missing}`)),
        n: () => void decideEach(included, reject),
        r: () => setRejecting(true)
      }
  const press = (key: string) => () => guard.acceptsClick() && acts && actions[key]?.()
  const [first] = entries
  const isOriginShared = new Set(entries.map(({ call }) => describeOrigin(call))).size === 1
  if (!first) return <p class="empty muted">These calls do not wait for approval.</p>
  return (
    <article
      ref={self}
      class="card"
      tabIndex={-1}
      aria-labelledby="group-title"
      onFocusIn={({ relatedTarget }) => {
        if (!self.current?.contains(relatedTarget as Node | null)) guard.onFocus()
      }}
      onFocusOut={({ relatedTarget }) => {
        if (!self.current?.contains(relatedTarget as Node | null)) guard.onBlur()
      }}
      data-keys={guard.hasKeys ? '' : undefined}
      onKeyDown={event => {
        const act = actions[event.key]
        if (!act || event.ctrlKey || event.metaKey || event.altKey || ignoresKeys(event) || isSequenceKey()) return
        if (isDone && event.target !== event.currentTarget) return
        event.preventDefault()
        if (isDone || (acts && guard.acceptsKey())) act()
      }}
    >
      <header class="card-head">
        <div class="row">
          {!isDone && <span class="badge warn">ask</span>}
          <h2 id="group-title">{isDone ? 'Decided calls' : describeGroup(members)}</h2>
          <ServerName of={first.call} />
          {members.some(({ approval }) => approval.preview.diff !== undefined) && <DiffViewToggle />}
          <a class="button quiet card-back" href="#/approvals">
            Back
          </a>
        </div>
        <p class="muted">Session {markInvisible(first.call.session_id)}</p>
        {isOriginShared && <CallOrigin call={first.call} />}
      </header>
      {!canApprove() && !isDone && (
        <p class="notice">You can view these calls, but you cannot approve or reject them with this token.</p>
      )}
      {joined.length > 0 && (
        <div class="notice row" role="status">
          <span>
            {joined.length === 1 ? '1 more call waits' : `${joined.length} more calls wait`} for the same reason.
          </span>
          <button class="button small" type="button" onClick={addJoined}>
            {joined.length === 1 ? 'Show it here' : 'Show them here'}
          </button>
        </div>
      )}
      {entries.map((entry, index) => {
        const id = entry.call.tool_call_id
        return (
          <GroupCall
            key={id}
            entry={entry}
            position={index + 1}
            isMember={members.includes(entry.call)}
            isIncluded={included.includes(entry.call)}
            hidesOrigin={isOriginShared}
            onInclude={isIncluded => setLeftOut(before => withMember(before, id, !isIncluded))}
          />
        )
      })}
      <footer class="card-end" ref={end}>
        {isDone ? (
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
        ) : (
          <>
            <UnviewedStatus missing={missing} />
            <div class="row decisions">
              <DecisionButton
                label={`Approve ${what}`}
                key_="y"
                kind="primary"
                acts={guard.isReady && acts && missing === undefined}
                onClick={press('y')}
              />
              <DecisionButton label={`Reject ${what}`} key_="n" acts={guard.isReady && acts} onClick={press('n')} />
              <DecisionButton
                label="Reject with a message…"
                key_="r"
                acts={guard.isReady && acts}
                onClick={press('r')}
              />
              {busy && <span class="muted">Sending…</span>}
            </div>
          </>
        )}
      </footer>
      {isRejecting && (
        <GroupRejectDialog
          what={what}
          onReject={message =>
            void decideEach(included, call => reject(call, message === '' ? {} : { user_message: message }))
          }
          onClose={() => setRejecting(false)}
        />
      )}
    </article>
  )
}

/** The calls of the group when its page was opened. A call that joins later is shown, and decided, only on request. */
function useShownCalls(groupKey: string) {
  const now = waitingGroups.value.find(({ key }) => key === groupKey)?.calls ?? []
  const [ids, setIds] = useState<readonly string[]>(() => now.map(idOf))
  useEffect(() => {
    openedGroupIds.value = ids
    return () => {
      openedGroupIds.value = []
    }
  }, [ids])
  const joined = now.filter(call => !ids.includes(call.tool_call_id))
  return { ids, joined, addJoined: () => setIds([...ids, ...joined.map(idOf)]) }
}

/** Describes what is on the screen: if it changes, keys and buttons rest for a moment. */
const describeShown = (calls: readonly WaitingCall[]): string =>
  JSON.stringify(
    calls.map(({ tool_call_id, approval }) => [
      tool_call_id,
      approval.digest,
      approvals.value.find(({ call }) => call.tool_call_id === tool_call_id)?.stale,
      decisionErrors.value.get(tool_call_id)
    ])
  )

const describeOrigin = ({ approval: { reason, matched_rules }, context }: WaitingCall): string =>
  JSON.stringify([reason, matched_rules, context])

function describeMissing(calls: readonly WaitingCall[]): string | undefined {
  const count = calls.filter(call => !isFullyViewed(getReview(call))).length
  return count === 0 ? undefined : `${count} of ${calls.length} calls not viewed completely`
}

function withMember(set: ReadonlySet<string>, id: string, isMember: boolean): ReadonlySet<string> {
  const after = new Set(set)
  if (isMember) after.add(id)
  else after.delete(id)
  return after
}

/** Decides one call after another, each by its digest. An error appears at its call and stops no other. */
async function decideEach(calls: readonly WaitingCall[], decide: (call: WaitingCall) => Promise<boolean>) {
  for (const call of calls) await decide(call)
}
