// Limits the running language servers: their number, their idle time, and the memory of each.
import type { Config } from '../../config/schema.ts'
import { ToolError } from '../../errors.ts'
import { processTreeMemory } from './process-tree-memory.ts'
import type { ProjectServer } from './project-server.ts'

const MAX_CHECK_INTERVAL_MS = 2_000

type ResourceLimits = Pick<Config['language_servers'], 'max_servers' | 'idle_ms' | 'memory_bytes'>

export class ResourceLimiter {
  readonly #servers: () => Iterable<ProjectServer>
  readonly #limits: ResourceLimits
  #timer: NodeJS.Timeout | undefined

  constructor(servers: () => Iterable<ProjectServer>, bounds: ResourceLimits) {
    this.#servers = servers
    this.#limits = bounds
  }

  /** Resolves once another server may start. Throws LSP_UNAVAILABLE if all are busy. */
  async makeRoom(starting: ProjectServer): Promise<void> {
    this.#timer ??= setInterval(() => this.#enforce(), Math.min(MAX_CHECK_INTERVAL_MS, this.#limits.idle_ms)).unref()
    const { max_servers } = this.#limits
    const others = [...this.#servers()].filter(server => server !== starting && server.isRunning)
    if (others.length < max_servers) return
    const [idlest] = others
      .filter(({ inFlight, session }) => inFlight === 0 && session)
      .sort((a, b) => a.lastUsed - b.lastUsed)
    if (!idlest)
      throw new ToolError(
        'LSP_UNAVAILABLE',
        `All ${max_servers} language servers that may run at the same time are busy. Try again later.`,
        {
          limit: max_servers
        }
      )
    await idlest.stop('its slot was needed for another language server')
  }

  close() {
    clearInterval(this.#timer)
  }

  #enforce() {
    const { idle_ms, memory_bytes } = this.#limits
    let runs = false
    for (const server of this.#servers()) {
      const { session } = server
      if (server.isRunning) runs = true
      if (!session) continue
      const bytes = processTreeMemory(session.pid)
      if (bytes > memory_bytes) session.kill(`the server used ${bytes} bytes of memory; the limit is ${memory_bytes}`)
      else if (server.inFlight === 0 && performance.now() - server.lastUsed > idle_ms)
        void server.stop(`the server was idle for ${idle_ms} ms`)
    }
    if (runs) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
