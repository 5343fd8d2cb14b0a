// The details of one event, as published.
import { hrefOf } from '../shell/routes.ts'
import { eventRing, eventRingVersion } from '../store/event-ring.ts'
import { markInvisible } from '../text/invisible.tsx'
import { JsonView } from '../text/text-block.tsx'
import { formatEvent } from './format-event.ts'

export function EventPage({ seq }: { seq: number }) {
  eventRingVersion.value
  const event = eventRing.events.find(event => event.seq === seq)
  return (
    <div class="detail">
      <header class="detail-head">
        <h2 class="mono">{event?.type ?? `Event ${seq}`}</h2>
        <a class="button quiet detail-close" href={hrefOf('activity')}>
          Close
        </a>
      </header>
      {event ? (
        <>
          <p>{markInvisible(formatEvent(event))}</p>
          <JsonView value={event} label={`Event ${seq} as JSON`} />
        </>
      ) : (
        <p class="muted">The event is not among the newest events on this page.</p>
      )}
    </div>
  )
}
