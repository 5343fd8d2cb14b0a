// Calls as those hear of them who only follow what happens: without the secrets that their params may hold.

import type { Live } from './active-call.ts'
import type { Call } from './call.ts'
import { about, type Engine } from './engine.ts'

type Asked = Pick<Call, 'params' | 'requested_params' | 'toolset'>

/** What a call runs with, and what it was asked with where that is something else. Where params may hold secrets, only those
 * by the tool's own names can be told without: a toolset may call them otherwise. */
export function toldAsked(
  { masking }: Pick<Engine, 'masking'>,
  { tool }: Pick<Live, 'tool'>,
  { params, requested_params, toolset }: Asked
): Pick<Asked, 'params' | 'requested_params'> {
  const told = (value: unknown) => (tool.told ? masking.maskedAll(tool.told(value)) : value)
  const hides = requested_params === undefined || (tool.told && toolset !== undefined)
  return { params: told(params), ...(!hides && { requested_params: told(requested_params) }) }
}

export function toldCall<C extends Call>(engine: Engine, live: Live, call: C): C {
  if (!live.tool.told) return call
  const { requested_params: _, ...rest } = call
  return { ...rest, ...toldAsked(engine, live, call) } as C
}

/** The event that tells of a call, or of a call that waits anew. */
export const toolCall = (engine: Engine, live: Live, call: Call) => ({
  type: 'tool.call' as const,
  ...about(call),
  tool: call.tool,
  ...toldAsked(engine, live, call),
  ...(call.toolset !== undefined && { toolset: call.toolset, requested_tool: call.requested_tool! }),
  client: call.client,
  requires_approval: call.status === 'awaiting_approval',
  ...(call.agent !== undefined && { agent: call.agent }),
  ...(call.context !== undefined && { context: call.context }),
  ...(call.hooks && { hooks: call.hooks }),
  ...(call.status === 'awaiting_approval' && { approval: call.approval })
})
