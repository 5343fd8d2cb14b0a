// Reading git commands that could print secrets of the history although git leaves out files by their names: with these arguments
// they need approval.
import type { ParsedArguments } from './parse-arguments.ts'

/** Commands that print changes of files, with common flags. */
const DIFF_COMMANDS = new Set(
  'diff log show whatchanged diff-tree diff-index diff-files stash reflog shortlog rev-list'.split(' ')
)
/** Commands that print the object that an id denotes, whatever its name. */
const OBJECT_COMMANDS = new Set([...DIFF_COMMANDS, 'cat-file', 'grep'])

/** Flags of these commands that disclose files which git leaves out otherwise, by what git does with them. */
const DISCLOSING_FLAGS: Readonly<Record<string, readonly string[]>> = {
  'prints files of the history that may hold credentials': ['-a', '--text', '--binary'],
  'searches files of the history that may hold credentials (with -G it leaves them out)': ['-S'],
  'prints lines of files under their former names': ['-L', '-M', '-C', '-B', '--find-renames', '--find-copies']
}

/** Matches an abbreviated or full object id, also peeled (`1f3a^{}`), before a path, or as `git describe` prints it. */
const OBJECT_ID = /^\^?([0-9a-f]{4,64})(?:\^\{[^}]*\})*(?::|$)/i
const DESCRIBED_ID = /-g([0-9a-f]{4,64})(?:\^\{[^}]*\})*$/i

/** Returns the reason for which a reading command may print secrets of the history; undefined if it does not. */
export function findHistoryExposure(command: string, { flags, operands, delimiterIndex }: ParsedArguments) {
  if (DIFF_COMMANDS.has(command))
    for (const [effect, disclosing] of Object.entries(DISCLOSING_FLAGS)) {
      const flag = disclosing.find(each => flags.has(each))
      if (flag !== undefined) return `With ${flag} git ${effect}.`
    }
  if (command === 'grep') {
    const words = operands.slice(flags.has('-e') ? 0 : 1, delimiterIndex)
    const namesRevision =
      words.length > 0 && (delimiterIndex !== undefined || words.some(word => REVISION_SYNTAX.test(word)))
    if (flags.has('--cached') || namesRevision) return SEARCHES_HISTORY
  }
  return undefined
}

/** Reason for `git grep` with a revision: a word that names no file may be one. */
export const SEARCHES_HISTORY = 'It searches files of the history that may hold credentials.'
const REVISION_SYNTAX = /[~^{]|\.\.|^:\/|^(?:@|(?:[A-Z]+_)?HEAD)$/

/** Returns the object ids among the arguments of a command that prints what they denote. */
export function findObjectIds(command: string, { operands, delimiterIndex }: ParsedArguments): string[] {
  if (!OBJECT_COMMANDS.has(command)) return []
  return operands
    .slice(0, delimiterIndex)
    .flatMap(operand => operand.split(/\.{2,3}/))
    .flatMap(word => (OBJECT_ID.exec(word) ?? DESCRIBED_ID.exec(word))?.[1] ?? [])
}
