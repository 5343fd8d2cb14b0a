// The processes of modules that run. Each serves one call at a time. One that can change nothing is kept for the next
// call; any other ends with its call, so that what it changed is that call's, and nothing of it lingers.

import { ToolError } from '../../errors.ts'
import type { Workspace } from '../host.ts'
import type { Environment } from '../processes/environment.ts'
import type { ResidentEnd } from '../processes/long-lived-process.ts'
import type { Isolation } from '../sandbox/sandbox.ts'
import type { ModuleFolder } from './module-folder.ts'
import { type CallOptions, type ModuleLimits, ModuleProcess, type ModuleStarter } from './module-process.ts'
import type { Described } from './module-protocol.ts'

/** A module, as it was looked at. */
export interface Module {
  folder: ModuleFolder
  /** Its path in that folder. */
  name: string
  env_allow: readonly string[]
}

export interface PoolSettings extends ModuleLimits {
  /** How many run at once. */
  processes: number
  /** How long one is kept that nobody needs. */
  idle_ms: number
}

/** Where a module runs. */
export interface Where {
  workspace: Workspace
  isolation: Isolation
  signal: AbortSignal
}

/** A module to be asked. */
export interface Asked {
  described: Described
  call(name: string, args: readonly unknown[], options?: Omit<CallOptions, 'signal'>): Promise<unknown>
}

interface Kept {
  process: ModuleProcess
  timer: NodeJS.Timeout
}

export class ModulePool {
  readonly #starter: ModuleStarter
  readonly #settings: PoolSettings
  readonly #idle = new Map<string, Kept[]>()
  readonly #running = new Set<ModuleProcess>()
  readonly #closing = new AbortController()
  readonly #waiting = new Set<() => void>()
  #taken = 0

  constructor(starter: ModuleStarter, settings: PoolSettings) {
    this.#starter = starter
    this.#settings = settings
  }

  /** The server's own environment. */
  get environment(): Environment {
    return this.#starter.environment
  }

  /** The least rights that are to be had here: a module is described with these, and shows what it would do. */
  async least(): Promise<Isolation> {
    const states = await this.#starter.sandbox.states()
    const strict = states.some(({ level, holds }) => level === 'strict' && holds)
    return { level: strict ? 'strict' : this.#starter.sandbox.default, network: [] }
  }

  /** Has a module do something, in a process that nobody else uses meanwhile. Tells also what that left behind, where it
   * ended with the work. */
  async use<T>(
    module: Module,
    where: Where,
    work: (asked: Asked) => Promise<T>
  ): Promise<{ value: T; end?: ResidentEnd }> {
    const signal = AbortSignal.any([where.signal, this.#closing.signal])
    const key = keyOf(module, where)
    await this.#enter(signal)
    let process: ModuleProcess | undefined
    try {
      process = this.#takeIdle(key) ?? (await this.#start(module, where, signal))
      const own = process
      const value = await work({
        described: own.described,
        call: (name, args, options) => own.call(name, args, { ...options, signal })
      })
      if (where.isolation.level === 'strict') return { value }
      return { value, end: await own.stop('its call has ended') }
    } finally {
      if (process) await this.#leave(key, process, where.isolation)
      this.#exit()
    }
  }

  /** Ends those that are kept of a module, since it is not what it was. */
  async drop({ folder }: Pick<Module, 'folder'>): Promise<void> {
    const kept = [...this.#idle].filter(([key]) => key.startsWith(`${folder.path}\n${folder.sha256}\n`))
    for (const [key] of kept) this.#idle.delete(key)
    await Promise.all(kept.flatMap(([, all]) => all.map(one => this.#end(one, 'the module is not what it was'))))
  }

  /** How many processes there are, working or kept. */
  get size(): number {
    return this.#running.size
  }

  async close(): Promise<void> {
    this.#closing.abort(new ToolError('EXECUTION_ERROR', 'The server is shutting down.'))
    this.#idle.clear()
    await Promise.all([...this.#running].map(process => process.stop('the server is shutting down')))
  }

  async #start({ folder, name, env_allow }: Module, { workspace, isolation }: Where, signal: AbortSignal) {
    // One that nobody uses makes room.
    if (this.#running.size >= this.#settings.processes) await this.#dropOldest()
    const options = { folder, module: name, workspace, isolation, env_allow, limits: this.#settings }
    const process = await ModuleProcess.start(options, this.#starter, signal)
    this.#running.add(process)
    void process.ended.then(() => this.#running.delete(process))
    return process
  }

  #takeIdle(key: string): ModuleProcess | undefined {
    const kept = this.#idle.get(key)?.pop()
    clearTimeout(kept?.timer)
    return kept?.process.isOver ? this.#takeIdle(key) : kept?.process
  }

  async #leave(key: string, process: ModuleProcess, { level }: Isolation) {
    if (process.isOver) return
    if (level !== 'strict' || this.#closing.signal.aborted || process.isBusy) {
      await process.stop('its call has ended')
      return
    }
    const kept: Kept = {
      process,
      timer: setTimeout(() => {
        this.#idle.set(key, this.#idle.get(key)?.filter(one => one !== kept) ?? [])
        void this.#end(kept, 'nobody needed it')
      }, this.#settings.idle_ms).unref()
    }
    this.#idle.set(key, [...(this.#idle.get(key) ?? []), kept])
  }

  async #dropOldest() {
    for (const [key, [oldest, ...others]] of this.#idle) {
      this.#idle.set(key, others)
      if (oldest) return this.#end(oldest, 'another one needed its place')
      this.#idle.delete(key)
    }
  }

  async #end({ process, timer }: Kept, why: string) {
    clearTimeout(timer)
    await process.stop(why)
  }

  /** Waits for a place. Whoever gives up waits no more, so that the next one gets what comes free. */
  async #enter(signal: AbortSignal) {
    signal.throwIfAborted()
    while (this.#taken >= this.#settings.processes) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const giveUp = () => {
        this.#waiting.delete(resolve)
        reject(signal.reason)
      }
      this.#waiting.add(resolve)
      signal.addEventListener('abort', giveUp, { once: true })
      await promise.finally(() => signal.removeEventListener('abort', giveUp))
    }
    this.#taken += 1
  }

  #exit() {
    this.#taken -= 1
    const [next] = this.#waiting
    if (next === undefined) return
    this.#waiting.delete(next)
    next()
  }
}

const keyOf = ({ folder, name, env_allow }: Module, { workspace, isolation: { level, network } }: Where) =>
  [folder.path, folder.sha256, name, workspace.name, level, ...network, '', ...env_allow].join('\n')
