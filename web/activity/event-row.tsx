// One row: a call in a line, or one event.
import type { ComponentChildren } from 'preact'
import type { Event } from '../../src/client/client.ts'
import { pending } from '../store/approvals.ts'
import { formatDuration, formatTime } from '../text/format-time.ts'
import { markInvisible } from '../text/invisible.tsx'
import { type CallSummary, summarizeCall } from './call-summary.ts'
import type { Entry } from './entries.ts'
import { formatEvent } from './format-event.ts'
import { openRow, toggleExpanded } from './list-state.ts'
import type { Row } from './rows.ts'
import { Status } from './status.tsx'

interface Props {
  id: string
  row: Row
  index: number
  /** Where the keys are. */
  active: boolean
  /** Shown whole beside the list. */
  opened: boolean
  expanded: boolean
}

export function EventRow({ id, row, index, active, opened, expanded }: Props) {
  const { level, event, entry } = row
  return (
    // The keys are the tree's, which has the focus; this is for the mouse.
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus, and names the row that is active
    <div
      id={id}
      class={`event level-${level}`}
      role="treeitem"
      aria-level={level}
      aria-posinset={row.place}
      aria-setsize={row.of}
      aria-selected={opened}
      {...(event === undefined && { 'aria-expanded': expanded })}
      data-active={active ? '' : undefined}
      style={{ transform: `translateY(calc(${index} * var(--row)))` }}
      onClick={() => openRow(row)}
    >
      {event !== undefined ? (
        <EventLine event={event} />
      ) : entry.tool_call_id !== undefined ? (
        <CallLine row={row} expanded={expanded} />
      ) : (
        <EventLine
          event={entry.events.at(-1)!}
          since={entry.events[0]!.time}
          turn={<ExpandToggle row={row} expanded={expanded} />}
        />
      )}
      {event === undefined && entry.events.length > 1 && <span class="event-count number">{entry.events.length}</span>}
    </div>
  )
}

function CallLine({ row, expanded }: { row: Row; expanded: boolean }) {
  const { tool, about, status, session, ms, change } = summarizeCall(row.entry)
  return (
    <>
      <ExpandToggle row={row} expanded={expanded} />
      <time class="event-time">{formatTime(row.entry.events[0]!.time)}</time>
      <Status status={status} />
      <span class="event-tool mono">{markInvisible(tool ?? 'a call')}</span>
      <span class="event-about">{markInvisible(about || pendingTitle(row.entry))}</span>
      <ChangeCount change={change} />
      <span class="event-session muted">{markInvisible(session === 'default' ? '' : (session ?? ''))}</span>
      <span class="event-ms number muted">{ms === undefined ? '' : formatDuration(ms)}</span>
    </>
  )
}

/** Of a call that waits and was too large to be told whole. */
const pendingTitle = ({ tool_call_id }: Entry): string =>
  pending.peek().find(({ call }) => call.tool_call_id === tool_call_id)?.call.approval.preview.title ?? ''

/** How much a call changes, or would. */
const ChangeCount = ({ change }: { change: CallSummary['change'] }) =>
  change === undefined ? null : (
    <span class="event-files muted">
      {change.files === 1 ? '' : `${change.files} files `}
      {change.added > 0 && <span class="added number">+{change.added}</span>}{' '}
      {change.removed > 0 && <span class="removed number">−{change.removed}</span>}
    </span>
  )

/** Shows and folds what is below a row, for the mouse. */
const ExpandToggle = ({ row, expanded }: { row: Row; expanded: boolean }) => (
  <span
    class="event-turn"
    aria-hidden="true"
    data-open={expanded ? '' : undefined}
    onClick={event => {
      event.stopPropagation()
      toggleExpanded(row.key)
    }}
  />
)

interface EventLineProps {
  event: Event
  /** When the first was told, of those that it is the newest of. */
  since?: string
  turn?: ComponentChildren
}

const EventLine = ({ event, since = event.time, turn }: EventLineProps) => (
  <>
    {turn ?? <span class="event-turn" aria-hidden="true" />}
    <time class="event-time">{formatTime(since)}</time>
    <span class="event-type mono">{event.type}</span>
    <span class="event-about">{markInvisible(formatEvent(event))}</span>
  </>
)
