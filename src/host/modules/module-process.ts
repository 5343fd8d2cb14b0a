// A process of its own in which one module runs, kept by the sandbox as commands are, with a clean environment. What it
// says is read within bounds; whatever ends it is told to all who wait for an answer.
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ToolError } from '../../errors.ts'
import type { Workspace } from '../host.ts'
import { BoundedLines } from '../processes/bounded-lines.ts'
import { commandEnvironment, type Environment } from '../processes/environment.ts'
import { findShell } from '../processes/find-program.ts'
import {
  type Resident,
  type ResidentEnd,
  type ResidentStarter,
  startResident
} from '../processes/long-lived-process.ts'
import { KILL_GRACE_MS, type Spawned } from '../processes/spawner/child-handle.ts'
import { notSetUp } from '../sandbox/bubblewrap/setup-errors.ts'
import { real } from '../sandbox/path-within.ts'
import type { Isolation, Mount } from '../sandbox/sandbox.ts'
import type { ModuleFolder } from './module-folder.ts'
import { type Described, FROM_SERVER, type FromModule, type Start, TO_SERVER, type Told } from './module-protocol.ts'

/** What module processes are started with. */
export interface ModuleStarter extends ResidentStarter {
  environment: Environment
}

export interface ModuleOptions {
  folder: ModuleFolder
  /** The module's path in that folder. */
  module: string
  workspace: Workspace
  isolation: Isolation
  /** Names of the server's environment that it may see besides the usual ones. */
  env_allow: readonly string[]
  limits: ModuleLimits
}

export interface ModuleLimits {
  memory_bytes: number
  /** How long it may take until it is loaded. */
  start_ms: number
  /** One answer. */
  answer_bytes: number
}

export interface CallOptions {
  /** Fields of the last argument of the function, besides `signal`, `progress` and `log`. */
  context?: object
  signal: AbortSignal
  told?: ((told: Told | Printed) => void) | undefined
}

/** What the module printed, to standard output or error. */
export interface Printed {
  printed: string
}

interface Pending {
  resolve(result: unknown): void
  reject(error: unknown): void
  told: CallOptions['told']
}

const MARK = 'MODULE_PROCESS'
/** How long a function that was asked to stop may go on. */
const STOP_MS = 500
const PRINTED_CHARACTERS = 4_000
/** Memory of Node besides what the module's own values take. */
const HEAP_SHARE = 0.75
const MIB = 1024 * 1024
/** The pipes get numbers of their own, so that what the module prints never mixes with what it answers. */
const OWN_PIPES = `exec "$@" ${TO_SERVER}>&1 ${FROM_SERVER}<&0 </dev/null 1>&2`

export class ModuleProcess {
  readonly pid: number
  /** Resolves when nothing of it is left. */
  readonly ended: Promise<ResidentEnd>
  readonly #name: string
  readonly #spawned: Spawned
  readonly #pending = new Map<number, Pending>()
  readonly #ready = Promise.withResolvers<Described>()
  #described: Described | undefined
  #printed = ''
  #lastId = 0
  #over: ToolError | undefined
  #why: string | undefined

  /** Resolves once the module is loaded. Fails with EXECUTION_ERROR where it cannot be, with what is wrong. */
  static async start(options: ModuleOptions, starter: ModuleStarter, signal?: AbortSignal): Promise<ModuleProcess> {
    const own = new ModuleProcess(options, await started(options, starter))
    const { start_ms } = options.limits
    const timer = setTimeout(() => own.kill(`it was not loaded within ${start_ms} ms`), start_ms)
    const cancelled = () => own.kill('it is not needed any more')
    signal?.addEventListener('abort', cancelled, { once: true })
    if (signal?.aborted) cancelled()
    try {
      own.#send(startOf(options))
      own.#described = await own.#ready.promise
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

  private constructor({ module, limits, isolation }: ModuleOptions, { spawned, ended }: Resident) {
    this.pid = spawned.pid
    this.#name = module
    this.#spawned = spawned
    const lines = new BoundedLines(limits.answer_bytes)
    spawned.read('stdout', bytes => this.#take(lines, bytes))
    spawned.stderr.setEncoding('utf8').on('data', (text: string) => this.#heard(text))
    this.#ready.promise.catch(() => {})
    this.ended = this.#end(ended, isolation)
  }

  /** The default export, as far as it is data. */
  get described(): Described {
    return this.#described!
  }

  get isOver(): boolean {
    return this.#over !== undefined
  }

  /** Something that it was asked has not been answered. */
  get isBusy(): boolean {
    return this.#pending.size > 0
  }

  /** Calls a function of the default export, with these arguments and then a context. Fails with EXECUTION_ERROR where it
   * throws or the process ends, and with the signal's reason; a function that does not heed the signal is ended with the
   * process. */
  async call(name: string, args: readonly unknown[], { context = {}, signal, told }: CallOptions): Promise<unknown> {
    signal.throwIfAborted()
    if (this.#over) throw this.#over
    // An error reports what was printed during its own call, not during earlier ones.
    if (!this.isBusy) this.#printed = ''
    const id = ++this.#lastId
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#pending.set(id, { resolve, reject, told })
    let timer: NodeJS.Timeout | undefined
    const abort = () => {
      this.#send({ cancel: id })
      timer = setTimeout(() => this.kill('it did not stop when asked to'), STOP_MS)
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

  /** Ends it at once. */
  kill(why: string) {
    this.#why ??= why
    this.#spawned.kill(0)
  }

  /** Lets it end, and ends it where it does not. */
  async stop(why: string): Promise<ResidentEnd> {
    this.#why ??= why
    if (!this.isOver) this.#spawned.kill(KILL_GRACE_MS)
    return this.ended
  }

  #send(message: object) {
    const { stdin } = this.#spawned
    if (stdin && !stdin.destroyed) stdin.write(`${JSON.stringify(message)}\n`)
  }

  #take(lines: BoundedLines, bytes: Uint8Array): boolean {
    try {
      for (const line of lines.push(bytes)) this.#hear(JSON.parse(line) as FromModule)
    } catch (error) {
      this.kill(error instanceof SyntaxError ? 'what it answered is no message' : (error as Error).message)
    }
    return true
  }

  #hear(message: FromModule) {
    if ('told' in message) this.#pending.get(message.id)?.told?.(message.told)
    // Printed output has a pipe of its own. What was printed before the answer is readable no later than the answer, so it
    // is read in this turn of the event loop at the latest.
    else setImmediate(() => this.#settle(message))
  }

  /** Hands over what ends the start or a call. */
  #settle(message: Exclude<FromModule, { told: Told }>) {
    if ('ready' in message) return this.#ready.resolve(message.ready)
    if ('fault' in message) return this.#ready.reject(this.#faulty(message.fault))
    const pending = this.#pending.get(message.id)
    if ('error' in message) pending?.reject(this.#faulty(message.error))
    else pending?.resolve(message.result)
  }

  #heard(text: string) {
    this.#printed = (this.#printed + text).slice(-PRINTED_CHARACTERS)
    for (const { told } of this.#pending.values()) told?.({ printed: text })
  }

  #faulty({ message, where }: { message: string; where?: string }): ToolError {
    const at = where === undefined ? '' : ` (${where})`
    return new ToolError('EXECUTION_ERROR', `${message}${at}`, this.#details(where))
  }

  #details(where?: string) {
    const printed = this.#printed.trim()
    return { module: this.#name, ...(where !== undefined && { where }), ...(printed && { printed }) }
  }

  async #end(ended: Resident['ended'], { level }: Isolation): Promise<ResidentEnd> {
    const end = await ended
    // Lets the last message be settled first.
    await new Promise(setImmediate)
    const { exit_code, signal, out_of_memory, never_began } = end
    if (out_of_memory) this.#why = 'it took more memory than it may'
    const how = this.#why ?? (signal ? `it was ended by ${signal}` : `it ended by itself with code ${exit_code}`)
    this.#over =
      never_began && level !== 'none' && this.#why === undefined
        ? notSetUp(this.#printed, exit_code ?? 1)
        : new ToolError('EXECUTION_ERROR', `The module ${this.#name} does not answer: ${how}.`, this.#details())
    this.#ready.reject(this.#over)
    for (const { reject } of this.#pending.values()) reject(this.#over)
    return end
  }
}

async function started(
  { folder, workspace, isolation, env_allow, limits: { memory_bytes } }: ModuleOptions,
  { environment, ...starter }: ModuleStarter
): Promise<Resident> {
  const env = commandEnvironment(environment, env_allow, {})
  const heap = `--max-old-space-size=${Math.max(16, Math.floor((memory_bytes * HEAP_SHARE) / MIB))}`
  const node = real(process.execPath)
  const program = {
    file: findShell(env),
    args: ['-c', OWN_PIPES, 'sh', node, heap, '--no-warnings', GUEST],
    cwd: workspace.root,
    env,
    mounts: [...new Set([node, ...OWN_FILES, folder.path])].map((file): Mount => ({ from: file, to: file })),
    limits: { memory_bytes, cpu_seconds: Number.POSITIVE_INFINITY }
  }
  await starter.sandbox.states()
  return startResident({ mark: MARK, program, isolation, workspace }, starter)
}

const startOf = ({ folder, module }: ModuleOptions): Start => ({
  file: `${folder.path}/${module}`,
  folder: folder.path,
  files: folder.files,
  own: OWN
})

// As sources, or as built from them: in one file each.
const isSource = import.meta.url.endsWith('.ts')
const ownFile = (source: string, built: string) =>
  real(fileURLToPath(new URL(isSource ? source : built, import.meta.url)))
const GUEST = ownFile('./guest.ts', './module-guest.js')
/** What modules import from us. */
const OWN = {
  'toolgate/tool': ownFile('../../authoring/tool.ts', '../authoring/tool.js'),
  'toolgate/hook': ownFile('../../authoring/hook.ts', '../authoring/hook.js')
}
const OWN_FILES = [
  GUEST,
  ...Object.values(OWN),
  ...(isSource ? [dirname(dirname(createRequire(import.meta.url).resolve('typebox')))] : [])
]
