// How a call that waits for a decision is told to whoever decides.
import type { Named } from '../call-view.ts'

/** What a decision on a strict call must name. */
const toConfirm = ({ call: { approval } }: Named) => ({
  level: approval!.level,
  digest: approval!.digest,
  preview: approval!.preview
})

export const APPROVALS = {
  call: ({ call }: Named): unknown => call,

  step: (named: Named): unknown => ({
    stepId: named.call.tool_call_id,
    tool: named.name,
    args: named.args,
    reason: named.call.approval!.reason,
    ...toConfirm(named)
  }),

  dialog: (named: Named): unknown => ({
    status: named.call.status,
    tool_call_id: named.call.tool_call_id,
    tool: named.name,
    params: named.args,
    requires_approval: true,
    ...(named.call.context !== undefined && { context: named.call.context }),
    reason: named.call.approval!.reason,
    ...toConfirm(named),
    always_options: named.call.approval!.always_options
  }),

  block: (named: Named): unknown => ({
    call_id: named.call.tool_call_id,
    tool_name: named.name,
    params: named.args,
    status: 'Pending',
    text: '',
    background: named.call.background,
    reason: named.call.approval!.reason,
    ...toConfirm(named)
  })
}

export type ApprovalName = keyof typeof APPROVALS
