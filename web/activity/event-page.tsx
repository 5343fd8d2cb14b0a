// One event whole, as it was told.
import { hrefOf } from '../shell/routes.ts'
import { ring, ringVersion } from '../store/event-ring.ts'
import { marked } from '../text/invisible.tsx'
import { Raw } from '../text/text-block.tsx'
import { wordsOf } from './format-event.ts'

export function EventPage({ seq }: { seq: number }) {
  ringVersion.value
  const event = ring.events.find(event => event.seq === seq)
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
          <p>{marked(wordsOf(event))}</p>
          <Raw value={event} label={`Event ${seq} as JSON`} />
        </>
      ) : (
        <p class="muted">It is not among the newest events that this page holds.</p>
      )}
    </div>
  )
}
