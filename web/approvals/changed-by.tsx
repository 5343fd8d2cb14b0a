// Says which call that was approved on this page has changed a file of a waiting call.
import type { Event } from '../../src/client/client.ts'
import type { EventByType } from '../activity/format-event.ts'
import { hrefOf } from '../shell/routes.ts'
import type { WaitingCall } from '../store/approvals.ts'
import { eventRing } from '../store/event-ring.ts'
import { markInvisible } from '../text/invisible.tsx'
import { approvedTitle } from './approved-calls.ts'
import { listCallPaths } from './call-paths.ts'

/** Shows nothing if the change was made by another call or program. */
export function ChangedBy({ call }: { call: WaitingCall }) {
  const change = findChange(call)
  return (
    change && (
      <>
        {' '}
        <code>{markInvisible(change.path)}</code> was changed by{' '}
        <a href={hrefOf('activity', change.id)}>“{markInvisible(change.title)}”</a>, which you approved.
      </>
    )
  )
}

function findChange(call: WaitingCall) {
  const paths = new Set(listCallPaths(call))
  const isChange = (event: Event): event is EventByType<'file.changed'> =>
    event.type === 'file.changed' && event.workspace === call.workspace && event.time > call.created_at
  for (const event of eventRing.events.toReversed()) {
    if (event.time < call.created_at) return undefined
    if (!isChange(event) || event.by === 'external') continue
    const id = event.by.tool_call_id
    const title = approvedTitle(id)
    const path = [event.path, event.from].find(each => each !== undefined && paths.has(each))
    if (path !== undefined && title !== undefined) return { path, id, title }
  }
  return undefined
}
