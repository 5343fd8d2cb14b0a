// One row: a call in a line, or one event.
import type { Event } from '../../src/client/client.ts'
import { clock, span } from '../text/time.ts'
import { summaryOf, wordsOf } from './entries.ts'
import type { Row } from './rows.ts'
import { openRow, toggle } from './shown.ts'
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
      {event === undefined ? <CallLine row={row} expanded={expanded} /> : <EventLine event={event} />}
      {event === undefined && entry.events.length > 1 && <span class="event-count number">{entry.events.length}</span>}
    </div>
  )
}

function CallLine({ row, expanded }: { row: Row; expanded: boolean }) {
  const { tool, about, status, session, ms, files } = summaryOf(row.entry)
  return (
    <>
      <span
        class="event-turn"
        aria-hidden="true"
        data-open={expanded ? '' : undefined}
        onClick={event => {
          event.stopPropagation()
          toggle(row.key)
        }}
      />
      <time class="event-time">{clock(row.entry.events[0]!.time)}</time>
      <Status status={status} />
      <span class="event-tool mono">{tool ?? 'a call'}</span>
      <span class="event-about">{about}</span>
      {files > 0 && <span class="event-files muted">{files === 1 ? '1 file' : `${files} files`}</span>}
      <span class="event-session muted">{session === 'default' ? '' : session}</span>
      <span class="event-ms number muted">{ms === undefined ? '' : span(ms)}</span>
    </>
  )
}

const EventLine = ({ event }: { event: Event }) => (
  <>
    <span class="event-turn" aria-hidden="true" />
    <time class="event-time">{clock(event.time)}</time>
    <span class="event-type mono">{event.type}</span>
    <span class="event-about">{wordsOf(event)}</span>
  </>
)
