// Pending approvals: a list, and the card of the opened call, at first the oldest. Nothing moves: new entries are appended, and decided
// ones stay in place as long as they are in sight above others.
import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { showNextUnviewed } from '../diff/review-status.tsx'
import { describeSent, ServerName } from '../hub/origin.tsx'
import { ModeBadge } from '../modes/mode-badge.tsx'
import { has } from '../session/place.ts'
import { Boundary } from '../shell/boundary.tsx'
import { ignoresKeys, isSequenceKey, useKeys } from '../shell/keys.ts'
import { lazy } from '../shell/lazy.tsx'
import { isNarrow } from '../shell/narrow.ts'
import { goTo, hrefOf, replaceRoute, route } from '../shell/routes.ts'
import { diffViewSetting, keysSetting } from '../shell/settings.ts'
import { type ApprovalEntry, type ApprovalOutcome, approvals, pending, removeSettled } from '../store/approvals.ts'
import { isConnected } from '../store/connection.ts'
import { markInvisible } from '../text/invisible.tsx'
import { ApprovalsBadge } from './approvals-badge.tsx'
import { GroupRow } from './group-row.tsx'
import { openedGroupIds, toListRows } from './groups.ts'
import { ListToolbar, SelectionBar } from './list-toolbar.tsx'
import { grouping, isSelected, selectRange, toggleSelected, visibleGroups } from './list-view.ts'
import { openNeighbour } from './queue.ts'
import { Age } from './times.tsx'

const ApprovalCard = lazy(async () => (await import('./approval-card.tsx')).ApprovalCard)
const GroupCard = lazy(async () => (await import('./group-card.tsx')).GroupCard)
const RecentDecisions = lazy(async () => (await import('./recent-decisions.tsx')).RecentDecisions)

/** Interval at which decided entries are removed, so that an entry stays for a while. */
const SWEEP_MS = 6_000

export function Approvals() {
  const list = approvals.value
  const chosen = route.value.panel === 'approvals' ? route.value.segments[0] : undefined
  const openGroup = openGroupKey()
  const current = list.find(({ call }) => call.tool_call_id === chosen)
  const self = useRef<HTMLElement>(null)
  useOpenOldest(chosen)
  useRowInSight(self, openGroup ?? current?.call.tool_call_id)
  useSweepDecided(self, chosen)
  const move = (by: 1 | -1) => (isNarrow.peek() && !chosen ? moveFocus(by) : openNeighbour(by))
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    d: () => {
      diffViewSetting.value = diffViewSetting.peek() === 'unified' ? 'split' : 'unified'
    },
    v: () => showNextUnviewed(document.querySelector<HTMLElement>('.card')),
    x: () => forFocusedCall(toggleSelected),
    'Shift+X': () => forFocusedCall(selectRange),
    Escape: () => {
      goTo('approvals')
      self.current?.querySelector<HTMLElement>('[aria-current]')?.focus()
    }
  })
  if (list.length === 0)
    return (
      <div class="approvals-empty">
        <EmptyState />
        {chosen !== undefined && (
          <p class="asked-head">
            The call of this address does not wait for approval. <a href={hrefOf('activity', chosen)}>View call</a>
          </p>
        )}
        <DecidedCalls />
      </div>
    )
  return (
    <div class={`approvals${current || openGroup ? ' opened' : ''}`}>
      <h1 class="spoken">Approvals</h1>
      <nav class="asked" aria-label="Waiting calls" ref={self}>
        <h2 class="asked-head">
          {pending.value.length === 1 ? '1 call waiting' : `${pending.value.length} calls waiting`}
          {keysSetting.value === 'on' && pending.value.length > 1 && (
            <span class="asked-keys" title="Next and previous call">
              <kbd>j</kbd> <kbd>k</kbd>
            </span>
          )}
        </h2>
        <ListToolbar />
        <SelectionBar />
        {visibleGroups.value.length === 0 && <p class="asked-head">No calls match the filter.</p>}
        {visibleGroups.value.map(({ name, entries }) => (
          <section key={name} aria-label={name || 'All calls'}>
            {name !== '' && (
              <h3 class="asked-head">
                {markInvisible(name)} <span class="count">{entries.filter(({ outcome }) => !outcome).length}</span>{' '}
                {grouping.value === 'session' && has('modes') && <GroupMode entries={entries} />}
              </h3>
            )}
            <ul>
              {toListRows(entries).map(row =>
                'group' in row ? (
                  <li key={row.group.key}>
                    <GroupRow group={row.group} isCurrent={row.group.key === openGroup} />
                  </li>
                ) : (
                  <li key={row.entry.call.tool_call_id} class={row.isInGroup ? 'in-group' : undefined}>
                    <ApprovalLine asked={row.entry} isCurrent={row.entry === current} />
                  </li>
                )
              )}
            </ul>
          </section>
        ))}
        <DecidedCalls />
      </nav>
      {openGroup !== undefined ? (
        <Boundary key={openGroup}>
          <GroupCard groupKey={openGroup} />
        </Boundary>
      ) : current ? (
        <Boundary key={current.call.tool_call_id}>
          <ApprovalCard asked={current} takesFocus={openedUnasked.value !== chosen} />
        </Boundary>
      ) : (
        <p class="empty muted">
          {chosen === undefined ? (
            'Select a call to see its effect.'
          ) : (
            <>
              This call does not wait for approval. <a href={hrefOf('activity', chosen)}>View call</a>
            </>
          )}
        </p>
      )}
    </div>
  )
}

/** Returns the key of the group whose page the address names. */
function openGroupKey(): string | undefined {
  const { panel, segments } = route.value
  return panel === 'approvals' && segments[0] === 'group' ? segments[1] : undefined
}

/** The mode of the session of a group, in each workspace of its calls. */
const GroupMode = ({ entries }: { entries: readonly ApprovalEntry[] }) =>
  [...new Map(entries.map(({ call }) => [call.workspace, call])).values()].map(({ session_id, workspace }) => (
    <ModeBadge key={workspace} of={{ session_id, workspace }} />
  ))

/** Keys that decide on a card. In the list they open the card: a row does not show what would be approved. */
const DECISION_KEYS: ReadonlySet<string> = new Set(['y', 'n', 'r', 'a', 'e'])

function ApprovalLine({
  asked: { call, outcome, previousApproval, stale, sent },
  isCurrent
}: {
  asked: ApprovalEntry
  isCurrent: boolean
}) {
  const { approval, tool, created_at, tool_call_id } = call
  const isMarked = !outcome && isSelected(tool_call_id)
  return (
    <a
      class={`asked-line${outcome ? ' settled' : ''}${isMarked ? ' selected' : ''}`}
      data-call={tool_call_id}
      onClick={event => {
        if (event.shiftKey) {
          event.preventDefault()
          selectRange(tool_call_id)
        } else enterCard(tool_call_id)
      }}
      href={hrefOf('approvals', tool_call_id)}
      aria-current={isCurrent ? 'true' : undefined}
      onKeyDown={event => {
        if (!DECISION_KEYS.has(event.key) || event.ctrlKey || event.metaKey || event.altKey || ignoresKeys(event))
          return
        if (isSequenceKey()) return
        event.preventDefault()
        enterCard(tool_call_id)
        goTo('approvals', tool_call_id)
      }}
    >
      <span class="asked-top">
        <code>{markInvisible(tool)}</code>
        {outcome ? <OutcomeBadge outcome={outcome} /> : <Age of={created_at} />}
      </span>
      <ListTitle title={approval.preview.title} />
      <span class="asked-from muted small">{markInvisible(describeSender(call))}</span>
      {grouping.value !== 'server' && <ServerName of={call} />}
      {/* Not visible in a decided row, which keeps its height. */}
      <span class="row asked-badges">
        {sent && <span class="badge">{describeSent(sent)}</span>}
        {isSelected(tool_call_id) && <span class="badge accent">selected</span>}
        {approval.level === 'strict' && <span class="badge bad">strict</span>}
        {!outcome && <ApprovalsBadge approval={approval} />}
        {stale ? (
          <span class="badge warn">changed since shown</span>
        ) : (
          previousApproval && <span class="badge">preview changed</span>
        )}
      </span>
    </a>
  )
}

/** Returns the agent and the session, without the one that the list is grouped by. */
const describeSender = ({ agent, client, session_id }: ApprovalEntry['call']) =>
  [
    ...(grouping.value === 'agent' ? [] : [agent ?? client]),
    ...(grouping.value === 'session' ? [] : [session_id])
  ].join(' · ')

/** A card that a person opens takes the focus; the link of one that is open gives it the focus again. */
function enterCard(id: string) {
  openedUnasked.value = undefined
  if (route.peek().segments[0] === id) document.querySelector<HTMLElement>('.card')?.focus({ preventScroll: true })
}

/** The call that arrived while the list was in sight, and was opened: its card does not take the focus. */
const openedUnasked = signal<string | undefined>(undefined)

/** Number of further lines at the end of a title, which stays in sight where the title is cut. */
const FURTHER_LINES = / \(\+\d+ lines?\)$/

function ListTitle({ title }: { title: string }) {
  const more = FURTHER_LINES.exec(title)?.[0] ?? ''
  return (
    <>
      <span class="asked-title">{markInvisible(title.slice(0, title.length - more.length))}</span>
      {more !== '' && <span class="muted">{more.trim()}</span>}
    </>
  )
}

const OutcomeBadge = ({ outcome: { decision, became } }: { outcome: ApprovalOutcome }) => (
  <span class={became || decision === 'failed' ? 'badge bad' : 'badge'}>
    {became ? `${decision}, then ${became.ended}` : decision}
  </span>
)

const EmptyState = () => (
  <div class="empty">
    <h1>No calls waiting</h1>
    <p>
      {isConnected.value
        ? 'Calls that need your decision appear here. Calls that only read run without approval.'
        : 'The server cannot be reached, so this list may be out of date.'}
    </p>
  </div>
)

/** The calls that were decided last, which are looked up when the section is opened. */
function DecidedCalls() {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="decided-calls" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary class="asked-head">Decided recently</summary>
      {isOpen && <RecentDecisions />}
    </details>
  )
}

/**
 * Opens the oldest waiting call if none is open, where the list stays in sight. A person who has closed a card keeps it closed.
 */
function useOpenOldest(chosen: string | undefined) {
  const shownAt = useRef(Date.now())
  const wasChosen = useRef(false)
  const oldest = pending.value[0]?.call
  if (chosen !== undefined) wasChosen.current = true
  useEffect(() => {
    if (chosen !== undefined || !oldest || wasChosen.current || isNarrow.peek()) return
    if (Date.parse(oldest.created_at) > shownAt.current) openedUnasked.value = oldest.tool_call_id
    replaceRoute('approvals', oldest.tool_call_id)
  }, [chosen, oldest?.tool_call_id])
}

/** Acts on the call whose row has the focus, or else on the opened one. */
function forFocusedCall(act: (id: string) => void) {
  const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.call : undefined
  const { panel, segments } = route.peek()
  const id = focused ?? (panel === 'approvals' && segments.length === 1 ? segments[0] : undefined)
  if (id !== undefined) act(id)
}

/** Moves the focus within the list. */
function moveFocus(by: number) {
  const lines = [...document.querySelectorAll<HTMLElement>('.asked-line, .group-row')]
  const at = lines.indexOf(document.activeElement as HTMLElement)
  const from = at >= 0 ? at : lines.findIndex(line => line.hasAttribute('aria-current'))
  lines[from < 0 && by < 0 ? lines.length - 1 : Math.min(Math.max(from + by, 0), lines.length - 1)]?.focus()
}

/** Scrolls the list to the row of the opened call. A row that was clicked is under the pointer, and does not move. */
function useRowInSight(list: { current: HTMLElement | null }, opened: string | undefined) {
  useEffect(() => {
    const row = list.current?.querySelector('[aria-current]')
    if (row && !row.matches(':hover')) row.scrollIntoView({ block: 'nearest' })
  }, [opened])
}

/**
 * Removes decided entries, except the opened one and those whose removal would move rows in sight; none under the pointer. The
 * browser keeps the rows in sight in place if entries above them are removed.
 */
function useSweepDecided(list: { current: HTMLElement | null }, chosen: string | undefined) {
  const settled = approvals.value.filter(({ outcome }) => outcome).length
  useEffect(() => {
    if (settled === 0) return
    const timer = setInterval(() => {
      if (document.hidden) removeSettled(new Set([chosen, ...openedGroupIds.peek()]))
      else if (!list.current?.matches(':hover'))
        removeSettled(new Set([chosen, ...openedGroupIds.peek(), ...listSettledInPlace(list.current)]))
    }, SWEEP_MS)
    return () => clearInterval(timer)
  }, [settled, chosen])
}

/** Lists the decided entries in sight that have a waiting one below them. */
function listSettledInPlace(list: HTMLElement | null): (string | undefined)[] {
  if (!list) return []
  const rows = [...list.querySelectorAll<HTMLElement>('.asked-line[data-call]')]
  const last = rows.findLastIndex(row => !row.matches('.settled'))
  const sight = list.getBoundingClientRect()
  const isInSight = (row: HTMLElement) => {
    const { top, bottom } = row.getBoundingClientRect()
    return bottom > Math.max(sight.top, 0) && top < Math.min(sight.bottom, innerHeight)
  }
  return rows
    .slice(0, last + 1)
    .filter(row => row.matches('.settled') && isInSight(row))
    .map(row => row.dataset.call)
}
