// Files that the words of a command name, and that its program may execute: all that are not known to be data. It may be an
// interpreter, load a library or a configuration that an option names, or hand a text to a shell.
import type { SubCommand } from '../command-line-analysis.ts'
import { isKnownProgram } from '../program-classifiers.ts'
import {
  DATA_PROGRAMS,
  DATA_WORDS,
  type DataWords,
  EVALUATES_WORDS,
  FOLDER_OPTION,
  INSTALLED_FILE,
  OUTPUT_OPTIONS,
  RUNS_TEXT
} from './data-words.ts'
import { findGitWords } from './git-words.ts'
import { joinFolder, type SourceCollector, splitWords, UNKNOWN } from './source-finder.ts'

/** Maximum number of words, and of pieces of a text, that are looked up. */
const MAX_WORDS = 200
const MAX_PIECES = 1_000

const TOO_MANY_WORDS = 'It has more words that may name executed files than are looked up.'

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

/** Subcommands with operands that may be packages to install or run. */
const INSTALLS = /^(?:install|i|add|upgrade|inject|exec|dlx|-[iU])$/

/** Use of the operands of a program: each may be executed, or they are data or known to another finder. */
export type OperandUse = 'executed' | 'data'

/** Returns the words whose files the program may execute. */
export function findExecutableWords(program: string, args: readonly string[], use: OperandUse): string[] {
  if (DATA_PROGRAMS.has(program)) return EVALUATES_WORDS.has(program) ? args.filter(arg => /\$\(|`/.test(arg)) : []
  if (program === 'git') return findGitWords(args)
  const row = DATA_WORDS.get(program)
  if (row?.lettersFirst && /^[A-Za-z]+$/.test(args[0] ?? '')) {
    const isPlain = [...args[0]!].every(letter => row.letters?.includes(letter) || hasWord(row.data, `-${letter}`))
    return isPlain ? findExecutableWords(program, args.slice(1), use) : args.slice(1)
  }
  return new WordSearch(row ?? {}, use === 'data' || row ? (row?.operands ?? Number.POSITIVE_INFINITY) : 0).find(args)
}

/** Returns true if words of the command that are not literal may name a file that it executes. */
export function mayTakeWords([program = '']: readonly string[], part: Pick<SubCommand, 'class'>): boolean {
  const name = program.slice(program.lastIndexOf('/') + 1)
  if (name === '' || DATA_PROGRAMS.has(name)) return false
  return part.class === 'strict' || (name !== 'git' && !DATA_WORDS.has(name))
}

const hasWord = (list: string | undefined, word: string) => list !== undefined && splitWords(list).includes(word)

/** Reads the arguments of one command. */
class WordSearch {
  readonly #data: ReadonlySet<string>
  readonly #plain: ReadonlySet<string>
  readonly #runs: readonly string[] | undefined
  readonly #letters: string
  readonly #hasWholeWords: boolean
  readonly #dataOperands: number
  readonly #found: string[] = []

  constructor({ data, plain, runs, letters = '', wholeWords }: Partial<DataWords>, dataOperands: number) {
    this.#data = new Set(splitWords(data))
    this.#plain = new Set(splitWords(plain))
    this.#runs = runs === undefined ? undefined : splitWords(runs)
    this.#letters = letters
    this.#hasWholeWords = wholeWords ?? false
    this.#dataOperands = dataOperands
  }

  find(args: readonly string[]): string[] {
    let operands = 0
    if (args.some(arg => INSTALLS.test(arg))) this.#found.push(...args.filter(arg => INSTALLED_FILE.test(arg)))
    let isEnded = false
    for (let at = 0; at < args.length; at++) {
      const arg = args[at]!
      if (isEnded || !/^[-+]./.test(arg)) this.#addOperand(arg, operands++)
      else if (arg === '--') isEnded = true
      else at += this.#addOption(arg, args[at + 1])
    }
    return this.#found
  }

  #addOperand(arg: string, index: number) {
    if (index >= this.#dataOperands) this.#found.push(arg)
    else if (/^(?:@|msl:|mvg:)/.test(arg)) this.#found.push(arg.replace(/^(?:@|\w+:)/, ''))
    else if (/^[A-Za-z_]\w*=./.test(arg)) this.#found.push(arg.slice(arg.indexOf('=') + 1))
  }

  /** Returns the number of further words that are its value, and known to be data. */
  #addOption(arg: string, next: string | undefined): number {
    const { name, value } = this.#split(arg)
    if (this.#isData(name)) {
      // Programs that take a command in place of a file, or a setting that names one.
      if (/^[|!]|=/.test(value ?? next ?? '')) this.#found.push(value ?? next!)
      return value === undefined ? 1 : 0
    }
    if (value !== undefined) this.#found.push(value)
    // A word after one dash may also be an option as a whole, as `-toolexec` of go.
    const mayBeWhole = value === undefined || (this.#letters === '' && /^-[A-Za-z-]+$/.test(arg))
    if (mayBeWhole && next !== undefined && (next === '-' || !next.startsWith('-')) && this.#mayTake(name))
      this.#found.push(next)
    return 0
  }

  /** Splits `--option=value`, `-xvalue` and `-x:value`; of a group of letters, the first one that may have a value counts. */
  #split(arg: string): { name: string; value?: string } {
    const long = /^(?<name>--?[^=:]{2,}?)[=:](?<value>.+)$/s.exec(arg)?.groups
    if (long) return { name: long.name!, value: long.value! }
    if (arg.startsWith('--') || this.#isListed(arg)) return { name: arg }
    if (this.#hasWholeWords) return arg.length > 2 ? { name: arg.slice(0, 2), value: arg.slice(2) } : { name: arg }
    const letters = [...arg.slice(1)]
    const first = letters.findIndex(letter => !this.#letters.includes(letter) && !this.#plain.has(`-${letter}`))
    if (first < 0) return { name: `-${letters.at(-1)}` }
    const attached = letters.slice(first + 1).join('')
    const name = `-${letters[first]}`
    // Without a list of letters, the last one may be the option that has the next word as its value.
    if (attached === '') return { name }
    return this.#letters === '' && /^[A-Za-z]+$/.test(attached) && this.#isListed(`-${attached.at(-1)}`)
      ? { name: `-${attached.at(-1)}` }
      : { name, value: attached }
  }

  #isListed = (name: string) => this.#isData(name) || this.#plain.has(name) || (this.#runs?.includes(name) ?? false)
  #isData = (name: string) =>
    this.#data.has(name) || (this.#dataOperands > 0 && OUTPUT_OPTIONS.has(name) && !this.#runs?.includes(name))

  #mayTake(name: string): boolean {
    if (this.#plain.has(name) || (name.length === 2 && this.#letters.includes(name[1]!))) return false
    // Long options may be abbreviated.
    return this.#runs?.some(each => each === name || (name.length > 3 && each.startsWith(name))) ?? true
  }
}

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
  const isKnown = use === 'data' || DATA_WORDS.has(program) || isKnownProgram(program)
  const isAdded = words.map(word => addNamedFiles(word, sources, folders)).includes(true)
  if (isAdded) sources.addUnknown(isKnown ? UNKNOWN.named : UNKNOWN.given)
  if (!RUNS_TEXT.has(program)) return
  for (const word of words) {
    const value = word.slice(word.indexOf('=') + 1)
    if (/\s/.test(word)) sources.addLine(word, '.')
    if (/\s/.test(value)) sources.addLine(value, '.')
    else sources.addCommand([value])
  }
}

/** Adds the files that a word names as a whole, after an `=`, or anywhere in its text; returns true if one was not added before. */
export const addNamedFiles = (text: string, sources: SourceCollector, folders: readonly string[] = ['.']): boolean =>
  addPieces(text, sources, folders, sources.exists)

/** Adds the files that code names in the same way. Other words of it may name files that it makes, so these are not looked up. */
export const addFilesOfCode = (text: string, sources: SourceCollector): boolean =>
  addPieces(text, sources, ['.'], sources.isThere)

function addPieces(
  text: string,
  sources: SourceCollector,
  folders: readonly string[],
  exists: (path: string) => boolean
): boolean {
  const all = splitText(text)
  const pieces = all.slice(0, MAX_PIECES)
  if (all.length > MAX_PIECES) sources.addUnlisted(TOO_MANY_WORDS)
  const entered = [...text.matchAll(/\b(?:cd|pushd)\s+(?<folder>[^\s;&|'"]+)/g)].map(({ groups }) => groups!.folder!)
  let isAdded = false
  for (const folder of [...folders, ...entered.slice(0, 4)])
    for (const piece of pieces) {
      const path = folder === '.' ? piece : joinFolder(folder, piece.replace(/^\/+/, ''))
      if (exists(path) && !sources.has(path) && sources.addFile(path)) isAdded = true
    }
  return isAdded
}

/** Returns the text as a whole and its pieces between characters that separate words in some program. */
function splitText(text: string): string[] {
  const local = text.replaceAll(/\$(?:PWD|\{PWD\}|\(pwd\))\//g, './')
  const pieces = local.split(/[\s'"`=:,;|&()<>!@{}[\]$\\]+/)
  return [...new Set([text, local, ...pieces.filter(Boolean)])]
}

/** Adds the files that options of an interpreter name, besides those that it is known to load. */
export function addOptionFiles(
  args: readonly string[],
  words: Pick<DataWords, 'data' | 'letters'>,
  sources: SourceCollector
) {
  for (const word of new WordSearch(words, Number.POSITIVE_INFINITY).find(args)) addNamedFiles(word, sources)
}
