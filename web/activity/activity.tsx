// The activity panel: calls or events, newest first, with the details of one beside them.
import { useRef } from 'preact/hooks'
import { useKeys } from '../shell/keys.ts'
import { hrefWith, route } from '../shell/routes.ts'
import { CallPage } from './call-page.tsx'
import { CallsView } from './calls-view.tsx'
import { EventPage } from './event-page.tsx'
import { EventsView } from './events-view.tsx'
import type { View } from './filter.ts'
import { Filters } from './filters.tsx'
import { filter, togglePause } from './list-state.ts'
import { Timeline } from './timeline.tsx'

const VIEWS = { calls: CallsView, timeline: Timeline, events: EventsView } satisfies Record<View, unknown>

export function Activity() {
  const [opened] = route.value.segments
  const self = useRef<HTMLElement>(null)
  /** The lists handle their own keys; these move the focus to them. */
  const enter = () => self.current?.querySelector<HTMLElement>('[role="grid"], .timeline a')?.focus()
  useKeys({
    j: enter,
    k: enter,
    p: togglePause,
    Escape: closeDetails
  })
  const List = VIEWS[filter.value.view]
  return (
    <div class={opened === undefined ? 'panes' : 'panes panes-open'}>
      <h1 class="spoken">Activity</h1>
      <section class="panes-list activity" aria-label="Activity" ref={self}>
        <Filters />
        <List opened={opened} />
      </section>
      {opened !== undefined && (
        <section class="panes-detail" aria-label={opened.startsWith('tc_') ? 'Call' : 'Event'}>
          {opened.startsWith('tc_') ? <CallPage key={opened} id={opened} /> : <EventPage seq={Number(opened)} />}
        </section>
      )}
    </div>
  )
}

function closeDetails() {
  if (route.peek().segments.length > 0) location.hash = hrefWith({ segments: [] })
}
