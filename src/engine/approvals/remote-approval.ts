// Calls that a person at the hub has to approve, since a rule demands it: who may decide on them while the hub is there, and while it is away.
import { ToolError } from '../../errors.ts'
import type { Caller } from '../active-call.ts'
import type { Engine } from '../engine.ts'
import type { PolicyVerdict } from '../policy/policy-input.ts'

type Approver = PolicyVerdict['approver']

/** Throws PERMISSION_DENIED for an approval by a person here, unless no rule demands the hub, or that person decides while it is away. */
export function assertMayApprove(engine: Engine, { approver }: { approver?: Approver }, { via }: Pick<Caller, 'via'>) {
  if (approver === undefined || via || canApproveHere(engine, approver)) return
  const outage = engine.hub.outage()
  throw new ToolError(
    'PERMISSION_DENIED',
    outage === undefined
      ? 'A rule requires that a person at the hub approves this call. At this server, you can only reject the call.'
      : `A rule requires that a person at the hub approves this call, but ${outage}. The call waits for the hub. At this ` +
          'server, you can only reject the call.'
  )
}

/** Returns true if people at this server may approve a call. */
export const canApproveHere = ({ hub, settings }: Engine, approver: Approver): boolean =>
  approver === undefined || (settings.hub.on_outage === 'local' && hub.outage() !== undefined)

/** Returns the reason for which a call that waits for the hub is rejected; undefined if it may wait. */
export function findOutageRefusal({ hub, settings }: Engine, approver: Approver): string | undefined {
  if (approver === undefined || settings.hub.on_outage !== 'refuse') return undefined
  const outage = hub.outage()
  return (
    outage &&
    `A rule requires that a person at the hub approves this call, but ${outage}. Send the call again when the hub is available.`
  )
}
