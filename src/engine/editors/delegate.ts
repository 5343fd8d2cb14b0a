// How a tool asks a front end: the one that is nearest to the call is chosen, and what it refuses is an error.
import { ToolError } from '../../errors.ts'
import {
  type Delegate,
  type Delegated,
  type EffectParams,
  FRONT_END_EFFECTS,
  type FrontEndEffect
} from '../../tool/front-end.ts'
import type { Live } from '../active-call.ts'
import { about, type Engine } from '../engine.ts'

export function delegateOf({ delegations, front_ends }: Engine, live: Live): Delegate {
  const choose = (effect: FrontEndEffect) => front_ends.choose(effect, about(live.call), live.call.client)
  async function delegate<E extends FrontEndEffect>(
    effect: E,
    params: EffectParams<E>,
    { ms = FRONT_END_EFFECTS[effect].ms }: { ms?: number } = {}
  ): Promise<Delegated<E>> {
    const { client_id, client } = choose(effect)
    const { signal } = live.abort
    const answer = await delegations.ask(about(live.call), { effect, client_id, params }, { ms, signal })
    if (answer.status === 'done') return { answer, client_id, client }
    const why = answer.reason === undefined ? '.' : `: ${answer.reason}`
    throw new ToolError('PERMISSION_DENIED', `${client} refused ${effect}${why}`, { client, client_id, effect })
  }
  return Object.assign(delegate, { must_reach: (effect: FrontEndEffect) => void choose(effect) })
}
