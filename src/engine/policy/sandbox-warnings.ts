// Warnings for the approver about effects of a command that its sandbox level blocks.
import type { LevelState } from '../../host/sandbox/sandbox.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import type { CommandFacts, CommandPartFacts } from './policy-input.ts'

/** The level that a command runs at. */
interface CommandLevel extends Pick<LevelState, 'level'> {
  exposesWorkspace?: boolean | undefined
}

/** Returns true if the sandbox blocks a change of the repository that the command makes. */
export const blocksGitWrites = ({ parts }: CommandFacts, level: CommandLevel) =>
  protectsWorkspace(level) && parts.some(part => part.writesGit)

export function findSandboxWarnings(command: CommandFacts, isolation: CommandLevel): string[] {
  if (!protectsWorkspace(isolation)) return []
  const { level } = isolation
  const secrets = [...new Set(command.parts.flatMap(listSecretsRead))].map(escapeInvisible)
  return [
    ...(blocksGitWrites(command, isolation)
      ? [
          `The call will fail: .git is read-only in the sandbox \`${level}\`. Reject the call, and ask the agent to use isolation none.`
        ]
      : []),
    ...(secrets.length > 0
      ? [
          `The sandbox \`${level}\` hides ${joinNames(secrets)}, so the command cannot read ${secrets.length > 1 ? 'them' : 'it'}. ` +
            'If the command needs the content, reject the call, and ask the agent to use isolation none.'
        ]
      : [])
  ]
}

const protectsWorkspace = ({ level, exposesWorkspace }: CommandLevel) =>
  (level === 'workspace' || level === 'read-only') && !exposesWorkspace

/** Outside the workspace nothing is hidden, since nothing is mounted there. */
const listSecretsRead = ({ operands }: CommandPartFacts) =>
  operands.flatMap(({ access, sensitive, resolved }) =>
    access === 'read' && sensitive && resolved !== undefined ? [resolved] : []
  )

const joinNames = (names: readonly string[]) =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
