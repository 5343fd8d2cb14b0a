// Reading git commands that could print secrets of the history although git leaves out files by their names: with these arguments
// they need approval.
import type { PrintedObjects } from '../command-line-analysis.ts'
import type { ParsedArguments } from './parse-arguments.ts'

/** Commands that print changes of files, with common flags. */
const DIFF_COMMANDS = new Set(
  'diff log show whatchanged diff-tree diff-index diff-files stash reflog shortlog rev-list'.split(' ')
)
/** Commands that print the object that an id denotes, whatever its name. */
const OBJECT_COMMANDS = new Set([...DIFF_COMMANDS, 'cat-file', 'grep'])

/** Flags of these commands that disclose files which git leaves out otherwise, by what git does with them. */
const DISCLOSING_FLAGS: Readonly<Record<string, readonly string[]>> = {
  'prints files of the history that may contain credentials': ['-a', '--text', '--binary'],
  'searches files of the history that may contain credentials (-G excludes them)': ['-S'],
  'prints lines of files under their former names': ['-L', '-M', '-C', '-B', '--find-renames', '--find-copies']
}

/** Commands that compare the folders which `REVISION:PATH` denotes. */
const COMPARING_COMMANDS = new Set(['diff', 'diff-tree', 'diff-index'])

/** Flags by which `git show` prints all that references denote. */
const REFERENCE_FLAGS = ['--all', '--branches', '--tags', '--remotes', '--glob']
/** Matches a format, or a key to sort by, with the content of what a reference denotes. */
const RAW_CONTENT = /%\(\*?raw\)|%\(\*?raw:(?!size)|^-?\*?raw\b/

/** Matches an object id as `git describe` prints it. */
const DESCRIBED_ID = /-g([0-9a-f]{4,64})(?:\^\{[^}]*\})*$/i

/** Returns the reason for which a reading command may print secrets of the history; undefined if it does not. */
export function findHistoryExposure(command: string, { flags, operands, values, delimiterIndex }: ParsedArguments) {
  if (DIFF_COMMANDS.has(command))
    for (const [effect, disclosing] of Object.entries(DISCLOSING_FLAGS)) {
      const flag = disclosing.find(each => flags.has(each))
      if (flag !== undefined) return `With ${flag} git ${effect}.`
    }
  if (command === 'show' && REFERENCE_FLAGS.some(flag => flags.has(flag)))
    return 'Prints Git objects, which may be files with credentials.'
  if ([...(values.get('--format') ?? []), ...(values.get('--sort') ?? [])].some(value => RAW_CONTENT.test(value)))
    return 'Prints the content of Git objects.'
  if (command === 'grep') {
    const words = operands.slice(flags.has('-e') ? 0 : 1, delimiterIndex)
    const namesRevision =
      words.length > 0 && (delimiterIndex !== undefined || words.some(word => REVISION_SYNTAX.test(word)))
    if (flags.has('--cached') || namesRevision) return SEARCHES_HISTORY
    const text = ['-a', '--text'].find(flag => flags.has(flag))
    if (text !== undefined) return `With ${text} git searches files of the index that may contain credentials.`
  }
  return undefined
}

/** Commands that print changes of files unless a flag asks for less. */
const PATCH_COMMANDS = new Set(['diff', 'show', 'whatchanged'])
/** Flags with which they print names and numbers only. */
const SUMMARY_FLAGS = (
  '-s --no-patch --stat --numstat --shortstat --dirstat --summary --name-only --name-status ' +
  '--raw --compact-summary --quiet'
).split(' ')
/** Flags with which all commands of this kind print changes, or reveal what is in them. */
const PATCH_FLAGS = [
  ...[
    '-p',
    '-u',
    '--patch',
    '-U',
    '--unified',
    '-W',
    '--function-context',
    '--word-diff',
    '--word-diff-regex',
    '--color-words'
  ],
  ...[
    '-S',
    '-G',
    '-L',
    '-c',
    '--cc',
    '-m',
    '--remerge-diff',
    '--diff-merges',
    '--binary',
    '--check',
    '--text',
    '-a',
    '-v',
    '-vv',
    '--verbose'
  ]
]

/** Returns true if a reading command prints changes of files that it need not name. */
export function printsChanges(command: string, { flags, operands }: ParsedArguments): boolean {
  if (!DIFF_COMMANDS.has(command) && command !== 'status') return false
  // The user's configuration may ask for a patch.
  if (command === 'stash' && operands[0] === 'show') return true
  if (PATCH_FLAGS.some(flag => flags.has(flag))) return true
  return PATCH_COMMANDS.has(command) && !SUMMARY_FLAGS.some(flag => flags.has(flag))
}

/** Returns true for the one command that shows changes by a program without a flag for that. */
export const usesDiffProgram = (command: string, { flags }: ParsedArguments): boolean =>
  command === 'diff' && !flags.has('--no-ext-diff')

/** Reason for `git grep` with a revision: a word that names no file may be one. */
export const SEARCHES_HISTORY = 'Searches files of the history that may contain credentials.'
const REVISION_SYNTAX = /[~^{]|\.\.|^:\/|^(?:@|(?:[A-Z]+_)?HEAD)$/

/** Returns the objects among the arguments of a command that prints what they denote. */
export function findPrintedObjects(
  command: string,
  { flags, operands, delimiterIndex }: ParsedArguments
): PrintedObjects | undefined {
  if (!OBJECT_COMMANDS.has(command)) return undefined
  const words = [
    ...new Set(operands.slice(0, delimiterIndex).flatMap(operand => [operand, ...operand.split(/\.{2,3}/)]))
  ]
    .map(word => word.replace(/^\^/, ''))
    .filter(Boolean)
  const commits = [...new Set(words.flatMap(findCommitNames))].filter(Boolean)
  const files = COMPARING_COMMANDS.has(command) ? words.filter(word => /^[^:].*:./s.test(word)) : []
  // With -I it leaves out what attributes declare as binary.
  const indexed = command === 'grep' && !flags.has('-I')
  return commits.length + files.length > 0 || indexed ? { commits, files, ...(indexed && { indexed }) } : undefined
}

/** Returns what must be a commit for a word to print no file, except by its path: a revision may contain colons, and so may a path. */
function findCommitNames(word: string): string[] {
  const described = DESCRIBED_ID.exec(word)?.[1] ?? ''
  if (word.startsWith(':')) return [described]
  const colons = [...word.matchAll(/:/g)].map(({ index }) => index)
  const revisions = colons.length > 0 ? colons.map(index => word.slice(0, index)) : [word]
  return [described, ...revisions.map(toPeeledObject)]
}

/** Removes the suffixes of a revision that denote its parents, or an object of a certain type: `main^{tree}` to `main`. */
const toPeeledObject = (revision: string) => revision.replace(/(?:\^(?:\{[a-z]*\}|[!@]|-\d*))+$/, '')
