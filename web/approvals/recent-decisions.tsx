// The list of the calls that were decided last, by whom, with links to them.
import { describeDecider, type Event } from '../../src/client/client.ts'
import type { EventByType } from '../activity/format-event.ts'
import { pendingPreview, summarizeParams } from '../activity/format-event.ts'
import { throttled } from '../activity/throttled.ts'
import { hrefOf } from '../shell/routes.ts'
import { eventRing, eventRingVersion } from '../store/event-ring.ts'
import { formatTime } from '../text/format-time.ts'
import { markInvisible } from '../text/invisible.tsx'

const MAX_DECISIONS = 20
/** A faster list would be unreadable. */
const UPDATE_INTERVAL_MS = 500

const version = throttled(eventRingVersion, UPDATE_INTERVAL_MS).value

interface DecidedCall {
  id: string
  title: string
  decision: EventByType<'tool.decision'>
}

export function RecentDecisions() {
  version.value
  const decided = findDecided(eventRing.events)
  if (decided.length === 0) return <p class="muted asked-head">No decisions yet.</p>
  return (
    <ul>
      {decided.map(({ id, title, decision: { decision, by, time } }) => (
        <li key={id}>
          <a class="asked-line" href={hrefOf('activity', id)}>
            <span class="asked-top small">
              {decision}
              <time dateTime={time}>{formatTime(time)}</time>
            </span>
            <span class="asked-title">{markInvisible(title)}</span>
            <span class="muted small">{markInvisible(describeBy(by) ?? '')}</span>
          </a>
        </li>
      ))}
    </ul>
  )
}

/** Returns the last decisions on different calls, newest first. */
function findDecided(events: readonly Event[]): DecidedCall[] {
  const decided = new Map<string, DecidedCall>()
  for (let i = events.length - 1; i >= 0; i--) {
    const event = events[i]!
    const id = event.tool_call_id
    if (id === undefined) continue
    const known = decided.get(id)
    if (event.type === 'tool.decision' && !known && decided.size < MAX_DECISIONS)
      decided.set(id, { id, title: id, decision: event })
    else if (event.type === 'tool.call' && known?.title === id)
      known.title = pendingPreview(event)?.title ?? `${event.tool} ${summarizeParams(event.params)}`
  }
  return [...decided.values()]
}

const describeBy = (by: EventByType<'tool.decision'>['by']) => {
  const { token, client, earlier_approvals } = (by ?? {}) as Parameters<typeof describeDecider>[0]
  return describeDecider({ token, client, earlier_approvals })
}
