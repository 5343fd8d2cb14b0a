// Envelopes of a result: formats for calls that succeeded, failed or have not ended yet.
import { formatRejectionMessage } from '../../text/rejection-message.ts'
import { DEFAULT_REJECTION_REASON } from '../../tool/rejection.ts'
import type { CallView, CallViewError, NamedCallView } from '../call-view.ts'
import { APPROVAL_FORMATS, type ApprovalFormatName } from './approval-formats.ts'
import { toBlockStatus } from './block-status.ts'

interface Envelope {
  /** Format of a call that waits for a decision. */
  waiting: ApprovalFormatName
  done(named: NamedCallView, value: unknown): unknown
  failed(named: NamedCallView, error: CallViewError): unknown
  /** Formats a queued or running call. */
  open(named: NamedCallView): unknown
}

export const ENVELOPES = {
  /** The native call, as for the server's own clients. */
  call: {
    waiting: 'call',
    done: ({ call }) => call,
    failed: ({ call }) => call,
    open: ({ call }) => call
  },

  /** The value alone; a failure as one `error`. */
  plain: {
    waiting: 'step',
    done: (_named, value) => value,
    failed({ call }, { code, message, recoverable, details }) {
      const { status, rejected_by } = call
      // A rule, a hook or the configuration gives its reason.
      if (status === 'rejected' && rejected_by?.source === 'user') {
        const said = saidWithRejection(call)
        return { error: 'Tool use denied by user', ...(said !== undefined && { user_message: said }) }
      }
      if (status === 'rejected') return { error: `Tool use denied: ${message}` }
      // A later call may succeed: say why this one did not.
      if (code === 'TIMEOUT' && recoverable && details)
        return { error: TIMEOUT_MESSAGE, details: { message, ...details } }
      if (code === 'TIMEOUT') return { error: TIMEOUT_MESSAGE }
      return { error: message, code, ...(details && { details }) }
    },
    open: ({ call: { tool_call_id, status } }) => ({ tool_call_id, status })
  },

  titled: {
    waiting: 'step',
    done: (_named, value) => value,
    failed: ({ name, call: { tool_call_id, status } }, error) => ({
      title: name,
      output: error.message,
      metadata: { tool_call_id, status },
      error
    }),
    open: ({ name, call: { tool_call_id, status } }) => ({
      title: name,
      output: '',
      metadata: { tool_call_id, status }
    })
  },

  outcome: {
    waiting: 'step',
    done: (_named, value) => ({ ok: true, value }),
    failed: (_named, { code, message, details }) => ({
      ok: false,
      error: { code, message, ...(details && { details }) }
    }),
    open: ({ call: { tool_call_id, status } }) => ({ stepId: tool_call_id, status })
  },

  block: {
    waiting: 'block',
    done: (named, value) => toBlock(named, 'Complete', value),
    failed: (named, error) => ({
      ...toBlock(named, toBlockStatus(named.call.status), saidWithRejection(named.call) ?? error.message),
      code: error.code
    }),
    open: named => toBlock(named, 'Running', '')
  },

  result: {
    waiting: 'dialog',
    done: ({ call: { tool_call_id, execution_time_ms } }, result) => ({
      status: 'success',
      tool_call_id,
      result,
      execution_time_ms
    }),
    failed({ call }, error) {
      const { tool_call_id, execution_time_ms } = call
      // A call that failed before it ran took no time.
      if (call.status === 'error')
        return { status: 'error', tool_call_id, error, execution_time_ms: execution_time_ms ?? 0 }
      const about = { tool_call_id, ...(execution_time_ms !== undefined && { execution_time_ms }) }
      const { status, reason, user_message, comments } = call
      return {
        status,
        reason,
        ...(user_message !== undefined && { user_message }),
        ...(comments && { comments }),
        ...about
      }
    },
    open: ({ call: { tool_call_id, status } }) => ({ status, tool_call_id })
  }
} as const satisfies Record<string, Envelope>

export type EnvelopeName = keyof typeof ENVELOPES

/** Returns all that a person said with a rejection; undefined if nothing, or if no person rejected the call. */
function saidWithRejection(call: CallView): string | undefined {
  const { status, rejected_by, reason } = call
  if (status !== 'rejected' || rejected_by?.source !== 'user') return undefined
  const said = [reason === DEFAULT_REJECTION_REASON ? undefined : reason, formatRejectionMessage(call)].filter(
    text => text !== undefined
  )
  return said.length > 0 ? said.join('\n') : undefined
}

const TIMEOUT_MESSAGE = 'Tool execution timed out'

function toBlock({ call, name, args }: NamedCallView, status: string, text: unknown) {
  const { tool_call_id, background } = call
  const block = { call_id: tool_call_id, tool_name: name, params: args, status, text, background }
  return background ? { ...block, task_id: tool_call_id } : block
}

/** Returns the error of a call that has ended without a value. */
function toError({ status, error, reason, user_message, comments }: CallView): CallViewError {
  if (error) return error
  const details = { status, ...(user_message !== undefined && { user_message }), ...(comments && { comments }) }
  return { code: CODE_BY_STATUS[status] ?? 'EXECUTION_ERROR', message: reason ?? status, recoverable: false, details }
}

const CODE_BY_STATUS: Readonly<Record<string, string>> = {
  rejected: 'PERMISSION_DENIED',
  cancelled: 'CANCELLED',
  expired: 'TIMEOUT'
}

/** The value of a call that succeeded, or the error that the toolset's document makes of it. */
type EnvelopeContent = { value: unknown } | { error: CallViewError }

/** Wraps a call in its toolset's envelope. */
export function wrapInEnvelope(name: EnvelopeName, named: NamedCallView, content: () => EnvelopeContent): unknown {
  const envelope: Envelope = ENVELOPES[name]
  const { call } = named
  if (call.status === 'success') {
    const made = content()
    return 'error' in made ? envelope.failed(named, made.error) : envelope.done(named, made.value)
  }
  if (call.status === 'awaiting_approval') return APPROVAL_FORMATS[envelope.waiting](named)
  if (call.status === 'queued' || call.status === 'running') return envelope.open(named)
  return envelope.failed(named, toError(call))
}
