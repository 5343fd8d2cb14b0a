// The details of one event, as published.
import { hrefWith } from '../shell/routes.ts'
import { eventRing, eventRingVersion } from '../store/event-ring.ts'
import { formatDateTime } from '../text/format.ts'
import { markInvisible } from '../text/invisible.tsx'
import { JsonView } from '../text/text-block.tsx'
import { callIdOf } from './events.ts'
import { formatEvent } from './format-event.ts'

export function EventPage({ seq }: { seq: number }) {
  eventRingVersion.value
  const event = eventRing.events.find(event => event.seq === seq)
  const callId = event && callIdOf(event)
  return (
    <div class="detail">
      <header class="detail-head">
        <h2 class="mono">{event?.type ?? `Event ${seq}`}</h2>
        <a class="button quiet detail-close" href={hrefWith({ segments: [] })}>
          Close
        </a>
      </header>
      {event ? (
        <>
          <p>{markInvisible(formatEvent(event))}</p>
          <p class="row muted small">
            <time>{formatDateTime(event.time)}</time>
            {callId !== undefined && <a href={hrefWith({ segments: [callId] })}>View call</a>}
          </p>
          <JsonView value={event} label={`Event ${seq} as JSON`} />
        </>
      ) : (
        <p class="muted">The event is not among the newest events on this page.</p>
      )}
    </div>
  )
}
