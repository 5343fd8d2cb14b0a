// What is seen on the raw text, before any parser reads it: characters that parsers, shells and people read differently.
import { type CommandIssue, TOO_DEEP } from './parsed-command-line.ts'

export const MAX_COMMAND_LENGTH = 65_536
/** More openings than anyone nests, on which a parser would only spend time. */
const MAX_OPENINGS = 200

/** Controls but tab and newline, blanks that are no spaces, text directions, and what does not show. */
const MISLEADING = /[^\P{Cc}\t\n]|[^\P{Zs} ]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u
/** Enough to push what follows out of sight. */
const PADDING = /[ \t]{64}|\n{24}/
const OPENINGS = /\$[({[]|[<>(]\(|`|<</g

/** Whether a text reads otherwise than it runs. */
const isMisleading = (command: string) => MISLEADING.test(command)

/** Why the text may not run by itself, whatever it says; `readable` where it is still worth reading. */
export function prefilterCommand(command: string): (CommandIssue & { readable: boolean }) | undefined {
  if (command.length > MAX_COMMAND_LENGTH)
    return { class: 'block', reason: `It is longer than ${MAX_COMMAND_LENGTH} characters.`, readable: false }
  if ((command.match(OPENINGS)?.length ?? 0) > MAX_OPENINGS) return { ...TOO_DEEP, readable: false }
  if (isMisleading(command))
    return {
      class: 'strict',
      reason: 'The text holds characters that do not show, so it may not run as it reads.',
      readable: !command.includes('\0')
    }
  if (command.includes('\\\n'))
    return {
      class: 'strict',
      reason: 'A backslash joins lines, which shells and readers split differently.',
      readable: true
    }
  if (PADDING.test(command))
    return { class: 'strict', reason: 'A long run of blanks may hide what follows it.', readable: true }
  return undefined
}
