// The name of a session, as a link to its changes where they can be shown.
import type { Call } from '../../src/client/client.ts'
import { has } from '../session/place.ts'
import { hrefOf } from '../shell/routes.ts'
import { markInvisible } from '../text/invisible.tsx'

export const SessionLink = ({ call: { session_id, workspace } }: { call: Pick<Call, 'session_id' | 'workspace'> }) =>
  has('changes') ? (
    <a href={hrefOf('changes', session_id, workspace)}>{markInvisible(session_id)}</a>
  ) : (
    <span>{markInvisible(session_id)}</span>
  )
