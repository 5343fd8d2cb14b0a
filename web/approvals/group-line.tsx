// Links from the card of a call to the page of its group.
import { describeGroup } from '../../src/protocol/approval-groups.ts'
import { hrefOf } from '../shell/routes.ts'
import { keysSetting } from '../shell/settings.ts'
import type { CallGroup } from './groups.ts'

export const GroupLine = ({ group: { key, calls } }: { group: CallGroup }) => (
  <p>
    One of <a href={hrefOf('approvals', 'group', key)}>{describeGroup(calls)}</a> that wait for the same reason
    {keysSetting.value === 'on' && (
      <span class="asked-keys" title="Review them together">
        <kbd>w</kbd>
      </span>
    )}
  </p>
)
