// The table of events, newest first, as they were published.
import type { Event } from '../../src/client/client.ts'
import { serverNameOf } from '../hub/server-name.ts'
import { has } from '../session/place.ts'
import { hrefWith } from '../shell/routes.ts'
import { formatTime } from '../text/format-time.ts'
import { markInvisible } from '../text/invisible.tsx'
import { isNarrowed } from './filter.ts'
import { formatEvent } from './format-event.ts'
import { Cell, Grid } from './grid.tsx'
import { events, filter, skippedEvents } from './list-state.ts'

const COLUMNS = ['Time', 'Type', 'Event', 'Session']
const HUB_COLUMNS = ['Time', 'Type', 'Event', 'Server', 'Session']

export function EventsView({ opened }: { opened: string | undefined }) {
  const rows = events.value
  return (
    <>
      <Grid
        name="events"
        label="Events, newest first"
        columns={has('servers') ? HUB_COLUMNS : COLUMNS}
        rows={rows}
        keyOf={keyOf}
        listKey={JSON.stringify(filter.value)}
        hasMore={skippedEvents.value > 0}
        opened={opened}
        renderCells={(event, active) => <EventCells event={event} active={active} />}
        onOpen={event => {
          location.hash = hrefWith({ segments: [keyOf(event)] })
        }}
      >
        <div class="empty">
          <h2>{isNarrowed(filter.value) ? 'No events match the filter' : 'No events yet'}</h2>
        </div>
      </Grid>
      {skippedEvents.value > 0 && (
        <p class="grid-end muted small">{skippedEvents.value.toLocaleString('en')} older events are not listed.</p>
      )}
    </>
  )
}

const keyOf = ({ seq }: Event) => String(seq)

const EventCells = ({ event, active }: { event: Event; active: boolean }) => (
  <>
    <Cell column="time">
      <time dateTime={event.time}>{formatTime(event.time)}</time>
    </Cell>
    <Cell column="type" look="mono">
      {event.type}
    </Cell>
    <Cell column="event">
      <a class="cell-link" href={hrefWith({ segments: [keyOf(event)] })} tabIndex={active ? 0 : -1}>
        {markInvisible(formatEvent(event))}
      </a>
    </Cell>
    {has('servers') && <Cell column="server">{markInvisible(serverNameOf(event) ?? '')}</Cell>}
    <Cell column="session">{markInvisible(event.session_id ?? '')}</Cell>
  </>
)
