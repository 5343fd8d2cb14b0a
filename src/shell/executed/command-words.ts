// Literal words of a part of a command line, its input, and the files that its variables make programs load.
import type { SubCommand } from '../command-line-analysis.ts'
import { isUnsafeVariable } from '../commands/unsafe-variables.ts'
import { findProgramFacts } from '../programs/programs.ts'
import { parseWithUnbash } from '../unbash.ts'

interface CommandWords {
  /** The literal words, without assignments. */
  argv: readonly string[]
  /** Further words are not literal, or come from the input. */
  isPartial: boolean
  /** Words are patterns of file names, which stand in `argv` as they are. */
  hasPatterns: boolean
  /** The program is not literal. */
  hasUnknownProgram: boolean
  /** Files that are redirected to its input. */
  inputs: readonly string[]
  /** Its input is in the line, as a here-document. */
  hasInputText: boolean
  /** Its input is a file whose name is not literal. */
  hasUnknownInput: boolean
  /** Files that variables make the program load. */
  variableFiles: readonly string[]
  /** Folders in which it, or what follows, looks up programs first. */
  searchFolders: readonly string[]
  /** Folder that it changes to before running the rest. */
  folder?: string
}

export function readCommandWords(part: SubCommand): CommandWords {
  const { argv, text } = part
  const parsed = argv === undefined || text.includes('<') ? parseWithUnbash(text).commands[0] : undefined
  const { words = [], assignments = [], redirects = [] } = parsed ?? {}
  // A pattern that matches no file stands for itself, as in `run-s build:*`.
  const literal = words.flatMap(({ value, expansion, unquoted }) => value ?? (expansion === 'pattern' ? unquoted : []))
  const hasUnknownProgram = argv === undefined && words.length > 0 && words[0]!.value === undefined
  const isAppended = words.every(({ value }) => value !== undefined) && assignments.length === 0
  const opened = redirects.filter(({ operator, body }) => body === undefined && /^<>?$/.test(operator))
  const folder = argv?.[0] === 'env' ? changedFolder(argv) : undefined
  return {
    argv: argv ?? (hasUnknownProgram ? [] : literal),
    isPartial: argv === undefined && part.class !== 'auto' && (isAppended || literal.length < words.length),
    hasPatterns: argv === undefined && words.some(({ expansion }) => expansion === 'pattern'),
    hasUnknownProgram,
    inputs: opened.flatMap(({ target }) => target?.value ?? []),
    hasInputText: redirects.some(({ body }) => body !== undefined),
    hasUnknownInput: opened.some(({ target }) => target?.value === undefined),
    searchFolders: [
      ...assignments.map(({ text }) => text),
      ...words.map(({ unquoted }) => unquoted),
      ...(argv ?? [])
    ].flatMap(searchFolders),
    variableFiles: [
      ...assignments.flatMap(({ name, value }) => variableFiles(name, value)),
      ...(findProgramFacts(argv?.[0] ?? '')?.assigns ? argv!.flatMap(assignedFiles) : [])
    ],
    ...(folder !== undefined && { folder })
  }
}

/** Returns the files of a word such as `BASH_ENV=x`. */
function assignedFiles(word: string): string[] {
  const at = word.indexOf('=')
  return at < 1 ? [] : variableFiles(word.slice(0, at), word.slice(at + 1))
}

function variableFiles(name: string, value: string | undefined): string[] {
  if (value === undefined || !isUnsafeVariable(name)) return []
  if (name === 'GIT_DIR') return [`${value}/config`]
  const words = value.split(/[\s=:|;&'"`$(){}<>]+/)
  // Paths within options, such as `--require ./setup.js`.
  return words.map(word => word.replace(/^-r/, '')).filter(word => word !== '' && !word.startsWith('-'))
}

/** Returns the folders of a word such as `PATH=./bin:$PATH`, without those of the system. */
function searchFolders(word: string): string[] {
  const value = /^(?:PATH|path|fpath)\+?=(.*)$/s.exec(word)?.[1] ?? ''
  const folders = value.replaceAll(/\$(?:PWD|\{PWD\}|\(pwd\))/g, '.').split(/[:\s'"()]+/)
  return folders.filter(folder => folder !== '' && !/[$`]|^\/(?:usr|bin|sbin)(?:\/|$)/.test(folder))
}

/** Returns the folder of `env -C`. */
function changedFolder(words: readonly string[]): string | undefined {
  const at = words.findIndex(word => word === '-C' || word === '--chdir')
  return at > 0 ? words[at + 1] : words.find(word => word.startsWith('--chdir='))?.slice('--chdir='.length)
}
