// Warnings for the approver about effects of a command that its sandbox level blocks, and the call to request instead.
import type { LevelState } from '../../host/sandbox/sandbox.ts'
import type { Alternative } from '../../protocol/calls.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import type { CommandFacts, CommandPartFacts } from './policy-input.ts'

/** The level that a command runs at. */
interface CommandLevel extends Pick<LevelState, 'level'> {
  exposesWorkspace?: boolean | undefined
}

/** Returns true if the sandbox blocks a change of the repository that the command makes. */
export const blocksGitWrites = ({ parts }: CommandFacts, level: CommandLevel) =>
  protectsWorkspace(level) && parts.some(part => part.writesGit)

interface SandboxWarnings {
  notes: string[]
  alternative?: Alternative
}

export function findSandboxWarnings(command: CommandFacts, isolation: CommandLevel): SandboxWarnings {
  if (!protectsWorkspace(isolation)) return { notes: [] }
  const { level } = isolation
  const secrets = [...new Set(command.parts.flatMap(listSecretsRead))].map(escapeInvisible)
  const willFail = blocksGitWrites(command, isolation)
  const notes = [
    ...(willFail
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
  if (notes.length === 0) return { notes }
  const obstacle = willFail ? '.git is read-only' : `${joinNames(secrets)} cannot be read`
  return {
    notes,
    alternative: {
      title: 'isolation none',
      user_message: `In the sandbox \`${level}\`, ${obstacle}. Send the call again with isolation none.`,
      ...(willFail && { call_will_fail: true as const })
    }
  }
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
