// One row: a call in a line, or one event.
import type { ComponentChildren } from 'preact'
import type { Event } from '../../src/client/client.ts'
import { ServerName } from '../hub/origin.tsx'
import { Boundary } from '../shell/boundary.tsx'
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
  /** The row that keyboard navigation is on. */
  active: boolean
  /** Its details are shown beside the list. */
  opened: boolean
  expanded: boolean
}

export function EventRow({ id, row, index, active, opened, expanded }: Props) {
  const { level, event, entry } = row
  return (
    // Keyboard input is handled by the tree, which has the focus; this is for the mouse.
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
      <Boundary>
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
      </Boundary>
      {event === undefined && (
        <span class="event-count number">{entry.events.length > 1 ? entry.events.length : ''}</span>
      )}
    </div>
  )
}

function CallLine({ row, expanded }: { row: Row; expanded: boolean }) {
  const { tool, about, status, session, ms, change } = summarizeCall(row.entry)
  const [first] = row.entry.events
  return (
    <>
      <ExpandToggle row={row} expanded={expanded} />
      <time class="event-time">{formatTime(first!.time)}</time>
      <Status status={status} />
      <span class="event-tool mono">{markInvisible(tool ?? 'a call')}</span>
      <span class="event-about">{markInvisible(about || pendingTitle(row.entry))}</span>
      <ChangeCount change={change} />
      <ServerName of={first!} />
      <span class="event-session muted">{markInvisible(session === 'default' ? '' : (session ?? ''))}</span>
      <span class="event-ms number muted">{ms === undefined ? '' : formatDuration(ms)}</span>
    </>
  )
}

/** Title of a pending call whose event was too large to be published whole. */
const pendingTitle = ({ tool_call_id }: Entry): string =>
  pending.peek().find(({ call }) => call.tool_call_id === tool_call_id)?.call.approval.preview.title ?? ''

/** The lines a call changes, or would change. */
const ChangeCount = ({ change }: { change: CallSummary['change'] }) =>
  change === undefined ? null : (
    <span class="event-files muted">
      {change.files === 1 ? '' : `${change.files} files `}
      {change.added > 0 && <span class="added number">+{change.added}</span>}{' '}
      {change.removed > 0 && <span class="removed number">−{change.removed}</span>}
    </span>
  )

/** Expands or collapses the events of a row, by mouse. */
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
  /** When the oldest of the grouped events was published. */
  since?: string
  turn?: ComponentChildren
}

const EventLine = ({ event, since = event.time, turn }: EventLineProps) => (
  <>
    {turn ?? <span class="event-turn" aria-hidden="true" />}
    <time class="event-time">{formatTime(since)}</time>
    <span class="event-type mono">{event.type}</span>
    <span class="event-about">{markInvisible(formatEvent(event))}</span>
    <ServerName of={event} />
  </>
)
