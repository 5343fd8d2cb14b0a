// What a command is about to do that the level it runs in does not let it: told before anybody lets it run in vain.
import type { Isolation } from '../../host/sandbox/sandbox.ts'
import { visible } from '../../text/escape-invisible.ts'
import type { JudgedCommand, JudgedPart } from './policy-input.ts'

type Level = Isolation['level']

/** Whether the level keeps it from changing the repository, which it is there for. */
export const keepsGit = ({ parts }: JudgedCommand, level: Level) =>
  isSandbox(level) && parts.some(part => part.writes_git)

export function hindrances(command: JudgedCommand, { level }: Isolation): string[] {
  if (!isSandbox(level)) return []
  const secrets = [...new Set(command.parts.flatMap(secretsRead))].map(visible)
  return [
    ...(keepsGit(command, level)
      ? [`The sandbox \`${level}\` keeps .git read-only, so this will fail: ask with isolation none.`]
      : []),
    ...(secrets.length > 0
      ? [
          `The sandbox \`${level}\` hides ${listed(secrets)}, so this will not show what is in ` +
            `${secrets.length > 1 ? 'them' : 'it'}: ask with isolation none.`
        ]
      : [])
  ]
}

const isSandbox = (level: Level) => level === 'workspace' || level === 'strict'

/** Outside the workspace nothing is hidden, since nothing is there. */
const secretsRead = ({ operands }: JudgedPart) =>
  operands.flatMap(({ access, sensitive, resolved }) =>
    access === 'read' && sensitive && resolved !== undefined ? [resolved] : []
  )

const listed = (names: readonly string[]) =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
