// The calls that were approved last on this page, with their titles.
import { signal } from '@preact/signals'
import type { WaitingCall } from '../store/approvals.ts'

const MAX_APPROVED = 50

/** By id, oldest first. */
const approvedTitles = signal<ReadonlyMap<string, string>>(new Map())

export const approvedTitle = (id: string): string | undefined => approvedTitles.value.get(id)

export function noteApproved({ tool_call_id, approval: { preview } }: WaitingCall) {
  const others = [...approvedTitles.peek()].slice(1 - MAX_APPROVED)
  approvedTitles.value = new Map([...others, [tool_call_id, preview.title]])
}
