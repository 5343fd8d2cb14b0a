// Redacts secrets from calls before they are published to event subscribers.

import type { ActiveCall } from './active-call.ts'
import type { Call } from './call.ts'
import { type Engine, getCallScope } from './engine.ts'

type CallParams = Pick<Call, 'params' | 'requested_params' | 'toolset'>

/**
 * Returns the params of a call, and the requested ones if they differ. If params may contain secrets, only those under the tool's
 * native names can be redacted: a toolset may name them differently.
 */
export function redactParams(
  { masking }: Pick<Engine, 'masking'>,
  { tool }: Pick<ActiveCall, 'tool'>,
  { params, requested_params, toolset }: CallParams
): Pick<CallParams, 'params' | 'requested_params'> {
  const redact = (value: unknown) => (tool.redact ? masking.maskValue(tool.redact(value)) : value)
  const hides = requested_params === undefined || (tool.redact && toolset !== undefined)
  return { params: redact(params), ...(!hides && { requested_params: redact(requested_params) }) }
}

export function redactCall<C extends Call>(engine: Engine, live: ActiveCall, call: C): C {
  if (!live.tool.redact) return call
  const { requested_params: _, ...rest } = call
  return { ...rest, ...redactParams(engine, live, call) } as C
}

/** Builds the event that announces a call, or a call that waits again. */
export const toolCallEvent = (engine: Engine, live: ActiveCall, call: Call) => ({
  type: 'tool.call' as const,
  ...getCallScope(call),
  tool: call.tool,
  ...redactParams(engine, live, call),
  ...(call.toolset !== undefined && { toolset: call.toolset, requested_tool: call.requested_tool! }),
  client: call.client,
  requires_approval: call.status === 'awaiting_approval',
  ...(call.agent !== undefined && { agent: call.agent }),
  ...(call.context !== undefined && { context: call.context }),
  ...(call.hooks && { hooks: call.hooks }),
  ...(call.status === 'awaiting_approval' && { approval: call.approval })
})
