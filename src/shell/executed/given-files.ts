// Files that the words of a command name, and that its program may execute: all that are not known to be data. It may be an
// interpreter, load a library or a configuration that an option names, or hand a text to a shell.
import type { SubCommand } from '../command-line-analysis.ts'
import { isKnownProgram } from '../program-classifiers.ts'
import { findProgramFacts } from '../programs/programs.ts'
import { FOLDER_OPTION, INSTALLED_FILE } from './data-words.ts'
import { findGitWords } from './git-words.ts'
import { addNamedFiles, INSTALLS, TOO_MANY_WORDS, WordSearch } from './named-files.ts'
import { type SourceCollector, splitWords, UNKNOWN } from './source-finder.ts'

/** Maximum number of words that are looked up. */
const MAX_WORDS = 200

/** Subcommands after which options of a runner follow. */
const RUN = /^(?:run|exec|x|shell|record|stat|trace)$/

/**
 * Returns the words of a program that runs the command in its operands: the options before it, each with the word after it, which may
 * be its value, or the packages that it installs.
 */
export function findRunnerWords([first = '', ...rest]: readonly string[]): readonly string[] {
  if (INSTALLS.test(first)) return [first, ...rest.filter(arg => arg.startsWith('-') || INSTALLED_FILE.test(arg))]
  const args = RUN.test(first) ? rest : [first, ...rest]
  const end = args.findIndex((arg, at) => !/^[-+]./.test(arg) && !/^[-+]./.test(args[at - 1] ?? ''))
  return end < 0 ? args : args.slice(0, end)
}

/** Use of the operands of a program: each may be executed, or they are data or known to another finder. */
type OperandUse = 'executed' | 'data'

/** Returns the words whose files the program may execute. */
export function findExecutableWords(program: string, args: readonly string[], use: OperandUse): string[] {
  const { data: row, evaluatesWords } = findProgramFacts(program) ?? {}
  if (row === true) return evaluatesWords ? args.filter(arg => /\$\(|`/.test(arg)) : []
  if (program === 'git') return findGitWords(args)
  if (row?.lettersFirst && /^[A-Za-z]+$/.test(args[0] ?? '')) {
    const isPlain = [...args[0]!].every(letter => row.letters?.includes(letter) || hasWord(row.data, `-${letter}`))
    return isPlain ? findExecutableWords(program, args.slice(1), use) : args.slice(1)
  }
  return new WordSearch(row ?? {}, use === 'data' || row ? (row?.operands ?? Number.POSITIVE_INFINITY) : 0).find(args)
}

/** Returns true if words of the command that are not literal may name a file that it executes. */
export function mayTakeWords([program = '']: readonly string[], part: Pick<SubCommand, 'class'>): boolean {
  const name = program.slice(program.lastIndexOf('/') + 1)
  const data = findProgramFacts(name)?.data
  if (name === '' || data === true) return false
  return part.class === 'strict' || (name !== 'git' && data === undefined)
}

const hasWord = (list: string | undefined, word: string) => list !== undefined && splitWords(list).includes(word)

/** Returns the folders that words name as those in which the program runs something. */
const findFolders = (args: readonly string[], program: string) => [
  '.',
  ...args.flatMap((arg, at) => {
    const [name = '', value] = arg.split(/=(.*)/s)
    if (value !== undefined) return FOLDER_OPTION.test(name) ? [value] : []
    if (FOLDER_OPTION.test(args[at - 1] ?? '')) return [arg]
    return /^-[CDR]./.test(arg) ? [arg.slice(2)] : []
  }),
  ...(program === 'chroot' ? args.filter(arg => !arg.startsWith('-')).slice(0, 1) : [])
]

/** Adds the files that the words name, as they are, as values of options, or within a text. */
export function addGivenFiles(args: readonly string[], sources: SourceCollector, program: string, use: OperandUse) {
  const named = findExecutableWords(program, args, use)
  const words = named.slice(0, MAX_WORDS)
  if (named.length > MAX_WORDS) sources.addUnlisted(TOO_MANY_WORDS)
  const folders = findFolders(args, program).slice(0, 4)
  const isKnown = use === 'data' || findProgramFacts(program)?.data !== undefined || isKnownProgram(program)
  const isAdded = words.map(word => addNamedFiles(word, sources, folders)).includes(true)
  if (isAdded) sources.addUnknown(isKnown ? UNKNOWN.named : UNKNOWN.given)
  if (!findProgramFacts(program)?.runsText) return
  for (const word of words) {
    const value = word.slice(word.indexOf('=') + 1)
    if (/\s/.test(word)) sources.addLine(word, '.')
    if (/\s/.test(value)) sources.addLine(value, '.')
    else sources.addCommand([value])
  }
}
