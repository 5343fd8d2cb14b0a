// Pool of module processes. Each serves one call at a time. A read-only one is reused for later calls; any other ends with its
// call, so that its changes belong to that call and no process remains.

import { ToolError } from '../../errors.ts'
import type { Environment } from '../processes/environment.ts'
import type { LongLivedProcessExit } from '../processes/long-lived-process.ts'
import type { Isolation } from '../sandbox/sandbox.ts'
import type { Workspace } from '../workspace.ts'
import type { ModuleFolder } from './module-folder.ts'
import { type ModuleCallOptions, type ModuleLimits, ModuleProcess, type ModuleStarter } from './module-process.ts'
import type { ModuleDescription } from './module-protocol.ts'

/** A module, as inspected. */
export interface ModuleReference {
  folder: ModuleFolder
  /** Its path in that folder. */
  name: string
  env_allow: readonly string[]
}

export interface ModulePoolSettings extends ModuleLimits {
  /** Maximum number of processes. */
  processes: number
  /** Idle time in milliseconds after which a process is ended. */
  idle_ms: number
}

/** Environment in which a module runs. */
interface ModuleRunContext {
  workspace: Workspace
  isolation: Isolation
  signal: AbortSignal
}

/** A module ready for calls. */
export interface RunningModule {
  description: ModuleDescription
  call(name: string, args: readonly unknown[], options?: Omit<ModuleCallOptions, 'signal'>): Promise<unknown>
}

interface IdleProcess {
  process: ModuleProcess
  timer: NodeJS.Timeout
}

export class ModulePool {
  readonly #starter: ModuleStarter
  readonly #settings: ModulePoolSettings
  readonly #idle = new Map<string, IdleProcess[]>()
  readonly #running = new Set<ModuleProcess>()
  readonly #closing = new AbortController()
  readonly #waiting = new Set<() => void>()
  #inUse = 0

  constructor(starter: ModuleStarter, settings: ModulePoolSettings) {
    this.#starter = starter
    this.#settings = settings
  }

  /** The server's own environment. */
  get environment(): Environment {
    return this.#starter.environment
  }

  /** Returns the strongest available isolation: used to describe a module and for dry runs. */
  async minimalIsolation(): Promise<Isolation> {
    const states = await this.#starter.sandbox.states()
    const strict = states.some(({ level, holds }) => level === 'read-only' && holds)
    return { level: strict ? 'read-only' : this.#starter.sandbox.default, network: [] }
  }

  /** Runs work in a process reserved for it. Also reports the files it left, if the process ended with the work. */
  async run<T>(
    module: ModuleReference,
    where: ModuleRunContext,
    work: (running: RunningModule) => Promise<T>
  ): Promise<{ value: T; end?: LongLivedProcessExit }> {
    const signal = AbortSignal.any([where.signal, this.#closing.signal])
    const key = poolKey(module, where)
    await this.#acquireSlot(signal)
    let process: ModuleProcess | undefined
    try {
      process = this.#takeIdle(key) ?? (await this.#start(module, where, signal))
      const own = process
      const value = await work({
        description: own.description,
        call: (name, args, options) => own.call(name, args, { ...options, signal })
      })
      if (where.isolation.level === 'read-only') return { value }
      return { value, end: await own.stop('the call has ended') }
    } finally {
      if (process) await this.#release(key, process, where.isolation)
      this.#releaseSlot()
    }
  }

  /** Ends the idle processes of a module that has changed. */
  async evict({ folder }: Pick<ModuleReference, 'folder'>): Promise<void> {
    const stale = [...this.#idle].filter(([key]) => key.startsWith(`${folder.path}\n${folder.sha256}\n`))
    for (const [key] of stale) this.#idle.delete(key)
    await Promise.all(stale.flatMap(([, all]) => all.map(one => this.#stop(one, 'the module has changed'))))
  }

  /** Number of processes, busy or idle. */
  get size(): number {
    return this.#running.size
  }

  async close(): Promise<void> {
    this.#closing.abort(new ToolError('EXECUTION_ERROR', 'The server is shutting down.'))
    this.#idle.clear()
    await Promise.all([...this.#running].map(process => process.stop('the server is shutting down')))
  }

  async #start(
    { folder, name, env_allow }: ModuleReference,
    { workspace, isolation }: ModuleRunContext,
    signal: AbortSignal
  ) {
    // An idle process is evicted for a new one.
    if (this.#running.size >= this.#settings.processes) await this.#evictOldest()
    const options = { folder, module: name, workspace, isolation, env_allow, limits: this.#settings }
    const process = await ModuleProcess.start(options, this.#starter, signal)
    this.#running.add(process)
    void process.ended.then(() => this.#running.delete(process))
    return process
  }

  #takeIdle(key: string): ModuleProcess | undefined {
    const idle = this.#idle.get(key)?.pop()
    clearTimeout(idle?.timer)
    return idle?.process.hasExited ? this.#takeIdle(key) : idle?.process
  }

  async #release(key: string, process: ModuleProcess, { level }: Isolation) {
    if (process.hasExited) return
    if (level !== 'read-only' || this.#closing.signal.aborted || process.isBusy) {
      await process.stop('the call has ended')
      return
    }
    const idle: IdleProcess = {
      process,
      timer: setTimeout(() => {
        this.#idle.set(key, this.#idle.get(key)?.filter(one => one !== idle) ?? [])
        void this.#stop(idle, 'the process was idle')
      }, this.#settings.idle_ms).unref()
    }
    this.#idle.set(key, [...(this.#idle.get(key) ?? []), idle])
  }

  async #evictOldest() {
    for (const [key, [oldest, ...others]] of this.#idle) {
      this.#idle.set(key, others)
      if (oldest) return this.#stop(oldest, 'another module needed the process')
      this.#idle.delete(key)
    }
  }

  async #stop({ process, timer }: IdleProcess, why: string) {
    clearTimeout(timer)
    await process.stop(why)
  }

  /** Waits for a slot. A canceled wait is removed, so that the next one gets the free slot. */
  async #acquireSlot(signal: AbortSignal) {
    signal.throwIfAborted()
    while (this.#inUse >= this.#settings.processes) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const giveUp = () => {
        this.#waiting.delete(resolve)
        reject(signal.reason)
      }
      this.#waiting.add(resolve)
      signal.addEventListener('abort', giveUp, { once: true })
      await promise.finally(() => signal.removeEventListener('abort', giveUp))
    }
    this.#inUse += 1
  }

  #releaseSlot() {
    this.#inUse -= 1
    const [next] = this.#waiting
    if (next === undefined) return
    this.#waiting.delete(next)
    next()
  }
}

const poolKey = (
  { folder, name, env_allow }: ModuleReference,
  { workspace, isolation: { level, network } }: ModuleRunContext
) => [folder.path, folder.sha256, name, workspace.name, level, ...network, '', ...env_allow].join('\n')
