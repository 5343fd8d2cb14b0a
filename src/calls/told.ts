// Calls as those hear of them who only follow what happens: without the secrets that their params may hold.
import type { Call } from './call.ts'
import type { Engine } from './engine.ts'
import type { Live } from './live.ts'

export function toldParams(
  { masking }: Pick<Engine, 'masking'>,
  { tool }: Pick<Live, 'tool'>,
  params: unknown
): unknown {
  return tool.told ? masking.maskedAll(tool.told(params)) : params
}

export function toldCall<C extends Call>(engine: Engine, live: Live, call: C): C {
  if (!live.tool.told) return call
  const { params, requested_params } = call
  const told = (value: unknown) => toldParams(engine, live, value)
  return {
    ...call,
    params: told(params),
    ...(requested_params !== undefined && { requested_params: told(requested_params) })
  }
}
