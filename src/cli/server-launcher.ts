// Launcher for programs that need a project's server: uses the running one, or starts one that ends with the program.
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { ServerConnection } from '../client/http-transport.ts'
import type { DiscoveredServer } from '../node-client/discover.ts'
import type { CliContext } from './context.ts'
import { CliError, EXIT } from './exit.ts'

/** Later startup errors are reported on stderr by the server itself. */
const SERVE_ARGS = ['serve', '--ready', 'json', '--exit-with-stdin', '--reuse', '--port', '0', '--log-level', 'error']

export class ServerLauncher {
  readonly #context: CliContext
  #endServer: (() => Promise<unknown>) | undefined
  #finding: Promise<DiscoveredServer> | undefined

  constructor(context: CliContext) {
    this.#context = context
  }

  /** Returns the server's address with one of its tokens. A server named by the environment uses the token named there. */
  async findOrStart(token: 'token' | 'call_token'): Promise<ServerConnection> {
    // Concurrent requests after a disconnect share one start.
    this.#finding ??= this.#findRunning()
      .then(running => running ?? this.#start())
      .finally(() => {
        this.#finding = undefined
      })
    const found = await this.#finding
    return { url: found.url, token: found.record?.[token] ?? found.token }
  }

  /** Closes the input of the started server, which ends it. */
  async stop() {
    await this.#endServer?.()
  }

  #findRunning(): Promise<DiscoveredServer | undefined> {
    return this.#context.findServer().catch(error => {
      if (error instanceof CliError && error.exit === EXIT.unreachable) return undefined
      throw error
    })
  }

  async #start(): Promise<DiscoveredServer> {
    const { runtime, project } = this.#context
    const [program = '', ...before] = runtime.selfCommand
    const { execa } = await import('execa')
    const child = execa(program, [...before, ...SERVE_ARGS, '--root', project], {
      cwd: runtime.cwd,
      env: runtime.env,
      extendEnv: false,
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'inherit',
      buffer: false,
      // It ends with its input.
      cleanup: false,
      reject: false
    })
    this.#endServer = () => {
      child.stdin.end()
      return child
    }
    const ended = await Promise.race([once(createInterface({ input: child.stdout }), 'line').then(() => {}), child])
    if (ended)
      throw new CliError(`The server did not start (exit ${ended.exitCode ?? ended.signal ?? ended.code}).`, {
        exit: EXIT.failed,
        code: 'NOT_STARTED'
      })
    const found = await this.#findRunning()
    if (found) return found
    throw new CliError('The server was started, but its address cannot be found.', {
      exit: EXIT.failed,
      code: 'NOT_STARTED'
    })
  }
}
