// Finds what a command line executes besides its text: the scripts that it names, and what its programs look up, such as the
// scripts of package.json or the Makefile in effect. An approval of the line is bound to these sources.
import { dirname, join } from 'node:path/posix'
import { quoteArgv } from '../../text/shell-quote.ts'
import { analyzeCommandLine } from '../analyze-command-line.ts'
import type { SubCommand } from '../command-line-analysis.ts'
import { isKnownProgram } from '../program-classifiers.ts'
import { findProgramFacts } from '../programs/programs.ts'
import { readCommandWords } from './command-words.ts'
import { addGivenFiles, findExecutableWords, findRunnerWords, mayTakeWords } from './given-files.ts'
import { isInterpreterOfInput, namesInput } from './interpreters.ts'
import { addFilesOfCode, addNamedFiles } from './named-files.ts'
import type { SourceCollector } from './source-finder.ts'
import { UNKNOWN } from './source-finder.ts'
import {
  baseName,
  findSourceFinders,
  isCommandWrapper,
  isInterpreter,
  isRunner,
  isUnfamiliar
} from './source-finders.ts'

export { UNKNOWN_IN_LINE } from './source-finder.ts'

import { findWrittenPaths, isOtherPart, type WrittenPath } from './written-paths.ts'

export { mayExecuteSources } from './may-execute.ts'

/** Access to the files of a workspace. Paths are relative to its root, links are followed. */
export interface SourceFiles {
  /** Returns the text of a file; undefined if there is none, or if it is no readable text. */
  read(path: string): string | undefined
  /** Returns true for a file, false for a folder. */
  exists(path: string): boolean
  /** The same, but does not look up a file that is missing. */
  isThere(path: string): boolean
  /** Returns where an absolute path, or one that leads out of the root and back, lies in the workspace; undefined if it does not. */
  locate(path: string): string | undefined
}

/** A file that a command executes or that configures what it executes, or one entry of it. */
export interface ExecutedSource {
  /** Relative to the root of the workspace. */
  path: string
  /** Name of the entry, such as `scripts.test`, if only that is executed. */
  entry?: string
  /** Text of the entry. */
  text?: string
}

interface ExecutedSources {
  /** In the order in which they were found, each once. */
  sources: ExecutedSource[]
  /** Sentences on what else is executed and cannot be determined. */
  unknown: string[]
  /**
   * Sentences on files that it executes and that are not in the list as they will be: the line itself makes or changes them, or they
   * are too many.
   */
  unseen: string[]
}

/** Maximum nesting of scripts that run scripts. */
const MAX_DEPTH = 5
/** Maximum number of sources; more than anyone would review. */
const MAX_SOURCES = 50
/** Maximum number of command lines that are analyzed. */
const MAX_LINES = 200
/** Maximum length in characters of these lines together. */
const MAX_LINES_LENGTH = 100_000
/** Maximum number of files that are looked up. */
const MAX_LOOKUPS = 10_000
/** Maximum length in characters of a text that is searched for what it configures. */
const MAX_TEXT_LENGTH = 1_000_000
/** Maximum number of folders above a command's that are searched. */
const MAX_FOLDERS = 40
/** Maximum number of folders in which a command may run, where that is uncertain. */
const MAX_POSSIBLE_FOLDERS = 8
/** Maximum length of a path; longer ones name no file. */
const MAX_PATH_LENGTH = 4_096
/** Maximum length of a name within a sentence. */
const MAX_SHOWN_LENGTH = 200

/** A command line with its parts. */
interface ParsedLine {
  text: string
  parts: readonly SubCommand[]
  /** Text of its standard input. */
  stdin?: string | undefined
}

/** `cwd` is relative to the root, like the paths of the result. Never throws. */
export function findExecutedSources(line: ParsedLine, cwd: string, files: SourceFiles): ExecutedSources {
  const search = new SourceSearch(files)
  const folder = search.resolve('.', cwd === '' ? '.' : cwd)
  search.addLineParts(line, { cwd: folder, depth: 0 })
  return { sources: [...search.sources.values()], unknown: [...search.unknown], unseen: [...search.unseen] }
}

/** Conditions under which a line runs. */
interface LineContext {
  /** Undefined if it cannot be determined. */
  cwd: string | undefined
  depth: number
  /** Programs are looked up in node_modules/.bin first. */
  packages?: boolean
  /** Folders of the workspace in which programs are looked up first. */
  searchFolders?: readonly string[]
  /** Something else in the line runs, which may make files that are missing now. */
  mayBeMade?: boolean
  /** That is so also for the lines that the command runs, which are in its words. */
  isWrapped?: boolean
}

/** A command of the line that may run others. */
interface OuterCommand {
  /** Its `cwd`. */
  moved: string | null
  /** The folder in which it runs others; undefined if it cannot be determined. */
  folder: string | undefined
  /** A flag of it names that folder. */
  changed: boolean
  /** Files that are redirected to the input of both. */
  inputs: readonly string[]
}

/** A part that may execute its input. */
interface InputOfPart {
  words: ReturnType<typeof readCommandWords>
  /** Files that are redirected to it. */
  inputs: readonly string[]
  /** Words of the part before, which may be piped to it. */
  previous: readonly string[] | undefined
  /** Text of the whole line. */
  line: string
  /** The line is that of the call, not of a script. */
  isTyped: boolean
}

/** Returns the folder of a command that another one runs, relative to that of the latter. */
function relativeTo(outer: string | null, inner: string | null): string | null {
  if (outer === null || inner === null || inner.startsWith('/')) return inner
  if (outer === '.' || inner === outer) return inner === outer ? '.' : inner
  return inner.startsWith(`${outer}/`) ? inner.slice(outer.length + 1) : inner
}

class SourceSearch {
  readonly sources = new Map<string, ExecutedSource>()
  readonly unknown = new Set<string>()
  readonly unseen = new Set<string>()
  readonly #files: SourceFiles
  readonly #lines = new Set<string>()
  readonly #texts = new Map<string, string | undefined>()
  /** Indexes of the parts of the typed line by which a file is executed. */
  readonly #users = new Map<string, Set<number>>()
  #typed: readonly SubCommand[] = []
  /** Text of the input of the typed line. */
  #stdin: string | undefined
  #typedAt = 0
  #lookups = 0
  #linesLength = 0

  constructor(files: SourceFiles) {
    this.#files = files
  }

  /** Adds what the line executes, and what of that it makes or changes itself. */
  addLineParts(line: ParsedLine, context: LineContext) {
    this.#typed = line.parts
    this.#stdin = line.stdin
    this.#addParts(line, context)
    this.#addChanged(findWrittenPaths(line.parts), context)
  }

  #addParts({ text, parts }: ParsedLine, outside: LineContext) {
    const context = { ...outside, searchFolders: this.#findSearchFolders(parts, outside) }
    let outer: OuterCommand | undefined
    let previous: readonly string[] | undefined
    const groupInputs = parts.flatMap(part => (part.argv === undefined ? readGroupInputs(part) : []))
    for (const [at, part] of parts.entries()) {
      if (parts === this.#typed) this.#typedAt = at
      const { cwd: moved = '.', inner } = part
      const words = readCommandWords(part)
      const folder =
        inner && outer?.changed
          ? this.#resolvePartFolder(outer.folder, relativeTo(outer.moved, moved))
          : this.#resolvePartFolder(context.cwd, moved)
      if (!inner) outer = { moved, folder, changed: false, inputs: words.inputs }
      if (!inner && words.folder !== undefined && folder !== undefined)
        outer = { ...outer!, folder: this.#resolvePartFolder(folder, words.folder), changed: true }
      const { argv } = words
      const mayBeMade =
        outside.mayBeMade || (outside.depth === 0 && parts.some(other => isOtherPart(other, part, parts)))
      const before = this.sources.size
      const hasWords = part.class !== 'auto' && !(parts[at + 1]?.inner && isWrapper(argv))
      const isExecuted = argv.length > 0 && this.#addCommand(argv, folder, { ...context, mayBeMade }, hasWords)
      const isPartial = words.isPartial || (words.hasPatterns && isInterpreter(argv[0] ?? ''))
      const hasHiddenWords =
        isPartial && (isExecuted || words.hasUnknownProgram || (hasWords && mayTakeWords(argv, part)))
      if (hasHiddenWords)
        this.unknown.add('Not all words of the command are literal, so files that they name are not listed.')
      if (folder !== undefined) {
        const collector = this.#collectorFor(folder, context)
        const isTyped = outside.depth === 0
        // Only of a line that a person sees: one of a script is shown with its script.
        const isHidden = this.sources.size === before || part.text.includes('<(')
        if (hasHiddenWords && isTyped && isHidden && !editsOperands(argv))
          addNamedFiles(this.#typedText(text), collector)
        for (const file of words.variableFiles) if (collector.exists(file)) collector.addFile(file)
        if (isInterpreter(argv[0] ?? '') && hasWords && mayHoldCode(part, argv))
          for (const word of argv.slice(1)) if (/[^\w./+-]/.test(word)) addNamedFiles(word, collector)
        if (isInterpreterOfInput(argv) || (hasWords && mayExecuteInput(argv))) {
          const own = inner ? [...(outer?.inputs ?? []), ...words.inputs] : words.inputs
          const inputs = own.length > 0 ? own : groupInputs
          this.#addInput({ words, inputs, previous, line: text, isTyped }, collector)
        }
      }
      if (moved === null && argv.length > 0) this.#addUncertain({ text, parts }, at, { ...context, mayBeMade })
      previous = argv
    }
  }

  /** Adds the files that a part reads as its input and may execute. */
  #addInput({ words, inputs, previous, line, isTyped }: InputOfPart, collector: SourceCollector) {
    const isInterpreted = isInterpreterOfInput(words.argv)
    const piped = previous?.[0] === 'cat' ? previous.slice(1).filter(word => !word.startsWith('-')) : []
    for (const file of [...inputs, ...piped])
      if (collector.addFile(file)) collector.addUnknown(isInterpreted ? UNKNOWN.scripts : UNKNOWN.given)
    // The here-document of a group is not among the words of its parts.
    if (isTyped && (this.#stdin !== undefined || line.includes('<<'))) {
      const text = this.#typedText(line)
      if (addFilesOfCode(text, collector) || LOADS_CODE.test(text)) collector.addUnknown(UNKNOWN.scripts)
      if (this.#stdin !== undefined && SHELL.test(words.argv[0] ?? '')) collector.addLine(this.#stdin, '.')
    }
    const isKnown = !isInterpreted || inputs.length > 0 || words.hasInputText || words.isPartial
    if (!words.hasUnknownInput && (isKnown || !previous)) return
    this.unknown.add(UNKNOWN.input)
    if (isTyped) addNamedFiles(this.#typedText(line), collector)
  }

  /** Returns all text that a person sees of the command. */
  #typedText(line: string): string {
    return this.#stdin === undefined ? line : `${line}\n${this.#stdin}`
  }

  /** Adds what a part executes in each folder in which it may run: it is uncertain which `cd` before it succeeds. */
  #addUncertain({ text, parts }: ParsedLine, at: number, { mayBeMade, ...context }: LineContext) {
    const { cwd: _, inner: __, ...part } = parts[at]!
    const before = this.sources.size
    for (const cwd of this.#findPossibleFolders(parts.slice(0, at), context))
      this.#addParts({ text, parts: [part] }, { ...context, cwd })
    const program = part.argv?.[0] ?? ''
    if (mayBeMade && program.includes('/') && this.sources.size === before) this.unseen.add(madeBefore(program))
  }

  /** Returns the folders to which changes of the folder may lead, whichever of them succeed; none if one is not literal. */
  #findPossibleFolders(parts: readonly SubCommand[], { cwd }: LineContext): string[] {
    if (parts.some(({ argv, text }) => argv === undefined && /^(?:cd|pushd|popd)\b/.test(text))) return []
    const found = new Set(cwd === undefined ? [] : [cwd])
    for (const { argv: [program, target] = [] } of parts)
      if (target !== undefined && /^(?:cd|pushd)$/.test(program!))
        for (const folder of [...found]) {
          const moved = this.resolve(folder, target)
          if (moved !== undefined && found.size < MAX_POSSIBLE_FOLDERS) found.add(moved)
        }
    return [...found]
  }

  /** Returns the folders in which programs of these parts are looked up first. */
  #findSearchFolders(parts: readonly SubCommand[], { cwd, searchFolders = [] }: LineContext): string[] {
    const found = parts.flatMap(part => {
      const folder = this.#resolvePartFolder(cwd, part.cwd ?? '.')
      const named = readCommandWords(part).searchFolders
      return folder === undefined ? [] : named.flatMap(each => this.resolve(folder, each) ?? [])
    })
    return [...new Set([...searchFolders, ...found])].slice(0, MAX_FOLDERS)
  }

  /** Adds a sentence for each executed file that another part of the line writes. */
  #addChanged(changes: readonly WrittenPath[], { cwd }: LineContext) {
    for (const { path, folder, at } of changes) {
      const from = this.#resolvePartFolder(cwd, folder)
      const resolved = from === undefined ? undefined : this.resolve(from, path)
      if (resolved === undefined) continue
      for (const [source, users] of this.#users)
        if (contains(resolved, source) && [...users].some(user => user !== at)) this.unseen.add(changedBefore(source))
      for (const folder of this.#findSearchFolders(this.#typed, { cwd, depth: 0 }))
        if (contains(folder, resolved)) this.unseen.add(changedBefore(resolved))
    }
  }

  /** Returns the path relative to the root; undefined if it leads out of it. */
  resolve(folder: string, path: string): string | undefined {
    if (path === '' || path.length > MAX_PATH_LENGTH || /^~|\0/.test(path)) return undefined
    const resolved = (path.startsWith('/') ? path : join(folder, path)).replace(/(?<=.)\/$/, '')
    return /^(?:\/|\.\.(?:\/|$))/.test(resolved) ? this.#files.locate(resolved) : resolved
  }

  #resolvePartFolder(cwd: string | undefined, moved: string | null): string | undefined {
    return moved === null || cwd === undefined ? undefined : this.resolve(cwd, moved)
  }

  /** Returns true if the program may execute files of the workspace. */
  #addCommand(
    [program, ...args]: readonly string[],
    folder: string | undefined,
    context: LineContext,
    hasWords: boolean
  ): boolean {
    const finders = findSourceFinders(program!)
    const isPath = program!.includes('/') && !SYSTEM_PROGRAM.test(program!)
    const isGiven = args.length > 0 && hasWords && !isInterpreter(program!)
    const { packages, searchFolders = [] } = context
    if (!isPath) for (const each of searchFolders) this.#addFound(`${each}/${program}`)
    if (finders.length === 0 && !isPath && !isGiven && !packages) return false
    if (folder === undefined) {
      if (finders.length > 0 || isPath)
        this.unknown.add(
          'The working directory of a command cannot be determined, so the files that it executes are not listed.'
        )
      return false
    }
    const collector = this.#collectorFor(folder, context)
    const isShown = isPath && collector.addFile(program!)
    if (isShown && finders.length === 0) collector.addUnknown(UNKNOWN.scripts)
    if (isPath && !isShown && this.resolve(folder, program!) !== undefined) collector.addMissing(program!)
    if (packages && !isPath)
      for (const up of collector.folders)
        if (collector.addFile(`${up}/node_modules/.bin/${program}`)) {
          collector.addUnknown(UNKNOWN.packages)
          break
        }
    const lines = isCommandWrapper(program!) ? this.#collectorFor(folder, { ...context, isWrapped: true }) : collector
    for (const find of finders) find(args, lines, baseName(program!))
    if (isGiven && !isShown)
      addGivenFiles(
        isRunner(program!, args) ? findRunnerWords(args) : args,
        collector,
        baseName(program!),
        finders.length > 0 ? 'data' : 'executed'
      )
    return finders.length > 0 || isPath
  }

  #collectorFor(folder: string, context: LineContext): SourceCollector {
    const { depth, packages, searchFolders = [] } = context
    const within = <T>(path: string, use: (resolved: string) => T): T | undefined => {
      const resolved = this.resolve(folder, path)
      return resolved === undefined ? undefined : use(resolved)
    }
    return {
      folders: ancestorsOf(folder),
      read: path => within(path, resolved => this.#read(resolved)),
      exists: path => within(path, resolved => this.#exists(resolved)) ?? false,
      isThere: path => within(path, resolved => this.#canLookUp() && this.#files.isThere(resolved)) ?? false,
      has: path => within(path, resolved => this.sources.has(`${resolved}\n`)) ?? false,
      addFile: path => {
        const resolved = this.resolve(folder, path)
        if (resolved === undefined) this.#addOutside(path)
        else if (this.#exists(resolved)) {
          this.#add({ path: resolved })
          return true
        }
        return false
      },
      addEntry: (path, entry, text) => within(path, resolved => this.#add({ path: resolved, entry, text })),
      addLine: (line, at, options) =>
        within(at, cwd =>
          this.#addLine(line, {
            cwd,
            depth: depth + 1,
            mayBeMade: (context.isWrapped && context.mayBeMade) ?? false,
            searchFolders,
            packages: options?.packages ?? packages ?? false
          })
        ),
      addCommand: (argv, at = '.') =>
        within(at, cwd => argv.length > 0 && this.#addLine(quoteArgv(argv), { ...context, cwd })),
      addMissing: path => {
        this.unknown.add(UNKNOWN.missing)
        if (context.mayBeMade) this.unseen.add(madeBefore(path))
      },
      addUnlisted: sentence => this.#addUnlisted(sentence),
      addUnknown: sentence => this.unknown.add(sentence)
    }
  }

  #addLine(line: string, context: LineContext) {
    const key = `${context.cwd}\n${context.packages}\n${line}`
    if (this.#lines.has(key)) return
    if (context.depth > MAX_DEPTH)
      this.unknown.add('The list of executed files is incomplete: scripts run other scripts at too many levels.')
    else if (this.#lines.size >= MAX_LINES || this.#linesLength + line.length > MAX_LINES_LENGTH)
      this.unknown.add('The list of executed files is incomplete: too many commands are run.')
    else {
      this.#lines.add(key)
      this.#linesLength += line.length
      const { parts } = analyzeCommandLine(line, { paths: [], pids: [] })
      if (parts.length === 0 && line.trim() !== '')
        this.unknown.add(
          'A script contains a command line that cannot be parsed, so files that it executes may be missing in the list.'
        )
      this.#addParts({ text: line, parts }, context)
    }
  }

  #add(source: ExecutedSource) {
    this.#users.set(source.path, (this.#users.get(source.path) ?? new Set()).add(this.#typedAt))
    const key = `${source.path}\n${source.entry ?? ''}`
    if (this.sources.has(key)) return
    if (this.sources.size >= MAX_SOURCES) this.#addUnlisted(`Executes more than ${MAX_SOURCES} files.`)
    else this.sources.set(key, source)
  }

  /** Adds a program that is found in a folder of the workspace. */
  #addFound(path: string) {
    const resolved = this.resolve('.', path)
    if (resolved === undefined || !this.#exists(resolved)) return
    this.#add({ path: resolved })
    this.unknown.add(UNKNOWN.scripts)
  }

  #addOutside(path: string) {
    if (path === '' || /^\/dev\/|\0/.test(path) || path.length > MAX_PATH_LENGTH) return
    this.unknown.add(`A script outside the workspace, ${shorten(path)}, is not shown.`)
  }

  #addUnlisted(sentence: string) {
    this.unknown.add(sentence)
    this.unseen.add(sentence)
  }

  #exists(path: string): boolean {
    return this.#canLookUp() && this.#files.exists(path)
  }

  #read(path: string): string | undefined {
    if (this.#texts.has(path)) return this.#texts.get(path)
    let text = this.#canLookUp() ? this.#files.read(path) : undefined
    if (text !== undefined && text.length > MAX_TEXT_LENGTH) {
      this.unknown.add(`${path} is too long: the files that it executes are not listed.`)
      text = undefined
    }
    this.#texts.set(path, text)
    return text
  }

  #canLookUp(): boolean {
    if (this.#lookups++ < MAX_LOOKUPS) return true
    this.#addUnlisted('The list of executed files is incomplete: too many files had to be looked up.')
    return false
  }
}

/** Words by which code loads other code, in most languages. */
const LOADS_CODE = /\b(?:import|include|load|require|source|use)\b/
/** Programs that run their input as command lines. */
const SHELL = /(?:^|\/)(?:(?:ba|da|z|k|mk|a|fi)?sh|source|\.)$/
/** Programs of the system, which are no files of the workspace. */
const SYSTEM_PROGRAM = /^\/(?:usr\/|usr\/local\/|opt\/homebrew\/)?s?bin\/[^/]+$/

/** Returns the folders from this one upward, relative to it. */
function ancestorsOf(folder: string): string[] {
  const found = ['.']
  for (let at = folder; at !== '.' && found.length < MAX_FOLDERS; at = dirname(at))
    found.push(found.length === 1 ? '..' : `${found.at(-1)}/..`)
  return found
}

/** Returns true if the command may execute what it reads from its input: its program is not known, or follows what it reads. */
function mayExecuteInput([program, ...args]: readonly string[]): boolean {
  if (program === undefined) return false
  const name = baseName(program)
  const { followsInput, data } = findProgramFacts(name) ?? {}
  if (followsInput || (isUnfamiliar(program) && data === undefined)) return true
  const use = findSourceFinders(program).length > 0 ? 'data' : 'executed'
  return findExecutableWords(name, args, use).some(namesInput) || (name === 'git' && APPLIES.has(args[0] ?? ''))
}
/** Subcommands of git that apply what they read. */
const APPLIES = new Set(['apply', 'am'])

/** Returns the files that are redirected to the input of a group of commands. */
function readGroupInputs(part: SubCommand): readonly string[] {
  const { argv, inputs } = readCommandWords(part)
  return argv.length === 0 ? inputs : []
}

/** Returns true if a path is that of a file or folder, or lies in it. */
const contains = (folder: string, path: string) => folder === '.' || path === folder || path.startsWith(`${folder}/`)

/** Returns true for an interpreter whose code is literal, so that its other words are data. */
const editsOperands = ([program = '', ...args]: readonly string[]) =>
  findProgramFacts(baseName(program))?.editsOperands === true &&
  args.length > 0 &&
  !args.some(arg => /^-\w*f|^--file/.test(arg))

/** Returns true for a program whose words are a command, which is a part by itself. */
const isWrapper = ([program = '']: readonly string[]) =>
  findProgramFacts(baseName(program))?.runsWords !== undefined && baseName(program) !== 'parallel'

/** Returns true if words of an interpreter may be code with effects: a shell's are parts by themselves. */
const mayHoldCode = (part: SubCommand, [program = '']: readonly string[]) =>
  !/sh$/.test(program) && (part.class === 'strict' || !isKnownProgram(program))

const madeBefore = (path: string) =>
  `Executes ${quoteShort(path)}, which does not exist yet: another part of the command line may create it.`
const changedBefore = (path: string) => `Executes ${quoteShort(path)}, which the command line itself changes.`
const shorten = (path: string) => (path.length > MAX_SHOWN_LENGTH ? `${path.slice(0, MAX_SHOWN_LENGTH)}…` : path)
const quoteShort = (path: string) => JSON.stringify(shorten(path))
