// Formats which of the approvals that a call needs are given.
import type { Approval } from './calls.ts'
import { formatDecider } from './format-decider.ts'

type Approvals = Pick<Approval, 'approvals_needed' | 'approvals'>

/** Returns `1 of 2 approvals`; undefined for a call that one person approves. */
export const formatApprovalCount = ({ approvals_needed, approvals = [] }: Approvals): string | undefined =>
  approvals_needed === undefined ? undefined : `${approvals.length} of ${approvals_needed} approvals`

/** Returns `needs 2 approvals, 1 given by Ana (emacs)`; undefined for a call that one person approves. */
export function describeApprovals({ approvals_needed, approvals = [] }: Approvals): string | undefined {
  if (approvals_needed === undefined) return undefined
  const needs = `needs ${approvals_needed} approvals by different persons`
  if (approvals.length === 0) return needs
  const names = approvals.map(given => formatDecider({ source: 'user', ...given }))
  return `${needs}, ${approvals.length} given by ${names.join(' and ')}`
}
