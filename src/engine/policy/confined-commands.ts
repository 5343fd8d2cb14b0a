// Strict commands that the sandbox confines: it is only unclear what they do, so that they are asked about like others.
import { classifyGuardedOperand } from './guarded-files.ts'
import type { CallFacts } from './policy-input.ts'

/**
 * Returns true if the command's effects are confined to the workspace, so that it may do no more than any program of the workspace:
 * it is neither known to do what cannot be undone, nor names files that are secret, protected or executed by other programs.
 */
export function isConfined({ command, isolation }: Pick<CallFacts, 'command' | 'isolation'>): boolean {
  if (!command || command.irrevocable || !isolation || isolation.exposesWorkspace || isolation.requested) return false
  if (isolation.level !== 'workspace' && isolation.level !== 'read-only') return false
  return command.parts.every(
    ({ unresolved, operands }) =>
      !unresolved && operands.every(operand => classifyGuardedOperand(operand) === undefined)
  )
}
