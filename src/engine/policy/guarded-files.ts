// Files that a command names and that need more than the usual approval: protected, secret, or executed by other programs.
import type { CommandPartFacts, OperandFacts, PathFacts } from './policy-input.ts'

type Classification = Pick<CommandPartFacts, 'class' | 'reason'>

/** Formats a path as the caller wrote it, with its target. */
export const formatGivenPath = ({ path, given }: Pick<PathFacts, 'path' | 'given'>) =>
  given === undefined ? path : `${JSON.stringify(given)} (${path})`

export const selfStartingReason = (name: string) =>
  `Programs execute or interpret ${name} automatically, so writing it can execute code.`

export const committedReason = (name: string) =>
  `Programs execute or interpret ${name} automatically, also when someone checks out the commit.`

/** Classifies an operand that is protected, may be a secret, or is a program that others execute. */
export function classifyGuardedOperand(operand: OperandFacts): Classification | undefined {
  const { access, path, resolved } = operand
  const name = resolved === undefined || resolved === path ? path : formatGivenPath({ path: resolved, given: path })
  if (operand.protected === 'all' || (operand.protected && access === 'write'))
    return { class: 'block', reason: `${name} is protected: Toolgate denies this access.` }
  if (operand.sensitive && access === 'read') return { class: 'strict', reason: `${name} may contain credentials.` }
  if (operand.self_starting && access === 'write') return { class: 'strict', reason: selfStartingReason(name) }
  return undefined
}
