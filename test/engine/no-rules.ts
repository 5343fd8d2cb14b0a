// The rules of a server without any, to test policy with those that a test adds.
import type { EffectiveRules } from '../../src/engine/policy/policy-input.ts'

export const NO_RULES: EffectiveRules = {
  now: 0,
  readOnly: false,
  mode: 'ask',
  sensitiveCallOnly: 'deny',
  askForUnsaved: false,
  administrator: [],
  user: [],
  saved: [],
  workspace: []
}
