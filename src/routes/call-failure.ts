// Failures of calls in words for models.

import type { CallError, SettledCall } from '../protocol/calls.ts'
import { formatRejectionMessage } from '../text/rejection-message.ts'

/** Describes an error with its code; each of several wrong fields has a line. */
export function describeCallError({ code, message, details }: CallError): string {
  const errors = Array.isArray(details?.errors) ? (details.errors as { pointer: string; message: string }[]) : []
  if (errors.length < 2) return `${code}: ${message}`
  return [`${code}: ${message}`, ...errors.map(error => `- ${error.pointer} ${error.message}`)].join('\n')
}

/** Describes the end of a call that neither succeeded nor failed. */
export function describeCallEnd(call: Exclude<SettledCall, { status: 'success' | 'error' }>): string {
  const message = call.status === 'rejected' ? formatRejectionMessage(call) : undefined
  return `The call ${END_LABELS[call.status]}: ${call.reason}${message === undefined ? '' : ` ${message}`}`
}
const END_LABELS = {
  rejected: 'was rejected',
  cancelled: 'was cancelled',
  interrupted: 'was interrupted',
  expired: 'has expired'
} as const
