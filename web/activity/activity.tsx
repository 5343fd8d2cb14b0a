// The activity panel: events, newest first, with the details of one call beside them.
import { useRef } from 'preact/hooks'
import { useKeys } from '../shell/keys.ts'
import { goTo, route } from '../shell/routes.ts'
import { CallPage } from './call-page.tsx'
import { EventPage } from './event-page.tsx'
import { EventTree } from './event-tree.tsx'
import { Filters } from './filters.tsx'
import { hiddenCounts, showCleared, togglePause } from './list-state.ts'

export function Activity() {
  const [opened] = route.value.segments
  const self = useRef<HTMLElement>(null)
  /** The tree handles its own keys; these move the focus to it. */
  const enter = () => self.current?.querySelector<HTMLElement>('[role="tree"]')?.focus()
  useKeys({
    j: enter,
    k: enter,
    p: togglePause,
    Escape: () => {
      if (route.peek().segments.length > 0) goTo('activity')
    }
  })
  return (
    <div class={opened === undefined ? 'panes' : 'panes panes-open'}>
      <h1 class="spoken">Activity</h1>
      <section class="panes-list activity" aria-label="Events" ref={self}>
        <Filters />
        <EventTree opened={opened} />
        <OlderNotice />
      </section>
      {opened !== undefined && (
        <section class="panes-detail" aria-label={opened.startsWith('tc_') ? 'Call' : 'Event'}>
          {opened.startsWith('tc_') ? <CallPage key={opened} id={opened} /> : <EventPage seq={Number(opened)} />}
        </section>
      )}
    </div>
  )
}

function OlderNotice() {
  const { skipped, cleared } = hiddenCounts.value
  if (skipped + cleared === 0) return null
  return (
    <p class="activity-older muted small row">
      {skipped > 0 && <span>{skipped.toLocaleString('en')} older events skipped</span>}
      {cleared > 0 && (
        <>
          <span>{cleared.toLocaleString('en')} cleared</span>
          <button type="button" class="button quiet" onClick={showCleared}>
            Show
          </button>
        </>
      )}
    </p>
  )
}
