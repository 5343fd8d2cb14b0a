// Searches a workspace with ripgrep, as a child process, in a folder that is reached by descriptor. Links are not followed,
// possible credential files are excluded, and no pattern is ever run by JavaScript.
import { rgPath } from '@vscode/ripgrep'
import { invalidParam, ToolError } from '../../errors.ts'
import type { ErrorCode } from '../../protocol/error-codes.ts'
import { listAncestors } from '../../text/ancestors.ts'
import { spellBytes } from '../../text/byte-names.ts'
import { compileGlob } from '../../text/glob/glob.ts'
import { openFolder } from '../files/open-folder.ts'
import type { FoundServerFiles } from '../files/policy/path-policy.ts'
import type { SecretNames } from '../files/policy/secret-names.ts'
import { type OpenedFiles, watchForStall } from '../files/stalling-files.ts'
import { minimalEnvironment } from '../processes/environment.ts'
import type { ChildExit, ChildHandle } from '../processes/spawner/child-handle.ts'
import type { Spawner } from '../processes/spawner/spawner.ts'
import { appliesGitignoreEverywhere } from '../watch/ignore-rules.ts'
import type { Workspace } from '../workspace.ts'
import { assertMounted, NoSymlinkMount } from './no-symlink-mount.ts'
import { BASE_ARGS, NO_IGNORE_OPTION, NO_REQUIRE_GIT, type RipgrepQuery, searchArguments } from './ripgrep-arguments.ts'
import { Excludes } from './ripgrep-exclude.ts'
import { decodePath, FileMatches, type RipgrepMessage, type SearchMatch } from './ripgrep-messages.ts'
import { type RecordFormat, type SkippedRecords, splitRecords } from './split-records.ts'

/** Searches use every processor: at the server's own priority, a few would keep it from answering. */
const NICENESS = 10
const NEWLINE = 10
const NAMES: RecordFormat = { end: 0, decode: spellBytes }
const JSON_LINES: RecordFormat = { end: NEWLINE, decode: bytes => bytes.toString() }
/** Maximum number of paths to name of those that were left out. */
const MAX_SAMPLE = 10
/** Maximum number of them to count. */
const MAX_NOTED = 100_000
/** Exit codes besides 0. */
const NO_MATCH_CODE = 1
const ERROR_CODE = 2
/** Begins what a shell prints that cannot execute a program. */
const SHELL_PREFIX = /^search: (?:line )?\d+: (?:exec: )?/
/** Exit codes of a shell that cannot execute a program, or that finds none. */
const NOT_EXECUTED_CODES: ReadonlySet<number | null> = new Set([126, 127])
const MISSING_FOLDER_CODES: ReadonlySet<ErrorCode> = new Set(['FILE_NOT_FOUND', 'NOT_A_DIRECTORY', 'PERMISSION_DENIED'])

/** Receives the number of files found so far. */
export type CountListener = (files: number) => void

interface FilesQuery {
  /** Canonical path of the folder to list. */
  path: string
  /** Includes names that begin with a dot. */
  hidden: boolean
  /** Includes entries excluded by .gitignore and similar files. */
  ignored: boolean
  signal?: AbortSignal
  onCount?: CountListener
}

/** Files by whether they may hold credentials; paths are relative to the workspace's root. */
export interface FileListing {
  files: readonly string[]
  sensitive: readonly string[]
}

/** Paths are relative to the workspace's root. `count` is the number of matches in the file, in mode `count`. */
export type SearchHit = SearchMatch | { path: string; count?: number }

/** A number of paths, and the first of them. */
export interface PathSample {
  count: number
  paths: readonly string[]
}

/** Parts that a search has skipped. */
export interface SearchOmissions {
  /** Files and folders that could not be read. */
  unreadable: PathSample
  /** Files with NUL bytes that match, and whose lines are not reported. */
  binary: PathSample
  /** Number of matches in lines that are too long to report. */
  too_long: number
}

interface RipgrepOptions {
  /** Globs that are never searched or listed; `.git` always is excluded. */
  exclude: readonly string[]
  /** Names that are never searched or listed either. */
  secrets?: SecretNames
  /** Returns a check for the files of servers, for one search. */
  findServerFiles?: () => FoundServerFiles
}

/** Files that ripgrep opens by itself. */
const IGNORE_FILES: OpenedFiles = {
  names: new Set(['.gitignore', '.ignore', '.rgignore']),
  inGitFolder: new Set(['info/exclude', 'commondir'])
}

const NO_SERVER_FILES: FoundServerFiles = { has: () => false, hasFolder: () => false }

export class Ripgrep {
  readonly #spawner: Spawner
  readonly #workspace: Workspace
  readonly #options: RipgrepOptions
  #builtExcludes: Excludes | undefined
  readonly #findServerFiles: () => FoundServerFiles
  readonly #noSymlinkMount: NoSymlinkMount
  readonly #env: Record<string, string>

  constructor(spawner: Spawner, workspace: Workspace, options: RipgrepOptions) {
    this.#spawner = spawner
    this.#workspace = workspace
    this.#options = options
    this.#findServerFiles = options.findServerFiles ?? (() => NO_SERVER_FILES)
    this.#noSymlinkMount = new NoSymlinkMount(spawner, workspace)
    this.#env = minimalEnvironment(spawner.environment)
  }

  /** Built by the first search: the start of a server needs none. */
  get #excludes(): Excludes {
    this.#builtExcludes ??= new Excludes(this.#options.exclude, this.#options.secrets)
    return this.#builtExcludes
  }

  /** Returns the files below a folder, unordered. */
  async files({ path, hidden, ignored, signal, onCount }: FilesQuery): Promise<FileListing> {
    this.#assertSearchable(path)
    return this.#list(path, [...(hidden ? ['--hidden'] : []), ...(ignored ? [NO_IGNORE_OPTION] : [])], signal, onCount)
  }

  /** Returns the direct files of a folder that is not ignored itself, including hidden ones; none if there is no such folder. */
  async filesIn(folder: string, signal?: AbortSignal): Promise<FileListing> {
    try {
      return await this.#list(folder, ['--hidden', '--max-depth=1'], signal)
    } catch (error) {
      if (error instanceof ToolError && MISSING_FOLDER_CODES.has(error.code)) return { files: [], sensitive: [] }
      throw error
    }
  }

  /** Yields matches as they are found; leaving the loop ends the search. */
  async *search(query: RipgrepQuery): AsyncGenerator<SearchHit[], SearchOmissions, void> {
    const slash = query.path.lastIndexOf('/')
    const isFile = query.kind === 'file'
    this.#assertSearchable(query.path, !isFile)
    const folder = isFile ? (slash < 0 ? '.' : query.path.slice(0, slash)) : query.path
    const excludes = [...this.#gitignoreArgs(), ...this.#excludes.argsIn(folder)]
    const [patterns, lines] = partitionExcludes(query.exclude)
    const isExcluded = compileExcludes(patterns)
    const args = searchArguments(
      { ...query, exclude: lines },
      isFile ? query.path.slice(slash + 1) : undefined,
      excludes
    )
    const included = isFile || query.include.length === 0 ? () => true : compileIncludes(query.include)
    const serverFiles = this.#findServerFiles()
    const wanted = (path: string) => {
      const whole = joinPath(folder, path)
      return included(path) && !isExcluded(path) && !this.#excludes.covers(whole) && !serverFiles.has(whole)
    }
    const run = await this.#run(folder, args, query.signal)
    const groups = READERS[query.mode](run, query.context)
    for await (const group of groups) {
      const hits = group.filter(({ path }) => wanted(path)).map(one => ({ ...one, path: joinPath(folder, one.path) }))
      if (hits.length > 0) yield hits
    }
    const samplePaths = (paths: readonly string[], isIncluded = wanted): PathSample => {
      const all = paths.filter(isIncluded).map(each => joinPath(folder, each))
      return { count: all.length, paths: all.sort().slice(0, MAX_SAMPLE) }
    }
    return {
      unreadable: samplePaths(run.unreadable, each => !this.#excludes.covers(joinPath(folder, each))),
      binary: samplePaths(run.binary),
      too_long: run.skipped.records
    }
  }

  #gitignoreArgs(): string[] {
    return appliesGitignoreEverywhere(this.#workspace.root) ? [NO_REQUIRE_GIT] : []
  }

  #assertSearchable(path: string, isFolder = true) {
    if (this.#excludes.coversSearchRoot(path, isFolder))
      throw new ToolError(
        'SENSITIVE_PATH',
        `${path} is excluded from searches, because it may contain credentials, or belongs to Git or to the Toolgate server.`,
        { path }
      )
  }

  async #list(
    path: string,
    options: readonly string[],
    signal = new AbortController().signal,
    onCount: CountListener = () => {}
  ): Promise<FileListing> {
    const excludes = [...this.#gitignoreArgs(), ...this.#excludes.structuralArgsIn(path)]
    const run = await this.#run(path, [...BASE_ARGS, '--files', '--null', ...options, ...excludes, '--', './'], signal)
    const serverFiles = this.#findServerFiles()
    const files: string[] = []
    const sensitive: string[] = []
    for await (const names of run.read(NAMES)) {
      assertPath(names[0]!)
      for (const name of names) {
        const whole = joinPath(path, name.slice(2))
        if (this.#excludes.isRooted(whole) || serverFiles.hasFolder(parentOf(whole))) continue
        if (this.#excludes.isSensitive(whole)) sensitive.push(whole)
        else files.push(whole)
      }
      onCount(files.length)
    }
    return { files, sensitive }
  }

  async #run(folder: string, args: string[], signal: AbortSignal): Promise<Run> {
    const program = await this.#noSymlinkMount.wrap({ file: rgPath, args }, folder)
    signal.throwIfAborted()
    const open = openFolder(this.#workspace, folder)
    const watch: StallWatch = onStalled =>
      args.includes(NO_IGNORE_OPTION)
        ? () => {}
        : watchForStall(this.#workspace, { program: 'the search', folder, opens: IGNORE_FILES }, onStalled)
    try {
      return new Run(
        folder,
        await this.#spawner
          .spawn({ ...program, cwd: open.path, cwdIdentity: open.identity, env: this.#env, niceness: NICENESS })
          .catch(error => {
            throw isNotExecuted(error) ? notExecutedError(error.message) : error
          }),
        signal,
        watch
      )
    } finally {
      open.close()
    }
  }
}

/** Begins to watch for what stalls the process; returns the function that ends this. */
type StallWatch = (onStalled: (error: ToolError) => void) => () => void

/** A running ripgrep process. */
class Run {
  /** Paths that ripgrep could not read, relative to the folder. */
  readonly unreadable: string[] = []
  /** Files of matches that were left out, since they have NUL bytes. */
  readonly binary: string[] = []
  readonly skipped: SkippedRecords = { records: 0 }
  readonly #folder: string
  readonly #spawned: ChildHandle
  readonly #signal: AbortSignal
  readonly #watch: StallWatch

  constructor(folder: string, spawned: ChildHandle, signal: AbortSignal, watch: StallWatch) {
    this.#folder = folder
    this.#spawned = spawned
    this.#signal = signal
    this.#watch = watch
  }

  /** Throws INVALID_PARAMS if ripgrep rejects its arguments. Ends ripgrep when the reader leaves. */
  async *read(format: RecordFormat): AsyncGenerator<string[], void, void> {
    const { stdout, stderr, exited } = this.#spawned
    const kill = () => {
      this.#spawned.kill(0)
      stdout.destroy()
    }
    this.#signal.addEventListener('abort', kill, { once: true })
    if (this.#signal.aborted) kill()
    let message = ''
    stderr.setEncoding('utf8').on('data', text => {
      const lines = (message + text).split('\n')
      const rest = lines.pop()!
      message = [...lines.filter(line => !this.#takeUnreadable(line)), rest].join('\n')
    })
    let stall: ToolError | undefined
    const endWatch = this.#watch(error => {
      stall = error
      kill()
    })
    let over = false
    try {
      yield* splitRecords(stdout, format, this.skipped)
      const exit = await exited
      const { code } = exit
      over = true
      if (stall) throw stall
      assertMounted(exit, this.#folder)
      // Error output may still be in the pipe.
      if (code !== 0 && !stderr.closed) await new Promise(resolve => stderr.once('close', resolve))
      this.#signal.throwIfAborted()
      if (code === ERROR_CODE && message !== '') throw argumentError(message)
      assertCompleted(exit, message)
    } catch (error) {
      this.#signal.throwIfAborted()
      throw stall ?? error
    } finally {
      endWatch()
      this.#signal.removeEventListener('abort', kill)
      if (!over) kill()
    }
  }

  /** Takes a message about a path. Returns false for another. */
  #takeUnreadable(line: string): boolean {
    const path = FILE_MESSAGE.exec(line)?.groups?.path
    if (path === undefined) return false
    if (this.unreadable.length < MAX_NOTED) this.unreadable.push(path)
    return true
  }
}

/** The message about a file or folder. Others are about the arguments. */
const FILE_MESSAGE = /^rg: (?:\.\/)?(?<path>.*): [^:]+ \(os error \d+\)$/

async function* readMatches(run: Run, context: number): AsyncGenerator<SearchHit[], void, void> {
  let file: FileMatches | undefined
  for await (const lines of run.read(JSON_LINES))
    for (const line of lines) {
      const message = parseMessage(line)
      if (message.type === 'begin') file = new FileMatches(decodePath(message.data.path).slice(2), context)
      else if (message.type === 'match' || message.type === 'context') {
        file?.add(message)
        if (file?.isFull) yield file.drain()
      } else if (message.type === 'end' && file) {
        if (message.data.binary_offset === null) yield file.drain()
        else run.binary.push(file.path)
        file = undefined
      }
    }
}

async function* readNames(run: Run): AsyncGenerator<SearchHit[], void, void> {
  for await (const names of run.read(NAMES)) {
    assertPath(names[0]!)
    yield names.map(name => ({ path: name.slice(2) }))
  }
}

// Each line is the path, NUL and the number.
async function* readCounts(run: Run): AsyncGenerator<SearchHit[], void, void> {
  for await (const lines of run.read({ end: NEWLINE, decode: spellBytes })) {
    assertPath(lines[0]!)
    yield lines.map(line => {
      const end = line.lastIndexOf('\0')
      return { path: line.slice(2, end), count: Number(line.slice(end + 1)) }
    })
  }
}

/** Parses a message; throws EXECUTION_ERROR for what is none. */
function parseMessage(line: string): RipgrepMessage {
  try {
    const message = JSON.parse(line) as RipgrepMessage
    if (message.type === 'summary' || typeof message.data === 'object') return message
  } catch {
    // It is no JSON.
  }
  throw outputError()
}

/** Every path that ripgrep prints begins with the folder that it searches. */
function assertPath(name: string) {
  if (!name.startsWith('./')) throw outputError()
}

const outputError = () =>
  new ToolError('EXECUTION_ERROR', 'The search failed: unexpected output of ripgrep. Reinstall Toolgate, and retry.')

const READERS = { content: readMatches, files: readNames, count: readCounts } as const

function parentOf(path: string): string {
  const slash = path.lastIndexOf('/')
  return slash < 0 ? '.' : path.slice(0, slash)
}

const joinPath = (folder: string, path: string) => (folder === '.' ? path : `${folder}/${path}`)

function compileIncludes(globs: readonly string[]) {
  const compiled = globs.map(compile)
  return (path: string) => compiled.some(glob => glob.matches(path))
}

/** Syntax that ignore files do not have, and ripgrep would find nothing for. */
const SEARCH_SYNTAX = /[?*+@!]\(|\[\[:|^\.\/|\/\//

/** Splits globs into those that are matched here, and lines of ignore files for ripgrep, which then skips whole folders. */
const partitionExcludes = (globs: readonly string[]) =>
  [globs.filter(glob => SEARCH_SYNTAX.test(glob)), globs.filter(glob => !SEARCH_SYNTAX.test(glob))] as const

/** A folder that matches excludes everything in it. */
function compileExcludes(globs: readonly string[]) {
  const compiled = globs.map(compile)
  return (path: string) =>
    compiled.length > 0 && [...listAncestors(path), path].some(each => compiled.some(glob => glob.matches(each)))
}

/** Throws if ripgrep did not finish, or never began: with the exit code for no matches it prints nothing. */
function assertCompleted({ code, signal }: ChildExit, message: string) {
  if (code === 0 || code === ERROR_CODE || (code === NO_MATCH_CODE && message === '')) return
  if (NOT_EXECUTED_CODES.has(code)) throw notExecutedError(message.trim())
  const why = message.trim() || (signal ? `ripgrep was killed by ${signal}` : `ripgrep ended with code ${code}`)
  throw new ToolError('EXECUTION_ERROR', `The search failed: ${why}`)
}

const isNotExecuted = (error: unknown): error is ToolError =>
  error instanceof ToolError && ['ENOENT', 'EACCES', 'ENOEXEC'].includes(String(error.details?.code))

function notExecutedError(why: string) {
  return new ToolError(
    'EXECUTION_ERROR',
    `ripgrep, which searches files, could not be started: ${why.replace(SHELL_PREFIX, '')}. Check that the user of the server may run it, or reinstall Toolgate, and retry.`
  )
}

function argumentError(output: string) {
  const message = output.replace(/^rg: /, '').trim()
  return invalidParam(message.startsWith('error parsing glob') ? 'exclude' : 'pattern', message)
}

function compile(glob: string) {
  try {
    return compileGlob(glob)
  } catch (error) {
    throw invalidParam('include', (error as SyntaxError).message)
  }
}
