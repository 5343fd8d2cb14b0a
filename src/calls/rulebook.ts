// What policy goes by for a call of a session in a workspace, right now.
import type { Engine } from './engine.ts'
import type { Rulebook } from './question.ts'

export const rulebook = ({ settings, rules }: Engine, session_id: string, root: string): Rulebook => ({
  now: Date.now(),
  read_only: settings.read_only,
  sensitive_call_only: settings.sensitive.call_only,
  ask_for_unsaved: settings.buffers.on_write === 'ask',
  administrator: settings.tiers.administrator,
  user: settings.tiers.user,
  remembered: rules.inForce(session_id, root),
  workspace: settings.tiers.workspace.filter(rule => rule.workspace === undefined || rule.workspace === root)
})
