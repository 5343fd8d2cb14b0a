// Links to the other waiting calls about the same files: after the decision on one of them, the others may fail.
import { hrefOf } from '../shell/routes.ts'
import { pending, type WaitingCall } from '../store/approvals.ts'
import { markInvisible } from '../text/invisible.tsx'
import { listCallPaths } from './call-paths.ts'

const MAX_LINKS = 3

export function RelatedCalls({ call }: { call: WaitingCall }) {
  const related = findRelated(call)
  if (related.length === 0) return null
  const more = related.length - MAX_LINKS
  return (
    <ul class="related-calls">
      {related.slice(0, MAX_LINKS).map(({ path, other }) => (
        <li key={other.tool_call_id}>
          Also waiting for <code>{markInvisible(path)}</code>:{' '}
          <a href={hrefOf('approvals', other.tool_call_id)}>{markInvisible(other.approval.preview.title)}</a>
        </li>
      ))}
      {more > 0 && <li class="muted">and {more === 1 ? '1 more call' : `${more} more calls`}</li>}
    </ul>
  )
}

/** Finds the other waiting calls that name one of the paths of this one, with the first such path. */
function findRelated(call: WaitingCall): { path: string; other: WaitingCall }[] {
  const paths = new Set(listCallPaths(call))
  if (paths.size === 0) return []
  return pending.value.flatMap(({ call: other }) => {
    if (other.tool_call_id === call.tool_call_id) return []
    if (other.workspace !== call.workspace || other.server_name !== call.server_name) return []
    const path = listCallPaths(other).find(each => paths.has(each))
    return path === undefined ? [] : [{ path, other }]
  })
}
