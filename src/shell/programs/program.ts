// Facts about programs: each program has one row, in the file of its family. The analysis of command lines and the
// search for executed sources look them up by the name of the program.
import type { ProgramClassifier } from '../commands/classification.ts'
import type { SourceFinder } from '../executed/source-finder.ts'

/** Facts about a program, or several that have the same. Names of one family may share facts by spreading them. */
export interface ProgramFacts {
  /** Separated by spaces. Each name is in one row only. */
  names: string
  /** Classifies its arguments. Without it, the program is not known to only read. */
  classify?: ProgramClassifier
  /** A builtin of bash: a program of the same name is a different one. */
  builtin?: true
  /** A program of the system whose `--version` does not read the workspace. */
  printsVersion?: true
  /** It reaches beyond the workspace: whatever its arguments, or with some subcommands. */
  outward?: Outward | OutwardSubcommands
  /** Leading words with which it lists or explains something. */
  listings?: readonly string[]
  /** It shows files or facts, whatever its flags, except with words that match. */
  views?: true | RegExp
  /** A command of the shell that changes nothing but where a script goes on. */
  controlsFlow?: true
  /** The flag whose value is code. */
  codeFlag?: RegExp
  /** It prints its words or known facts, and reads no file, whatever its words come to. */
  printsWords?: true
  /** It only reads, whatever its words are: none of its flags writes a file, sets a variable or runs a program. */
  alwaysReads?: true
  /** It prints names of files in the folders given to it: always, or with a matching argument. */
  listsPaths?: true | RegExp
  /** It prints lines of its input. */
  filtersLines?: true

  /** It runs the command in its words, which is a separate part of the line: once, or for files that it finds. */
  runsWords?: true | 'for files'
  /** It executes neither its words nor files that these name, whatever its options; or some of its words are data. */
  data?: true | DataWords
  /** It runs commands, or follows instructions, that it reads from its input, whatever its words. */
  followsInput?: true
  /** It executes the code that it reads from its input: if no argument names a script, or if an operand is a dash. */
  readsCode?: true | 'if dashed'
  /** It has a shell run text in its words, now or later. */
  runsText?: true
  /** A builtin that evaluates subscripts in its words, also where these are quoted. */
  evaluatesWords?: true
  /** Its words may be assignments. */
  assigns?: true
  /** It changes no content: permissions, times, folders. */
  keepsContent?: true
  /** An interpreter whose other words are data if its code is literal. */
  editsOperands?: true

  /** It executes the same files as another program. */
  executesLike?: string
  /** It executes a script. */
  script?: ScriptOptions
  /** An option by which it loads a module. */
  moduleOption?: ModuleOption
  /** Commands in its arguments that it runs; none if only its finder knows them. */
  wraps?: readonly WrappedOptions[]
  /** It runs a package by its name in place of a subcommand. */
  runsPackages?: true
  /** It also runs as `python -m`. */
  pythonModule?: true
  /** Finds what else it executes. */
  find?: SourceFinder
  /** Configuration that is code, or names code: for all of its subcommands, or some. */
  configuration?: readonly Configuration[]
}

/** Defines programs that have facts in common, with their classifiers. */
export const each = (
  common: Omit<ProgramFacts, 'names' | 'classify'>,
  classifiers: Readonly<Record<string, ProgramClassifier>>
): ProgramFacts[] => Object.entries(classifiers).map(([names, classify]) => ({ names, classify, ...common }))

/**
 * Way in which a program reaches beyond the workspace: the network, publishing or acting on other machines, packages that it installs,
 * looks up or removes, or a change of the machine.
 */
export type Outward = 'network' | 'publishes' | 'packages' | 'machine'

/** Subcommands with which a program does so. */
export interface OutwardSubcommands {
  packages?: string
  publishes?: string
  network?: string
  /** It installs packages when it is given no subcommand. */
  installsByDefault?: true
}

/** Words of a program that are data, besides operands. */
export interface DataWords {
  /** Options whose value is data. */
  data?: string
  /** Letters of options without a value. */
  letters?: string
  /** Long options without a value. */
  plain?: string
  /** The only options whose value may be executed if it is the next word; otherwise every option that is not listed is one. */
  runs?: string
  /** Number of leading operands that are data; all by default. */
  operands?: number
  /** Options are whole words after one dash, rather than groups of letters. */
  wholeWords?: true
  /** The first word is a group of letters, without a dash. */
  lettersFirst?: true
}

/** Options and operands of an interpreter. */
export interface ScriptOptions {
  /** Options that take the next word as their value. */
  valued?: string
  /** Options whose value is a file that is executed. They take a value as well. */
  loading?: string
  /** Options whose value is a search path for code. They take a value as well. */
  paths?: string
  /** Options that give the code itself, after which no script follows. */
  inline?: string
  /** Options with which the first operand is no script. */
  other?: string
  /** The first operands after which a script follows. Without `optional`, nothing else is executed. */
  subcommands?: string
  optional?: true
  /** Endings of the name of a script, in the order in which they are tried. */
  extensions?: string
  /** Beginnings of words after which a file follows that is executed. */
  prefixes?: string
  /** Only operands with these ends, and those that are files, are scripts. */
  ends?: RegExp
  /** A lone `-` ends the options, instead of meaning standard input. */
  dashEndsOptions?: true
  /** Letters of options without a value, for a program whose operands are no scripts. */
  letters?: string
  /** No operand is a script. */
  optionsOnly?: true
}

/** Option with the name of a module, which may lie in the folder of the command or in one that `-I` names. */
export interface ModuleOption {
  /** Matches the option with the name of a module. */
  option: RegExp
  /** Separator within such a name that stands for a folder. */
  separator: string
  ending: string
}

/** Options and operands around a command that a program runs. */
export interface WrappedOptions {
  /** The first operand has to be one of these, and is not part of the command. */
  subcommands?: string
  valued?: string
  /** Number of operands before the command. */
  skip?: number
  /** Assignments precede the command. */
  assignments?: true
  /** Options whose value is a command line. */
  lines?: string
  /** Options whose value is a file that is executed. */
  loading?: string
  /** Each operand is a command line. */
  operandLines?: true
  /** Runs the command if it is a script, such as `python`. */
  interpreter?: string
  /** Files with scripts that its operand may name, looked up from the folder upward. */
  files?: string
}

/** Configuration of a program, or of some of its subcommands: then it has several of these. */
export interface Configuration {
  /** Applies only if the first operands are one of these; each may be several words joined by `+`. */
  subcommands?: string
  /**
   * Lookups, each with names in the order of precedence, of which the first that exists is in effect. Braces list alternatives.
   * `package.json#jest` is an entry; `setup.cfg#[mypy` is a file with that text.
   */
  files?: readonly string[]
  /** `nearest`: in the folders above as well, until found. `all`: in each folder above. Otherwise in the folder alone. */
  search?: 'nearest' | 'all'
  /** Options whose value is used in place of the first lookup. */
  config?: string
  /** Options whose value is a further file that is executed. */
  loads?: string
  /** Further options that take a value. */
  valued?: string
  /** Options that change the folder of the lookups. */
  folder?: string
  /** Operands are files that are executed, in place of the first lookup or besides it. */
  operands?: 'replace' | 'add'
  /** An operand is the folder of the lookups. */
  operandFolder?: true
  /** File that is looked up in the folder of each operand, and in those above. */
  besideOperands?: string
  /** Other programs whose configuration it loads as well. */
  uses?: string
  /** Program whose configuration is in effect if the first lookup finds nothing. */
  fallback?: string
  /** Sentence on files that are not listed. */
  unknown?: string
}
