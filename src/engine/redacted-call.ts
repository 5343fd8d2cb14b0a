// Redacts credentials in the params of calls, before these are published or stored.
import { isDeepStrictEqual } from 'node:util'
import type { Call } from '../protocol/calls.ts'
import { redactNamedCredentials } from '../text/secrets/credentials.ts'
import { type Engine, getCallScope } from './engine.ts'

type CallParams = Pick<Call, 'params' | 'requested_params'>

/** Returns the params of a call, and the requested ones if they differ, without credentials. The call itself runs with them. */
export const redactParams = (
  { masking }: Pick<Engine, 'masking'>,
  { params, requested_params }: CallParams
): CallParams => ({
  params: redactOnce(masking, params),
  ...(requested_params !== undefined && { requested_params: redactOnce(masking, requested_params) })
})

/** Params by their redacted form, since a call takes several steps with the same. */
const redactions = new WeakMap<object, unknown>()

/** Returns the same value if it holds no secret. */
function redactOnce(masking: Engine['masking'], value: unknown): unknown {
  const isObject = typeof value === 'object' && value !== null
  if (isObject && redactions.has(value)) return redactions.get(value)
  const masked = masking.maskValue(redactNamedCredentials(value))
  const redacted = isDeepStrictEqual(masked, value) ? value : masked
  if (isObject) redactions.set(value, redacted)
  return redacted
}

export const redactCall = <C extends Call>(engine: Pick<Engine, 'masking'>, call: C): C => ({
  ...call,
  ...redactParams(engine, call)
})

/** Builds the event that announces a call, or a call that waits again. */
export const toolCallEvent = (engine: Engine, call: Call) => ({
  type: 'tool.call' as const,
  ...getCallScope(call),
  tool: call.tool,
  ...redactParams(engine, call),
  ...(call.toolset !== undefined && { toolset: call.toolset, requested_tool: call.requested_tool! }),
  client: call.client,
  ...(call.executor !== undefined && { executor: call.executor }),
  requires_approval: call.status === 'awaiting_approval',
  ...(call.agent !== undefined && { agent: call.agent }),
  ...(call.context !== undefined && { context: call.context }),
  ...(call.trace && { trace: call.trace }),
  ...(call.hooks && { hooks: call.hooks }),
  ...(call.status === 'awaiting_approval' && { approval: call.approval })
})
