// Approvals of calls that several persons have to approve: who counts as one person, and what the last of them finds. All approve the
// same preview: a changed one waits again without approvals.
import { ToolError } from '../../errors.ts'
import type { Approval, CallWithStatus } from '../../protocol/calls.ts'
import type { GivenApproval } from '../../protocol/decisions.ts'
import { formatDecider } from '../../protocol/format-decider.ts'
import { SERVER_TOKEN_ID } from '../../protocol/named-token.ts'
import type { Caller } from '../active-call.ts'
import type { PolicyVerdict } from '../policy/policy-input.ts'

type PendingCall = CallWithStatus<'awaiting_approval'>

interface JointApproval {
  given: GivenApproval
  /** The approvals before it. */
  earlier: readonly GivenApproval[]
  /** The call with this approval, if further ones are missing. */
  waiting: PendingCall | undefined
}

/**
 * Adds an approval to a call that needs several; undefined for other calls. Throws CONFLICT if the person has approved the call already.
 */
export function addApproval(
  call: PendingCall,
  { approvals: needed = 1 }: Pick<PolicyVerdict, 'approvals'>,
  { caller, ...approval }: Omit<GivenApproval, 'person'> & { caller: Caller }
): JointApproval | undefined {
  if (needed === 1) return undefined
  const given = { person: identifyPerson(caller), ...approval }
  const earlier = call.approval.approvals ?? []
  if (hasApproved(call, caller)) throw samePersonError(given, needed, earlier)
  const approvals = [...earlier, given]
  const waiting = { ...call, approval: { ...call.approval, approvals_needed: needed, approvals } }
  return { given, earlier, waiting: approvals.length < needed ? waiting : undefined }
}

/**
 * Identifies the person by the token or by the sign-in at the hub, which the client cannot choose. A token and the consoles that were opened
 * with it count as one person.
 */
const identifyPerson = ({ person, token }: Caller): string => person ?? token?.id ?? SERVER_TOKEN_ID

/**
 * Returns true if the person is one of those who have approved the call so far. The person of a notification is known by name only, and has
 * possibly a token of that name, too.
 */
export const hasApproved = ({ approval: { approvals = [] } }: PendingCall, caller: Caller): boolean =>
  approvals.some(
    ({ person, token, via }) =>
      person === identifyPerson(caller) ||
      ((caller.link !== undefined || via === 'notification') &&
        token !== undefined &&
        token.name === caller.token?.name)
  )

function samePersonError(given: GivenApproval, needed: number, approvals: readonly GivenApproval[]) {
  const known = approvals.map(each => `${formatDecider({ source: 'user', ...each })} at ${each.at}`).join(', ')
  return new ToolError(
    'CONFLICT',
    `The call needs the approval of ${needed} different persons, and this one has already approved it. Approvals so far: ` +
      `${known}. Another person must approve it with another token, or at the hub.`,
    { person: given.person, approvals_needed: needed, approvals }
  )
}

/** Throws INVALID_PARAMS for modified params of a call that several persons approve: all of them approve the same. */
export function assertParamsUnmodified(needed: number | undefined) {
  if (needed === undefined) return
  throw new ToolError(
    'INVALID_PARAMS',
    `The call needs the approval of ${needed} different persons, so its params cannot be modified with an approval. Reject it with a message, so that the agent sends a changed call.`,
    { errors: [{ pointer: '/modified_params', message: 'is not allowed for a call that needs several approvals' }] }
  )
}

/** Removes the approvals of a call that waits for all of them again. */
export const withoutApprovals = ({ approvals: _, ...approval }: Approval): Approval => approval
