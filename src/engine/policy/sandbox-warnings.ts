// Warnings for the approver about effects of a command that its sandbox level blocks.
import type { Isolation } from '../../host/sandbox/sandbox.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import type { CommandFacts, CommandPartFacts } from './policy-input.ts'

type Level = Isolation['level']

/** Returns true if the sandbox blocks a change of the repository that the command makes. */
export const blocksGitWrites = ({ parts }: CommandFacts, level: Level) =>
  isSandbox(level) && parts.some(part => part.writesGit)

export function findSandboxWarnings(command: CommandFacts, { level }: Isolation): string[] {
  if (!isSandbox(level)) return []
  const secrets = [...new Set(command.parts.flatMap(listSecretsRead))].map(escapeInvisible)
  return [
    ...(blocksGitWrites(command, level)
      ? [`The sandbox \`${level}\` keeps .git read-only, so this will fail: ask with isolation none.`]
      : []),
    ...(secrets.length > 0
      ? [
          `The sandbox \`${level}\` hides ${joinNames(secrets)}, so this will not show what is in ` +
            `${secrets.length > 1 ? 'them' : 'it'}: ask with isolation none.`
        ]
      : [])
  ]
}

const isSandbox = (level: Level) => level === 'workspace' || level === 'read-only'

/** Outside the workspace nothing is hidden, since nothing is mounted there. */
const listSecretsRead = ({ operands }: CommandPartFacts) =>
  operands.flatMap(({ access, sensitive, resolved }) =>
    access === 'read' && sensitive && resolved !== undefined ? [resolved] : []
  )

const joinNames = (names: readonly string[]) =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
