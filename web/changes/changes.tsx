// The changes panel: the sessions that changed files lately, with the changes of one beside them.
import { useKeys } from '../shell/keys.ts'
import { goTo, hrefOf, route } from '../shell/routes.ts'
import { formatTime } from '../text/format-time.ts'
import { markInvisible } from '../text/invisible.tsx'
import { type RecentSession, useRecentSessions } from './recent-sessions.ts'
import { SessionPage } from './session-page.tsx'

export function Changes() {
  const { sessions, fault } = useRecentSessions()
  const [opened, workspace] = route.value.segments
  const isOpened = (session: RecentSession) =>
    session.session_id === opened && (workspace === undefined || session.workspace === workspace)
  const move = (by: number) => {
    const list = sessions ?? []
    const at = list.findIndex(isOpened)
    const next = list[at < 0 ? 0 : Math.max(0, Math.min(at + by, list.length - 1))]
    if (next) goTo('changes', next.session_id, next.workspace)
  }
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    Escape: () => {
      if (route.peek().segments.length > 0) goTo('changes')
    }
  })
  return (
    <div class={opened === undefined ? 'panes' : 'panes panes-open panes-narrow'}>
      <h1 class="spoken">Changes</h1>
      <nav class="panes-list" aria-label="Sessions">
        {fault !== undefined && <p class="notice bad">{fault}</p>}
        {sessions?.length === 0 ? (
          <div class="empty">
            <h2>No changes</h2>
            <p>Sessions whose calls change files appear here.</p>
          </div>
        ) : (
          <ul class="list">
            {sessions?.map(each => (
              <SessionItem key={`${each.workspace} ${each.session_id}`} session={each} current={isOpened(each)} />
            ))}
          </ul>
        )}
      </nav>
      {opened !== undefined && (
        <section class="panes-detail" aria-label="Session">
          <SessionPage key={`${workspace} ${opened}`} session_id={opened} workspace={workspace} />
        </section>
      )}
    </div>
  )
}

function SessionItem({ session, current }: { session: RecentSession; current: boolean }) {
  const { session_id, workspace, agents, calls, finished_at } = session
  return (
    <li>
      <a class="list-item" href={hrefOf('changes', session_id, workspace)} aria-current={current ? 'true' : undefined}>
        <span class="list-title">{markInvisible(session_id)}</span>
        <span class="list-facts">
          <span class="number">{calls === 1 ? '1 call' : `${calls} calls`}</span>
          <span>{formatTime(finished_at)}</span>
          <span class="list-words">{markInvisible(agents.join(', '))}</span>
        </span>
      </a>
    </li>
  )
}
