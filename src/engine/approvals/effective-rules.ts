// What policy goes by for a call: the rules that are for its agent, its session and its workspace, and what they all may do.
import { entryName, entryOf, type TierRule } from '../../config/agents.ts'
import type { Live } from '../active-call.ts'
import type { Engine } from '../engine.ts'
import type { Rulebook } from '../policy/policy-input.ts'

/** What policy goes by for a call, right now. */
export function rulebook({ settings, rules }: Engine, { call, may_approve, ctx }: Live): Rulebook {
  const { administrator, user, workspace } = settings.tiers
  const asker = { agent: call.agent, may_approve }
  const entry = entryName(settings.agents, asker)
  const isFor = ({ for_agent }: TierRule) => for_agent === undefined || for_agent === entry
  const { root } = ctx.workspace
  return {
    now: Date.now(),
    read_only: settings.read_only || (entryOf(settings.agents, asker)?.read_only ? 'agent' : false),
    sensitive_call_only: settings.sensitive.call_only,
    ask_for_unsaved: settings.buffers.on_write === 'ask',
    administrator: administrator.filter(isFor),
    user: user.filter(isFor),
    remembered: rules.inForce(call.session_id, root),
    workspace: workspace.filter(rule => isFor(rule) && (rule.workspace === undefined || rule.workspace === root))
  }
}
