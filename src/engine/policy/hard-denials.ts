// Hard denials: no rule overrides them, only a flag at startup.

import type { MatchedRule } from '../../protocol/decisions.ts'
import type { ErrorCode } from '../../protocol/error-codes.ts'
import { decideByDefault } from './default-decision.ts'
import { formatGivenPath } from './guarded-files.ts'
import type { EffectiveRules, PolicyInput } from './policy-input.ts'

interface HardDenial {
  tier: MatchedRule['tier']
  code: ErrorCode
  reason: string
}

type HardDenialCheck = (question: PolicyInput, rulebook: EffectiveRules) => HardDenial | undefined

export function findHardDenial(question: PolicyInput, rulebook: EffectiveRules): HardDenial | undefined {
  for (const refuse of HARD_DENIALS) {
    const refused = refuse(question, rulebook)
    if (refused) return refused
  }
  return undefined
}

const HARD_DENIALS: HardDenialCheck[] = [
  ({ paths }) => {
    const hit = paths.find(used => used.protected === 'all' || (used.protected === 'write' && used.access === 'write'))
    return hit && { tier: 'built-in', code: 'SENSITIVE_PATH', reason: `${formatGivenPath(hit)} is protected` }
  },
  ({ command }) =>
    command?.class === 'block'
      ? {
          tier: 'built-in',
          code: 'COMMAND_BLOCKED',
          reason: `Blocked command: ${uncapitalised(command.reason)}`
        }
      : undefined,
  // Denies changes in read-only mode.
  (question, rulebook) =>
    rulebook.readOnly &&
    question.effect !== 'read' &&
    !(question.effect === 'execute' && isAllowedByDefault(question, rulebook))
      ? { tier: 'server', code: 'PERMISSION_DENIED', reason: READ_ONLY_REASONS[String(rulebook.readOnly)]! }
      : undefined,
  ({ paths, command, may_approve }, { sensitiveCallOnly }) => {
    if (may_approve || sensitiveCallOnly === 'ask') return undefined
    const named = command?.parts.flatMap(({ operands }) => operands) ?? []
    const secret = [...paths, ...named].find(used => used.sensitive && used.access === 'read')
    return (
      secret && {
        tier: 'built-in',
        code: 'SENSITIVE_PATH',
        reason: `${formatGivenPath(secret)} may contain credentials. Calls with a call-only token cannot read it.`
      }
    )
  }
]

const READ_ONLY_REASONS: Record<string, string> = {
  true: 'The server is read-only: the setting `read_only` denies calls that can change something.',
  agent: 'This agent is read-only: its setting `read_only` denies calls that can change something.',
  mode: 'The session is in mode `plan`, which is read-only. A person can change the mode.'
}

const isAllowedByDefault = (question: PolicyInput, { mode }: EffectiveRules) =>
  decideByDefault(question, mode).decision === 'allow'

const uncapitalised = (sentence: string) => sentence.charAt(0).toLowerCase() + sentence.slice(1)
