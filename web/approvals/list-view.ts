// The view of the list of pending calls: its filter, its groups, and the selected calls.
import { computed, signal } from '@preact/signals'
import { type ApprovalEntry, approvals } from '../store/approvals.ts'
import { listCallPaths } from './call-paths.ts'

export type Grouping = 'none' | 'server' | 'session' | 'agent' | 'tool' | 'path'

export const filterText = signal('')
export const grouping = signal<Grouping>('none')
const selectedIds = signal<ReadonlySet<string>>(new Set())
/** The call selected or deselected last, from which a range starts. */
let rangeStart: string | undefined

export interface ApprovalGroup {
  name: string
  entries: readonly ApprovalEntry[]
}

/** The entries that match the filter, in groups, each in order of arrival. */
export const visibleGroups = computed((): readonly ApprovalGroup[] => {
  const words = filterText.value.toLowerCase().split(/\s+/).filter(Boolean)
  const groups = new Map<string, ApprovalEntry[]>()
  for (const entry of approvals.value) {
    const text = searchedText(entry).toLowerCase()
    if (!words.every(word => text.includes(word))) continue
    const name = groupName(entry, grouping.value)
    groups.set(name, [...(groups.get(name) ?? []), entry])
  }
  return Array.from(groups, ([name, entries]) => ({ name, entries }))
})

const visibleEntries = computed(() => visibleGroups.value.flatMap(({ entries }) => entries))

/** The selected calls that wait and are in the list: what the filter hides is not decided. */
export const selectedCalls = computed(() =>
  visibleEntries.value.flatMap(({ call, outcome }) =>
    !outcome && selectedIds.value.has(call.tool_call_id) ? [call] : []
  )
)

export const isSelected = (id: string): boolean => selectedIds.value.has(id)

export function toggleSelected(id: string) {
  const after = new Set(selectedIds.peek())
  if (!after.delete(id)) after.add(id)
  selectedIds.value = after
  rangeStart = id
}

/** Selects these calls too. */
export function selectAlso(ids: readonly string[]) {
  selectedIds.value = new Set([...selectedIds.peek(), ...ids])
}

/** Selects all calls of the list from the one toggled last to this one. */
export function selectRange(id: string) {
  const ids = visibleEntries.peek().map(({ call }) => call.tool_call_id)
  const from = rangeStart === undefined ? -1 : ids.indexOf(rangeStart)
  const to = ids.indexOf(id)
  const range = from < 0 ? [id] : ids.slice(Math.min(from, to), Math.max(from, to) + 1)
  selectedIds.value = new Set([...selectedIds.peek(), ...range])
  rangeStart = id
}

export function clearSelection() {
  selectedIds.value = new Set()
  rangeStart = undefined
}

const searchedText = (entry: ApprovalEntry) => {
  const { tool, agent, client, session_id, server_name, approval } = entry.call
  return [server_name, tool, agent, client, session_id, approval.preview.title, ...listCallPaths(entry.call)].join('\n')
}

function groupName(entry: ApprovalEntry, by: Grouping): string {
  const { tool, agent, client, session_id, server_name } = entry.call
  if (by === 'server') return server_name ?? ''
  if (by === 'session') return session_id
  if (by === 'agent') return agent ?? client
  if (by === 'tool') return tool
  if (by === 'path') return listCallPaths(entry.call)[0] ?? 'no path'
  return ''
}
