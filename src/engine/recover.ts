// Crash recovery of calls at the start of the server: calls that were waiting for approval continue to wait; calls that were
// approved but had not been started are queued again, with what they would do checked against the decision; calls that were
// running become `interrupted` and never run again automatically.
import { ToolError } from '../errors.ts'
import type { Change } from '../host/change.ts'
import type { Call } from '../protocol/calls.ts'
import { ActiveCall } from './active-call.ts'
import { isOverdue } from './approvals/decide.ts'
import { withoutApprovals } from './approvals/joint-approval.ts'
import { withLimitedPreview } from './approvals/preview-limits.ts'
import { requestApproval } from './approvals/request-approval.ts'
import { toolForExecutor } from './client-execution.ts'
import { createCallServices } from './create-call-services.ts'
import { MISSING_TOOL } from './current-tool.ts'
import { type Engine, registerCall } from './engine.ts'
import { redactCall } from './redacted-call.ts'
import { isResumable, type ResumableCall, resumeCall } from './run.ts'
import { settleError, settleExpired, settleInterrupted } from './settle.ts'

/** Recovers the calls that had not ended, with the changes that they made. Resolves when their new state is durable. */
export async function recoverCalls(engine: Engine, changes: ReadonlyMap<string, readonly Change[]>): Promise<void> {
  await engine.jobs.recover()
  const calls = engine.store.openCalls().map(({ head, params, owner }) => ({
    call: withLimitedPreview({ ...(JSON.parse(head) as Call), ...(params !== null && JSON.parse(params)) }),
    owner
  }))
  await Promise.all(
    calls.map(({ call, owner }) => recoverCall(engine, call, { owner, changes: changes.get(call.tool_call_id) ?? [] }))
  )
}

async function recoverCall(
  engine: Engine,
  call: Call,
  { owner, changes }: { owner: string | null; changes: readonly Change[] }
) {
  const workspace = engine.workspaces.get(call.workspace)
  const tool = engine.tools.find(call.tool, { agent: call.agent, workspace: call.workspace }) ?? MISSING_TOOL
  const live = new ActiveCall({
    call,
    tool: toolForExecutor(tool, call),
    owner: owner ?? undefined,
    // A call that a person decides on was not denied, so only the approver's rights matter from here on.
    may_approve: true,
    abort: new AbortController(),
    sinceSeq: engine.journal.last,
    redact: value => redactCall(engine, value),
    services: self => createCallServices(engine, self, workspace ?? [...engine.workspaces.values()][0]!)
  })
  live.changes.push(...changes)
  registerCall(engine, live)
  // The start is durable before any effect, so a call that is stored as queued has had none.
  if (call.status === 'running')
    return settleInterrupted(engine, live, 'The server ended while the call was running. The call is not run again.')
  if (!workspace)
    return settleError(
      engine,
      live,
      new ToolError('UNKNOWN_TOOL', 'The server no longer serves the workspace of the call.')
    )
  if (isOverdue(call)) return settleExpired(engine, live)
  if (call.status === 'awaiting_approval') {
    live.isDirty = false
    return
  }
  if (!isResumable(call))
    return settleInterrupted(
      engine,
      live,
      'The server ended before the call was started or had any effect. Send the call again.'
    )
  // A tool that is not served may still appear: MCP servers are queried later.
  if (tool === MISSING_TOOL) return requestApprovalAgain(engine, live, call)
  resumeCall(engine, live).catch(error =>
    engine.log.error({ err: error, tool_call_id: call.tool_call_id }, 'failed to settle a call')
  )
}

async function requestApprovalAgain(engine: Engine, live: ActiveCall, { approved_by: _, ...call }: ResumableCall) {
  const approval = withoutApprovals(call.approval)
  await requestApproval(engine, live, { ...call, status: 'awaiting_approval', approval })
}
