// Formats of a waiting call for the approver.
import type { NamedCallView } from '../call-view.ts'

/** Returns the fields that a decision on a strict call must contain. */
const confirmationFields = ({ call: { approval } }: NamedCallView) => ({
  level: approval!.level,
  digest: approval!.digest,
  preview: approval!.preview,
  ...(approval!.approvals_needed !== undefined && {
    approvals_needed: approval!.approvals_needed,
    approvals: approval!.approvals ?? []
  })
})

export const APPROVAL_FORMATS = {
  call: ({ call }: NamedCallView): unknown => call,

  step: (named: NamedCallView): unknown => ({
    stepId: named.call.tool_call_id,
    tool: named.name,
    args: named.args,
    reason: named.call.approval!.reason,
    ...confirmationFields(named)
  }),

  dialog: (named: NamedCallView): unknown => ({
    status: named.call.status,
    tool_call_id: named.call.tool_call_id,
    tool: named.name,
    params: named.args,
    requires_approval: true,
    ...(named.call.context !== undefined && { context: named.call.context }),
    reason: named.call.approval!.reason,
    ...confirmationFields(named),
    always_options: named.call.approval!.always_options
  }),

  block: (named: NamedCallView): unknown => ({
    call_id: named.call.tool_call_id,
    tool_name: named.name,
    params: named.args,
    status: 'Pending',
    text: '',
    background: named.call.background,
    ...(named.call.background && { task_id: named.call.tool_call_id }),
    reason: named.call.approval!.reason,
    ...confirmationFields(named)
  })
}

export type ApprovalFormatName = keyof typeof APPROVAL_FORMATS
