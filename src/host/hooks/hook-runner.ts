// Runs hooks: programs and modules that receive a call and return a verdict. Each is sandboxed, limited in time and output, and
// must match the content that a person has trusted.
import path from 'node:path'
import { ToolError } from '../../errors.ts'
import type { IsolationLevel } from '../../protocol/isolation-levels.ts'
import { type ACCEPTED_LEVELS, currentLevel } from '../../protocol/isolation-levels.ts'
import { ModuleFolderError, readModuleFolder } from '../modules/module-folder.ts'
import { ModuleProcess, type ModuleStarter } from '../modules/module-process.ts'
import type { Processes } from '../processes/processes.ts'
import { isSystemPath } from '../sandbox/bubblewrap/system-folders.ts'
import { isWithin, realPath } from '../sandbox/path-within.ts'
import type { Isolation, Mount } from '../sandbox/sandbox.ts'
import { findCommandFiles, isFileOrLink } from '../trust/command-files.ts'
import { fileHash } from '../trust/content-hash.ts'
import type { TrustStore } from '../trust/trust-store.ts'
import type { Workspace } from '../workspace.ts'

interface HookProgram {
  when: 'before' | 'after'
  command?: readonly string[]
  module?: string
  timeout_ms: number
  isolation?: (typeof ACCEPTED_LEVELS)[number] | undefined
  network?: readonly string[] | undefined
  /** Default for its permission to change files, as the call may. */
  canModify: boolean
}

/** Output of a hook: a module's answer, or a program's output and exit code. */
export type HookOutput = { answer: unknown } | { stdout: string; stderr: string; exit_code: number | null }

interface HookRunnerOptions {
  /** Creates processes that belong to no call, until the signal aborts. */
  processes: (signal: AbortSignal) => Processes
  starter: ModuleStarter
  trust: TrustStore
  home: string
  env_allow: readonly string[]
}

const MAX_OUTPUT_BYTES = 2 * 1024 * 1024
const MODULE_MEMORY_BYTES = 512 * 1024 * 1024

/** Hooks for calls in one workspace. */
export class HookRunner {
  readonly #workspace: Workspace
  readonly #options: HookRunnerOptions

  constructor(workspace: Workspace, options: HookRunnerOptions) {
    this.#workspace = workspace
    this.#options = options
  }

  /** Runs a hook and returns its output. Fails if its content is not trusted, it cannot be run, or it times out. */
  async run(hook: HookProgram, input: object, signal: AbortSignal): Promise<HookOutput> {
    const { command, module } = hook
    return module === undefined
      ? this.#runProgram(hook, command!, input, signal)
      : this.#runModule(hook, module, input, signal)
  }

  async #runProgram(
    hook: HookProgram,
    command: readonly string[],
    input: object,
    signal: AbortSignal
  ): Promise<HookOutput> {
    const { root } = this.#workspace
    const argv = command.map(word => this.#expandHome(word))
    for (const file of findCommandFiles(argv, root)) this.#assertTrusted(file, fileHash(file))
    const { text, stderr, exit_code } = await this.#options.processes(signal).filter({
      argv,
      cwd: '.',
      stdin: `${JSON.stringify(input)}\n`,
      level: await this.#level(hook),
      network: hook.network ?? [],
      mounts: userFileMounts(argv, root),
      timeout_ms: hook.timeout_ms,
      maxBytes: MAX_OUTPUT_BYTES
    })
    if (text === undefined) throw new ToolError('EXECUTION_ERROR', 'The output of the hook is not text.')
    return { stdout: text, stderr, exit_code }
  }

  async #runModule(hook: HookProgram, module: string, input: object, signal: AbortSignal): Promise<HookOutput> {
    const { starter, env_allow } = this.#options
    const file = path.resolve(this.#workspace.root, this.#expandHome(module))
    const folder = await readModuleFolder(path.dirname(file)).catch(error => {
      throw error instanceof ModuleFolderError ? new ToolError('EXECUTION_ERROR', error.message) : error
    })
    if (!folder) throw new ToolError('FILE_NOT_FOUND', `The file ${file} does not exist.`)
    if (isWithin(file, this.#workspace.root)) this.#assertTrusted(folder.path, folder.sha256)
    const level = (await this.#level(hook)) ?? starter.sandbox.default
    const isolation: Isolation = { level, network: hook.network ?? [] }
    const limits = { memory_bytes: MODULE_MEMORY_BYTES, start_ms: hook.timeout_ms, answer_bytes: MAX_OUTPUT_BYTES }
    const options = { folder, module: path.basename(file), workspace: this.#workspace, isolation, env_allow, limits }
    const late = AbortSignal.timeout(hook.timeout_ms)
    const until = AbortSignal.any([signal, late])
    try {
      const running = await ModuleProcess.start(options, starter, until)
      try {
        if (!running.description.functions.includes(hook.when))
          throw new ToolError(
            'EXECUTION_ERROR',
            `The module of the hook exports no function ${hook.when}. See defineHook.`
          )
        return { answer: await running.call(hook.when, [input], { signal: until }) }
      } finally {
        await running.stop('it has answered')
      }
    } catch (error) {
      if (late.aborted && !signal.aborted)
        throw new ToolError('TIMEOUT', `The hook took longer than ${hook.timeout_ms} ms.`, undefined, { cause: error })
      throw error
    }
  }

  /** Returns undefined for the default level of commands. */
  async #level({ isolation, canModify }: HookProgram): Promise<IsolationLevel | undefined> {
    if (isolation || canModify) return isolation && currentLevel(isolation)
    const states = await this.#options.starter.sandbox.states()
    return states.some(({ level, holds }) => level === 'read-only' && holds) ? 'read-only' : undefined
  }

  #assertTrusted(file: string, sha256: string | undefined) {
    if (sha256 !== undefined && this.#options.trust.isTrusted(file, sha256)) return
    const state = this.#options.trust.isKnown(file) ? 'has changed since it was trusted' : 'is not trusted'
    throw new ToolError('PERMISSION_DENIED', `${file} ${state}. To review and trust it, run: toolgate trust '${file}'`)
  }

  #expandHome(word: string) {
    return word.startsWith('~/') ? path.join(this.#options.home, word.slice(2)) : word
  }
}

/** Mounts files of the user that the arguments name, which a sandbox does not show by default. */
function userFileMounts(argv: readonly string[], root: string): Mount[] {
  const named = argv.filter(word => path.isAbsolute(word) && !isWithin(word, root) && !isSystemPath(word))
  return named.filter(isFileOrLink).map(file => ({ from: realPath(file), to: file }))
}
