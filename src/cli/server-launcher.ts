// Launcher for programs that need a project's server: uses the running one, or starts one that ends with the program.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { DiscoveredServer } from '../client/discover.ts'
import type { ServerConnection } from '../client/http-transport.ts'
import type { CliContext } from './context.ts'
import { CliError, EXIT } from './exit.ts'

/** Later startup errors are reported on stderr by the server itself. */
const SERVE_ARGS = ['serve', '--ready', 'json', '--exit-with-stdin', '--reuse', '--port', '0', '--log-level', 'error']

export class ServerLauncher {
  readonly #context: CliContext
  #child: ChildProcess | undefined
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
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    child.stdin?.end()
    await once(child, 'exit')
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
    const child = spawn(program, [...before, ...SERVE_ARGS, '--root', project], {
      cwd: runtime.cwd,
      env: runtime.env,
      stdio: ['pipe', 'pipe', 'inherit']
    })
    this.#child = child
    child.stdin!.on('error', () => {})
    const ready = once(createInterface({ input: child.stdout! }), 'line')
    const ended = once(child, 'exit').then(([code]) => {
      throw new CliError(`The server did not start (exit ${code}).`, { exit: EXIT.failed, code: 'NOT_STARTED' })
    })
    await Promise.race([ready, ended])
    ended.catch(() => {})
    const found = await this.#findRunning()
    if (found) return found
    throw new CliError('The server was started but cannot be found.', { exit: EXIT.failed, code: 'NOT_STARTED' })
  }
}
