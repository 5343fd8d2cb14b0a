// Effective rules of a call: those for its agent, its session and its workspace, and the limits that apply to all.
import { findAgentEntry, findAgentEntryName, type TierRule } from '../../config/agents.ts'
import type { SessionMode } from '../../protocol/session-mode.ts'
import { steadyNow } from '../../steady-time.ts'
import type { ActiveCall } from '../active-call.ts'
import type { Engine } from '../engine.ts'
import type { EffectiveRules } from '../policy/policy-input.ts'
import { isAboutReading } from '../policy/rules.ts'
import type { SavedRules } from './saved-rules.ts'
import type { SessionModes } from './session-modes.ts'

/** The rules and modes that are in force. */
export interface RulesInForce {
  settings: Pick<Engine['settings'], 'tiers' | 'agents' | 'approval' | 'read_only' | 'sensitive' | 'buffers'>
  rules: Pick<SavedRules, 'inForce'>
  modes: { find(session: Parameters<SessionModes['find']>[0]): { mode: SessionMode } | undefined }
  hub: Pick<Engine['hub'], 'rules'>
}

/**
 * Returns the globs of the paths of a workspace that rules deny or ask about, or the reading of them, whatever else a call is: for which
 * agent, in which session, by which tool.
 */
export function listGuardedGlobs(
  { settings, rules, hub }: Pick<Engine, 'settings' | 'rules' | 'hub'>,
  root: string
): string[] {
  const { administrator, user, workspace } = settings.tiers
  const own = workspace.filter(rule => rule.workspace === undefined || rule.workspace === root)
  const configured = [...administrator, ...hub.rules.restricting, ...user, ...own]
  const saved = rules.list().filter(rule => rule.scope === 'user' || rule.workspace === root)
  const globs = [...configured, ...saved].flatMap(({ effect, match }) => {
    const { path, effect: _, ...others } = match
    const isForAllCalls = Object.keys(others).length === 0 && (match.effect === undefined || isAboutReading(match))
    return effect !== 'allow' && path !== undefined && isForAllCalls ? [path] : []
  })
  return [...new Set(globs)]
}

/** Returns the rules and limits that apply to a call now. */
export function getEffectiveRules(
  { settings, rules, modes, hub }: RulesInForce,
  { call, owner, may_approve, workspace: { root, name } }: ActiveCall
): EffectiveRules {
  const { administrator, user, workspace } = settings.tiers
  const asker = { agent: call.agent, may_approve }
  const entry = findAgentEntryName(settings.agents, asker)
  const isFor = ({ for_agent }: TierRule) => for_agent === undefined || for_agent === entry
  const agent = findAgentEntry(settings.agents, asker)
  const session = { session_id: call.session_id, workspace: name, token_id: owner }
  const mode = modes.find(session)?.mode ?? agent?.mode ?? settings.approval.mode
  return {
    now: steadyNow(),
    readOnly: settings.read_only || (agent?.read_only ? 'agent' : mode === 'plan' ? 'mode' : false),
    mode,
    sensitiveCallOnly: settings.sensitive.call_only,
    askForUnsaved: settings.buffers.on_write === 'ask',
    administrator: [...administrator.filter(isFor), ...hub.rules.restricting],
    user: [...user.filter(isFor), ...hub.rules.allowing],
    saved: rules.inForce({ session_id: call.session_id, owner }, root),
    workspace: workspace.filter(rule => isFor(rule) && (rule.workspace === undefined || rule.workspace === root))
  }
}
