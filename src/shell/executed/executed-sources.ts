// Finds what a command line executes besides its text: the scripts that it names, and what its programs look up, such as the
// scripts of package.json or the Makefile in effect. An approval of the line is bound to these sources.
import { dirname, join } from 'node:path/posix'
import { quoteArgv } from '../../text/shell-quote.ts'
import { analyzeCommandLine } from '../analyze-command-line.ts'
import type { SubCommand } from '../command-line-analysis.ts'
import { isInterpreterOfInput, readCommandWords } from './command-words.ts'
import { addGivenFiles, DATA_PROGRAMS } from './given-files.ts'
import type { SourceCollector } from './source-finder.ts'
import { UNKNOWN } from './source-finder.ts'
import { findSourceFinders, isInterpreter, isUnfamiliar } from './source-finders.ts'

export { mayExecuteSources } from './may-execute.ts'

/** Access to the files of a workspace. Paths are relative to its root, links are followed. */
export interface SourceFiles {
  /** Returns the text of a file; undefined if there is none, or if it is no readable text. */
  read(path: string): string | undefined
  /** Returns true for a file, false for a folder. */
  exists(path: string): boolean
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

export interface ExecutedSources {
  /** In the order in which they were found, each once. */
  sources: ExecutedSource[]
  /** Sentences on what else is executed and cannot be determined. */
  unknown: string[]
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
/** Maximum length of a path; longer ones name no file. */
const MAX_PATH_LENGTH = 4_096
/** Maximum length of a name within a sentence. */
const MAX_SHOWN_LENGTH = 200

/** `cwd` is relative to the root, like the paths of the result. `parts` are those of the line. Never throws. */
export function findExecutedSources(parts: readonly SubCommand[], cwd: string, files: SourceFiles): ExecutedSources {
  const search = new SourceSearch(files)
  search.addParts(parts, { cwd: search.resolve('.', cwd === '' ? '.' : cwd), depth: 0 })
  return { sources: [...search.sources.values()], unknown: [...search.unknown] }
}

/** Conditions under which a line runs. */
interface LineContext {
  /** Undefined if it cannot be determined. */
  cwd: string | undefined
  depth: number
  /** Programs are looked up in node_modules/.bin first. */
  packages?: boolean
}

/** A command of the line that may run others. */
interface OuterCommand {
  /** Its `cwd`. */
  moved: string | null
  /** The folder in which it runs others; undefined if it cannot be determined. */
  folder: string | undefined
  /** A flag of it names that folder. */
  changed: boolean
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
  readonly #files: SourceFiles
  readonly #lines = new Set<string>()
  readonly #texts = new Map<string, string | undefined>()
  #lookups = 0
  #linesLength = 0

  constructor(files: SourceFiles) {
    this.#files = files
  }

  addParts(parts: readonly SubCommand[], context: LineContext) {
    let outer: OuterCommand | undefined
    let previous: readonly string[] | undefined
    for (const part of parts) {
      const { cwd: moved = '.', inner } = part
      const words = readCommandWords(part)
      const folder =
        inner && outer?.changed
          ? this.#resolvePartFolder(outer.folder, relativeTo(outer.moved, moved))
          : this.#resolvePartFolder(context.cwd, moved)
      if (!inner) outer = { moved, folder, changed: false }
      if (!inner && words.folder !== undefined && folder !== undefined)
        outer = { moved, folder: this.#resolvePartFolder(folder, words.folder), changed: true }
      const { argv } = words
      const isExecuted = argv.length > 0 && this.#addCommand(argv, folder, context)
      const isPartial = words.isPartial || (words.hasPatterns && isInterpreter(argv[0] ?? ''))
      if (isPartial && (isExecuted || words.hasUnknownProgram))
        this.unknown.add('The words of the command are not all literal, so files that they name are not listed.')
      if (folder !== undefined) {
        const collector = this.#collectorFor(folder, context)
        for (const file of words.variableFiles) if (collector.exists(file)) collector.addFile(file)
        const isInterpreted = isInterpreterOfInput(argv)
        if (isInterpreted || mayExecuteInput(argv)) {
          const piped = previous?.[0] === 'cat' ? previous.slice(1).filter(word => !word.startsWith('-')) : []
          for (const file of [...words.inputs, ...piped])
            if (collector.addFile(file)) collector.addUnknown(isInterpreted ? UNKNOWN.scripts : UNKNOWN.given)
          const isKnown = !isInterpreted || words.inputs.length > 0 || words.hasInputText || words.isPartial
          if (words.hasUnknownInput || (!isKnown && previous)) this.unknown.add(UNKNOWN.input)
        }
      }
      previous = argv
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
  #addCommand([program, ...args]: readonly string[], folder: string | undefined, context: LineContext): boolean {
    const finders = findSourceFinders(program!)
    const isPath = program!.includes('/') && !SYSTEM_PROGRAM.test(program!)
    const isGiven = args.length > 0 && isUnfamiliar(program!)
    if (finders.length === 0 && !isPath && !isGiven && !context.packages) return false
    if (folder === undefined) {
      if (finders.length > 0 || isPath)
        this.unknown.add('The folder of a command cannot be determined, so the files that it executes are not listed.')
      return false
    }
    const collector = this.#collectorFor(folder, context)
    const isShown = isPath && collector.addFile(program!)
    if (isShown && finders.length === 0) collector.addUnknown(UNKNOWN.scripts)
    if (isGiven && !isShown) addGivenFiles(args, collector, baseName(program!))
    if (context.packages && !isPath)
      for (const up of collector.folders)
        if (collector.addFile(`${up}/node_modules/.bin/${program}`)) {
          collector.addUnknown(UNKNOWN.packages)
          break
        }
    for (const find of finders) find(args, collector, baseName(program!))
    return finders.length > 0 || isPath
  }

  #collectorFor(folder: string, context: LineContext): SourceCollector {
    const { depth, packages } = context
    const within = <T>(path: string, use: (resolved: string) => T): T | undefined => {
      const resolved = this.resolve(folder, path)
      return resolved === undefined ? undefined : use(resolved)
    }
    return {
      folders: ancestorsOf(folder),
      read: path => within(path, resolved => this.#read(resolved)),
      exists: path => within(path, resolved => this.#exists(resolved)) ?? false,
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
          this.#addLine(line, { cwd, depth: depth + 1, packages: options?.packages ?? packages ?? false })
        ),
      addCommand: (argv, at = '.') =>
        within(
          at,
          cwd => argv.length > 0 && this.#addLine(quoteArgv(argv), { cwd, depth, packages: packages ?? false })
        ),
      addUnknown: sentence => this.unknown.add(sentence)
    }
  }

  #addLine(line: string, context: LineContext) {
    const key = `${context.cwd}\n${context.packages}\n${line}`
    if (this.#lines.has(key)) return
    if (context.depth > MAX_DEPTH) this.unknown.add('Scripts run scripts in more levels than are followed.')
    else if (this.#lines.size >= MAX_LINES || this.#linesLength + line.length > MAX_LINES_LENGTH)
      this.unknown.add('It runs more commands than are followed.')
    else {
      this.#lines.add(key)
      this.#linesLength += line.length
      const { parts } = analyzeCommandLine(line, { paths: [], pids: [] })
      if (parts.length === 0 && line.trim() !== '')
        this.unknown.add('A script has a command line that cannot be parsed.')
      this.addParts(parts, context)
    }
  }

  #add(source: ExecutedSource) {
    const key = `${source.path}\n${source.entry ?? ''}`
    if (this.sources.has(key)) return
    if (this.sources.size >= MAX_SOURCES) this.unknown.add(`It executes more than ${MAX_SOURCES} files.`)
    else this.sources.set(key, source)
  }

  #addOutside(path: string) {
    if (path === '' || /^\/dev\/|\0/.test(path) || path.length > MAX_PATH_LENGTH) return
    const shown = path.length > MAX_SHOWN_LENGTH ? `${path.slice(0, MAX_SHOWN_LENGTH)}…` : path
    this.unknown.add(`A script outside of the workspace, ${shown}, is not shown.`)
  }

  #exists(path: string): boolean {
    return this.#canLookUp() && this.#files.exists(path)
  }

  #read(path: string): string | undefined {
    if (this.#texts.has(path)) return this.#texts.get(path)
    let text = this.#canLookUp() ? this.#files.read(path) : undefined
    if (text !== undefined && text.length > MAX_TEXT_LENGTH) {
      this.unknown.add(`${path} is too long to find out what it executes.`)
      text = undefined
    }
    this.#texts.set(path, text)
    return text
  }

  #canLookUp(): boolean {
    if (this.#lookups++ < MAX_LOOKUPS) return true
    this.unknown.add('It looks up more files than are followed.')
    return false
  }
}

/** Programs of the system, which are no files of the workspace. */
const SYSTEM_PROGRAM = /^\/(?:usr\/|usr\/local\/|opt\/homebrew\/)?s?bin\/[^/]+$/

/** Returns the folders from this one upward, relative to it. */
function ancestorsOf(folder: string): string[] {
  const found = ['.']
  for (let at = folder; at !== '.' && found.length < MAX_FOLDERS; at = dirname(at))
    found.push(found.length === 1 ? '..' : `${found.at(-1)}/..`)
  return found
}

/** Returns true if the command may execute what it reads from its input, since its program is not known. */
const mayExecuteInput = ([program]: readonly string[]) =>
  program !== undefined && isUnfamiliar(program) && !DATA_PROGRAMS.has(baseName(program))

const baseName = (program: string) => program.slice(program.lastIndexOf('/') + 1)
