// Reading git commands that could print secrets of the history although git leaves out files by their names: with these arguments
// they need approval.
import type { ParsedArguments } from './parse-arguments.ts'

/** Commands that print changes of files, with common flags. */
const DIFF_COMMANDS = new Set(
  'diff log show whatchanged diff-tree diff-index diff-files stash reflog shortlog rev-list'.split(' ')
)
/** Commands that print the object that an id denotes, whatever its name. */
const OBJECT_COMMANDS = new Set([...DIFF_COMMANDS, 'cat-file', 'grep'])
/** Git then takes files for text that its attributes declare to be none. */
const AS_TEXT_FLAGS = ['-a', '--text', '--binary']

/** Matches an abbreviated or full object id, also peeled (`1f3a^{}`), or as `git describe` prints it. */
const OBJECT_ID = /^(?:\^|[^:]+-g)?([0-9a-f]{4,64})(?:\^\{[^}]*\})*$/i

/** Returns the reason for which a reading command may print secrets of the history; undefined if it does not. */
export function findHistoryExposure(command: string, { flags, operands, delimiterIndex }: ParsedArguments) {
  if (DIFF_COMMANDS.has(command)) {
    const asText = AS_TEXT_FLAGS.find(flag => flags.has(flag))
    if (asText !== undefined) return `With ${asText} git prints files of the history that may hold credentials.`
    if (flags.has('-S'))
      return 'With -S git searches files of the history that may hold credentials; with -G it leaves them out.'
  }
  if (command === 'grep' && !flags.has('-I')) {
    const words = operands.slice(flags.has('-e') ? 0 : 1, delimiterIndex)
    const namesRevision =
      words.length > 0 && (delimiterIndex !== undefined || words.some(word => REVISION_SYNTAX.test(word)))
    if (flags.has('--cached') || namesRevision) return SEARCHES_HISTORY
  }
  return undefined
}

/** Reason for `git grep` with a revision: a word that names no file may be one. */
export const SEARCHES_HISTORY =
  'It searches files of the history that may hold credentials; with -I git leaves them out.'
const REVISION_SYNTAX = /[~^{]|\.\.|^:\/|^(?:@|(?:[A-Z]+_)?HEAD)$/

/** Returns the object ids among the arguments of a command that prints what they denote. */
export function findObjectIds(command: string, { operands, delimiterIndex }: ParsedArguments): string[] {
  if (!OBJECT_COMMANDS.has(command)) return []
  return operands
    .slice(0, delimiterIndex)
    .flatMap(operand => operand.split(/\.{2,3}/))
    .flatMap(word => OBJECT_ID.exec(word)?.[1] ?? [])
}
