// The server that a call or an event is of, at a hub, and decisions on their way to it.
import type { SentDecision } from '../store/approvals.ts'
import { markInvisible } from '../text/invisible.tsx'
import { serverNameOf } from './server-name.ts'

/** Names the server. At a server itself there is nothing to name. */
export function ServerName({ of }: { of: object }) {
  const name = serverNameOf(of)
  return name === undefined ? null : <span class="badge server">{markInvisible(name)}</span>
}

export const describeSent = ({ verdict }: SentDecision): string =>
  verdict === 'approve' ? 'Approval sent' : 'Rejection sent'
