// What is refused whatever any rule says: nothing lifts it but a flag at start.
import type { ErrorCode } from '../../errors.ts'
import type { MatchedRule } from '../call.ts'
import { byEffect } from './default-decision.ts'
import { nameOf } from './minimum-levels.ts'
import type { Question, Rulebook } from './policy-input.ts'

interface Refused {
  tier: MatchedRule['tier']
  code: ErrorCode
  reason: string
}

type Refuse = (question: Question, rulebook: Rulebook) => Refused | undefined

export function refusalOf(question: Question, rulebook: Rulebook): Refused | undefined {
  for (const refuse of REFUSALS) {
    const refused = refuse(question, rulebook)
    if (refused) return refused
  }
  return undefined
}

const REFUSALS: Refuse[] = [
  ({ paths }) => {
    const hit = paths.find(used => used.protected === 'all' || (used.protected === 'write' && used.access === 'write'))
    return hit && { tier: 'built-in', code: 'SENSITIVE_PATH', reason: `${nameOf(hit)} is protected` }
  },
  ({ command }) =>
    command?.class === 'block'
      ? {
          tier: 'built-in',
          code: 'COMMAND_BLOCKED',
          reason: `The command is never run: ${uncapitalised(command.reason)}`
        }
      : undefined,
  // What runs by itself is kept from changing anything.
  (question, { read_only }) =>
    read_only && question.effect !== 'read' && !(question.effect === 'execute' && runsByItself(question))
      ? { tier: 'server', code: 'PERMISSION_DENIED', reason: READ_ONLY[String(read_only)]! }
      : undefined,
  ({ paths, command, may_approve }, { sensitive_call_only }) => {
    if (may_approve || sensitive_call_only === 'ask') return undefined
    const named = command?.parts.flatMap(({ operands }) => operands) ?? []
    const secret = [...paths, ...named].find(used => used.sensitive && used.access === 'read')
    return (
      secret && {
        tier: 'built-in',
        code: 'SENSITIVE_PATH',
        reason: `${nameOf(secret)} may hold credentials, which a call-only token may not read.`
      }
    )
  }
]

const READ_ONLY: Record<string, string> = {
  true: 'The server was started read-only.',
  agent: 'This agent may only read.'
}

const runsByItself = (question: Question) => byEffect(question).decision === 'allow'

const uncapitalised = (sentence: string) => sentence.charAt(0).toLowerCase() + sentence.slice(1)
