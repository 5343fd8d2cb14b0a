// The row of a group in the list of waiting calls, above the rows of its calls.
import { describeGroup } from '../../src/protocol/approval-groups.ts'
import { hrefOf } from '../shell/routes.ts'
import type { CallGroup } from './groups.ts'

interface GroupRowProps {
  group: CallGroup
  /** Its page is open. */
  isCurrent: boolean
}

export const GroupRow = ({ group: { key, calls }, isCurrent }: GroupRowProps) => (
  <a
    class="group-row"
    data-group={key}
    href={hrefOf('approvals', 'group', key)}
    aria-current={isCurrent ? 'true' : undefined}
  >
    <span class="group-title">{describeGroup(calls)}</span>
    <span class="badge">review together</span>
  </a>
)
