// Prefilter on the raw text, before parsing: rejects characters that parsers, shells and people read differently.
import { type CommandIssue, TOO_DEEP } from './parsed-command-line.ts'

export const MAX_COMMAND_LENGTH = 65_536
/** Maximum number of opening brackets, more than anyone nests, to bound parsing time. */
const MAX_OPENINGS = 200

/** Control characters except tab and newline, non-space blanks, bidirectional controls, and invisible characters. */
const MISLEADING = /[^\P{Cc}\t\n]|[^\P{Zs} ]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u
/** Whitespace that is long enough to push the rest out of view. */
const PADDING = /[ \t]{64}|\n{24}/
const OPENINGS = /\$[({[]|[<>(]\(|`|<</g

/** Returns true if a text may read differently from how it runs. */
const isMisleading = (command: string) => MISLEADING.test(command)

/** Returns the reason that the text needs approval, whatever it contains; `readable` if it is still worth parsing. */
export function prefilterCommand(command: string): (CommandIssue & { readable: boolean }) | undefined {
  if (command.length > MAX_COMMAND_LENGTH)
    return { class: 'block', reason: `Longer than ${MAX_COMMAND_LENGTH} characters.`, readable: false }
  if ((command.match(OPENINGS)?.length ?? 0) > MAX_OPENINGS) return { ...TOO_DEEP, readable: false }
  if (isMisleading(command))
    return {
      class: 'strict',
      irrevocable: true,
      reason: 'Contains invisible characters, so the command may differ from its appearance.',
      readable: !command.includes('\0')
    }
  if (command.includes('\\\n'))
    return {
      class: 'strict',
      reason: 'A backslash joins two lines: shells and parsers may split such lines differently.',
      readable: true
    }
  if (PADDING.test(command))
    return {
      class: 'strict',
      irrevocable: true,
      reason: 'A long run of spaces may hide what follows it.',
      readable: true
    }
  return undefined
}
