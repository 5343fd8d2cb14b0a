// A process that runs one module, sandboxed like commands, with a clean environment. Its messages are bounded; its end is
// reported to all waiting calls.
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ToolError } from '../../errors.ts'
import { BoundedLines } from '../processes/bounded-lines.ts'
import { commandEnvironment, type Environment } from '../processes/environment.ts'
import { findShell } from '../processes/find-program.ts'
import {
  type LongLivedProcess,
  type LongLivedProcessExit,
  type LongLivedProcessStarter,
  startLongLivedProcess
} from '../processes/long-lived-process.ts'
import { type ChildHandle, KILL_GRACE_MS } from '../processes/spawner/child-handle.ts'
import { sandboxSetupError } from '../sandbox/bubblewrap/setup-errors.ts'
import { realPath } from '../sandbox/path-within.ts'
import type { Isolation, Mount } from '../sandbox/sandbox.ts'
import type { Workspace } from '../workspace.ts'
import type { ModuleFolder } from './module-folder.ts'
import {
  FROM_SERVER,
  type ModuleDescription,
  type ModuleMessage,
  type ModuleProgress,
  type StartMessage,
  TO_SERVER
} from './module-protocol.ts'

/** Dependencies for starting module processes. */
export interface ModuleStarter extends LongLivedProcessStarter {
  environment: Environment
}

export interface ModuleOptions {
  folder: ModuleFolder
  /** The module's path in that folder. */
  module: string
  workspace: Workspace
  isolation: Isolation
  /** Names of the server's variables that it may see besides the default ones. */
  env_allow: readonly string[]
  limits: ModuleLimits
}

export interface ModuleLimits {
  memory_bytes: number
  /** Time limit for loading in milliseconds. */
  start_ms: number
  /** Maximum size of one answer. */
  answer_bytes: number
}

export interface ModuleCallOptions {
  /** Fields of the function's last argument besides `signal`, `progress` and `log`. */
  context?: object
  signal: AbortSignal
  onOutput?: ((output: ModuleProgress | PrintedText) => void) | undefined
}

/** Text printed by the module, to standard output or error. */
export interface PrintedText {
  printed: string
}

interface PendingCall {
  resolve(result: unknown): void
  reject(error: unknown): void
  onOutput: ModuleCallOptions['onOutput']
}

const PROCESS_MARK = 'MODULE_PROCESS'
/** Time limit for a function to stop after a cancellation. */
const STOP_TIMEOUT_MS = 500
const MAX_PRINTED_CHARACTERS = 4_000
/** Share of memory available to the module's own values; Node needs the rest. */
const HEAP_SHARE = 0.75
const MIB = 1024 * 1024
/** The pipes get separate descriptors, so that printed output never mixes with answers. */
const PIPE_SCRIPT = `exec "$@" ${TO_SERVER}>&1 ${FROM_SERVER}<&0 </dev/null 1>&2`

export class ModuleProcess {
  readonly pid: number
  /** Resolves when no process of it is left. */
  readonly ended: Promise<LongLivedProcessExit>
  readonly #name: string
  readonly #spawned: ChildHandle
  readonly #pending = new Map<number, PendingCall>()
  readonly #ready = Promise.withResolvers<ModuleDescription>()
  #description: ModuleDescription | undefined
  #printed = ''
  #lastId = 0
  #exitError: ToolError | undefined
  #exitReason: string | undefined

  /** Resolves once the module is loaded. Fails with EXECUTION_ERROR and the reason if it cannot be. */
  static async start(options: ModuleOptions, starter: ModuleStarter, signal?: AbortSignal): Promise<ModuleProcess> {
    const own = new ModuleProcess(options, await startModuleProcess(options, starter))
    const { start_ms } = options.limits
    const timer = setTimeout(() => own.kill(`the module was not loaded within ${start_ms} ms`), start_ms)
    const cancelled = () => own.kill('the module is no longer needed')
    signal?.addEventListener('abort', cancelled, { once: true })
    if (signal?.aborted) cancelled()
    try {
      own.#send(toStartMessage(options))
      own.#description = await own.#ready.promise
      return own
    } catch (error) {
      await own.ended
      signal?.throwIfAborted()
      throw error
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', cancelled)
    }
  }

  private constructor({ module, limits, isolation }: ModuleOptions, { spawned, ended }: LongLivedProcess) {
    this.pid = spawned.pid
    this.#name = module
    this.#spawned = spawned
    const lines = new BoundedLines(limits.answer_bytes)
    spawned.read('stdout', bytes => this.#readLines(lines, bytes))
    spawned.stderr.setEncoding('utf8').on('data', (text: string) => this.#onPrinted(text))
    this.#ready.promise.catch(() => {})
    this.ended = this.#waitForExit(ended, isolation)
  }

  /** The default export, as far as it is data. */
  get description(): ModuleDescription {
    return this.#description!
  }

  get hasExited(): boolean {
    return this.#exitError !== undefined
  }

  /** True while a call is in flight. */
  get isBusy(): boolean {
    return this.#pending.size > 0
  }

  /**
   * Calls a function of the default export, with these arguments and then a context. Fails with EXECUTION_ERROR if it throws or
   * the process ends, and with the signal's reason; a function that ignores the signal is ended with the process.
   */
  async call(
    name: string,
    args: readonly unknown[],
    { context = {}, signal, onOutput }: ModuleCallOptions
  ): Promise<unknown> {
    signal.throwIfAborted()
    if (this.#exitError) throw this.#exitError
    // An error reports the output of the same call, not of earlier ones.
    if (!this.isBusy) this.#printed = ''
    const id = ++this.#lastId
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#pending.set(id, { resolve, reject, onOutput })
    let timer: NodeJS.Timeout | undefined
    const abort = () => {
      this.#send({ cancel: id })
      timer = setTimeout(() => this.kill('the module did not stop on request'), STOP_TIMEOUT_MS)
    }
    signal.addEventListener('abort', abort, { once: true })
    try {
      this.#send({ id, call: name, args, context })
      return await promise
    } catch (error) {
      signal.throwIfAborted()
      throw error
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      this.#pending.delete(id)
    }
  }

  /** Kills it. */
  kill(why: string) {
    this.#exitReason ??= why
    this.#spawned.kill(0)
  }

  /** Shuts it down, and kills it if it does not exit. */
  async stop(why: string): Promise<LongLivedProcessExit> {
    this.#exitReason ??= why
    if (!this.hasExited) this.#spawned.kill(KILL_GRACE_MS)
    return this.ended
  }

  #send(message: object) {
    const { stdin } = this.#spawned
    if (stdin && !stdin.destroyed) stdin.write(`${JSON.stringify(message)}\n`)
  }

  #readLines(lines: BoundedLines, bytes: Uint8Array): boolean {
    try {
      for (const line of lines.push(bytes)) this.#onMessage(JSON.parse(line) as ModuleMessage)
    } catch (error) {
      this.kill(error instanceof SyntaxError ? 'the response of the module is malformed' : (error as Error).message)
    }
    return true
  }

  #onMessage(message: ModuleMessage) {
    if ('told' in message) this.#pending.get(message.id)?.onOutput?.(message.told)
    // Printed output has a separate pipe. Output printed before the answer is readable no later than the answer, so it is read in
    // this turn of the event loop at the latest.
    else setImmediate(() => this.#settle(message))
  }

  /** Settles the start or a call. */
  #settle(message: Exclude<ModuleMessage, { told: ModuleProgress }>) {
    if ('ready' in message) return this.#ready.resolve(message.ready)
    if ('fault' in message) return this.#ready.reject(this.#toError(message.fault))
    const pending = this.#pending.get(message.id)
    if ('error' in message) pending?.reject(this.#toError(message.error))
    else pending?.resolve(message.result)
  }

  #onPrinted(text: string) {
    this.#printed = (this.#printed + text).slice(-MAX_PRINTED_CHARACTERS)
    for (const { onOutput } of this.#pending.values()) onOutput?.({ printed: text })
  }

  #toError({ message, where }: { message: string; where?: string }): ToolError {
    const at = where === undefined ? '' : ` (${where})`
    return new ToolError('EXECUTION_ERROR', `${message}${at}`, this.#details(where))
  }

  #details(where?: string) {
    const printed = this.#printed.trim()
    return { module: this.#name, ...(where !== undefined && { where }), ...(printed && { printed }) }
  }

  async #waitForExit(ended: LongLivedProcess['ended'], { level }: Isolation): Promise<LongLivedProcessExit> {
    const end = await ended
    // Settles the last message first.
    await new Promise(setImmediate)
    const { exit_code, signal, out_of_memory, never_began } = end
    if (out_of_memory) this.#exitReason = 'the module exceeded its memory limit'
    const how =
      this.#exitReason ?? (signal ? `the module was killed by ${signal}` : `the module exited with code ${exit_code}`)
    this.#exitError =
      never_began && level !== 'none' && this.#exitReason === undefined
        ? sandboxSetupError(this.#printed, exit_code ?? 1)
        : new ToolError('EXECUTION_ERROR', `The module ${this.#name} does not answer: ${how}.`, this.#details())
    this.#ready.reject(this.#exitError)
    for (const { reject } of this.#pending.values()) reject(this.#exitError)
    return end
  }
}

async function startModuleProcess(
  { folder, workspace, isolation, env_allow, limits: { memory_bytes } }: ModuleOptions,
  { environment, ...starter }: ModuleStarter
): Promise<LongLivedProcess> {
  const env = commandEnvironment(environment, env_allow, {})
  const heap = `--max-old-space-size=${Math.max(16, Math.floor((memory_bytes * HEAP_SHARE) / MIB))}`
  const node = realPath(process.execPath)
  const program = {
    file: findShell(env),
    args: ['-c', PIPE_SCRIPT, 'sh', node, heap, '--no-warnings', GUEST_FILE],
    cwd: workspace.root,
    env,
    mounts: [...new Set([node, ...MOUNTED_FILES, folder.path])].map((file): Mount => ({ from: file, to: file })),
    limits: { memory_bytes, cpu_seconds: Number.POSITIVE_INFINITY }
  }
  await starter.sandbox.states()
  return startLongLivedProcess({ mark: PROCESS_MARK, program, isolation, workspace }, starter)
}

const toStartMessage = ({ folder, module }: ModuleOptions): StartMessage => ({
  file: `${folder.path}/${module}`,
  folder: folder.path,
  files: folder.files,
  own: AUTHORING_MODULES
})

// Running from sources, or from a build with one file each.
const isSource = import.meta.url.endsWith('.ts')
const packageFile = (source: string, built: string) =>
  realPath(fileURLToPath(new URL(isSource ? source : built, import.meta.url)))
const GUEST_FILE = packageFile('./guest.ts', './module-guest.js')
/** Modules that user modules may import from this package. */
const AUTHORING_MODULES = {
  'toolgate/tool': packageFile('../../authoring/tool.ts', '../authoring/tool.js'),
  'toolgate/hook': packageFile('../../authoring/hook.ts', '../authoring/hook.js')
}
const MOUNTED_FILES = [
  GUEST_FILE,
  ...Object.values(AUTHORING_MODULES),
  ...(isSource ? [dirname(dirname(createRequire(import.meta.url).resolve('typebox')))] : [])
]
