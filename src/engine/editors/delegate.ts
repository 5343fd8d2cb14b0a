// Delegation from a tool to a front end: selects the one closest to the call, and turns a refusal into an error.
import { ToolError } from '../../errors.ts'
import {
  type Delegate,
  type DelegationResult,
  type EffectParams,
  FRONT_END_EFFECTS,
  type FrontEndEffect
} from '../../protocol/front-end.ts'
import type { ActiveCall } from '../active-call.ts'
import { type Engine, getCallScope } from '../engine.ts'

export function createDelegate({ delegations, front_ends }: Engine, live: ActiveCall): Delegate {
  const choose = (effect: FrontEndEffect) => front_ends.choose(effect, getCallScope(live.call), live.call.client)
  async function delegate<E extends FrontEndEffect>(
    effect: E,
    params: EffectParams<E>,
    { ms = FRONT_END_EFFECTS[effect].ms }: { ms?: number } = {}
  ): Promise<DelegationResult<E>> {
    const { client_id, client } = choose(effect)
    const { signal } = live.abort
    const answer = await delegations.request(
      getCallScope(live.call),
      { effect, client_id, params },
      { ms, signal, share: live.share }
    )
    if (answer.status === 'done') return { answer, client_id, client }
    const why = answer.reason === undefined ? '.' : `: ${answer.reason}`
    throw new ToolError('PERMISSION_DENIED', `${client} refused ${effect}${why}`, { client, client_id, effect })
  }
  return Object.assign(delegate, { assertAvailable: (effect: FrontEndEffect) => void choose(effect) })
}
