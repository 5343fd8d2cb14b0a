// The server of a project for a program that needs one: the one that runs, else one of its own, which ends with it.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Discovered } from '../client/discover.ts'
import type { Connection } from '../client/http-transport.ts'
import type { Context } from './context.ts'
import { CliError, EXIT } from './exit.ts'

/** The rest of a start that goes wrong is told on stderr by the server itself. */
const START = ['serve', '--ready', 'json', '--exit-with-stdin', '--reuse', '--port', '0', '--log-level', 'error']

export class OwnServer {
  readonly #context: Context
  #child: ChildProcess | undefined
  #finding: Promise<Discovered> | undefined

  constructor(context: Context) {
    this.#context = context
  }

  /** Where the server is, with one of its tokens. One that the environment names has the token that it names. */
  async find(token: 'token' | 'call_token'): Promise<Connection> {
    // Several may ask at once when a server was lost; one is started.
    this.#finding ??= this.#running()
      .then(running => running ?? this.#start())
      .finally(() => {
        this.#finding = undefined
      })
    const found = await this.#finding
    return { url: found.url, token: found.record?.[token] ?? found.token }
  }

  /** Lets go of the server that was started: it ends when its input does. */
  async close() {
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    child.stdin?.end()
    await once(child, 'exit')
  }

  #running(): Promise<Discovered | undefined> {
    return this.#context.find().catch(error => {
      if (error instanceof CliError && error.exit === EXIT.unreachable) return undefined
      throw error
    })
  }

  async #start(): Promise<Discovered> {
    const { world, project } = this.#context
    const [program = '', ...before] = world.self
    const child = spawn(program, [...before, ...START, '--root', project], {
      cwd: world.cwd,
      env: world.env,
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
    const found = await this.#running()
    if (found) return found
    throw new CliError('The server was started but cannot be found.', { exit: EXIT.failed, code: 'NOT_STARTED' })
  }
}
