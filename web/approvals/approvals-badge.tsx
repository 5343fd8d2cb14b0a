// The number of approvals of a call that several persons have to approve.
import type { Approval } from '../../src/client/client.ts'
import { formatApprovalCount } from '../../src/protocol/format-approval-count.ts'

export function ApprovalsBadge({ approval }: { approval: Approval }) {
  const count = formatApprovalCount(approval)
  return count === undefined ? null : <span class="badge warn">{count}</span>
}
