// The groups of waiting calls, which are reviewed on one page and decided at once.
import { computed, signal } from '@preact/signals'
import { type ApprovalGroup, findGroupCalls, groupApprovals } from '../../src/protocol/approval-groups.ts'
import { type ApprovalEntry, pending, type WaitingCall } from '../store/approvals.ts'

export type CallGroup = ApprovalGroup<WaitingCall>

/** A decision on its way to the server of a call leaves nothing to decide. */
const listDecidable = (entries: readonly ApprovalEntry[]) => entries.flatMap(({ call, sent }) => (sent ? [] : [call]))

export const waitingGroups = computed((): readonly CallGroup[] => groupApprovals(listDecidable(pending.value)))

const groupsByCall = computed(
  () =>
    new Map(waitingGroups.value.flatMap(group => group.calls.map(({ tool_call_id }) => [tool_call_id, group] as const)))
)

export const findGroupOf = (id: string): CallGroup | undefined => groupsByCall.value.get(id)

/** A row of the list. The row of a group stands before that of its first call. */
export type ListRow = { group: CallGroup } | { entry: ApprovalEntry; isInGroup: boolean }

export function toListRows(entries: readonly ApprovalEntry[]): ListRow[] {
  const shown = new Set<CallGroup>()
  return entries.flatMap((entry): ListRow[] => {
    const group = findGroupOf(entry.call.tool_call_id)
    const row = { entry, isInGroup: group !== undefined }
    if (group === undefined || shown.has(group)) return [row]
    shown.add(group)
    return [{ group }, row]
  })
}

/** Returns the address of a row within the panel. */
export const addressOf = (row: ListRow): readonly string[] =>
  'group' in row ? ['group', row.group.key] : [row.entry.call.tool_call_id]

/** Returns the calls among these entries that can be decided together. */
export const selectGroup = (entries: readonly ApprovalEntry[], key: string): readonly WaitingCall[] =>
  findGroupCalls(listDecidable(entries.filter(({ outcome }) => !outcome)), key)

/** The calls of the open page of a group: they stay in the list while their outcome is shown. */
export const openedGroupIds = signal<readonly string[]>([])
