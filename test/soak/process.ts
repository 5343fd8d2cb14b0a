// A process of the built program, which is started again with the same arguments.
import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import type { Json } from '../start-app.ts'
import { exitOf, once, within } from '../support/wait.ts'

const PROGRAM = path.resolve(import.meta.dirname, '../../bin/toolgate.cjs')

export class Process {
  readonly #args: readonly string[]
  readonly #cwd: string
  readonly #env: NodeJS.ProcessEnv
  #child: ChildProcess | undefined
  ready: Json

  constructor(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv) {
    this.#args = args
    this.#cwd = cwd
    this.#env = env
  }

  /** A process that ends before it is ready, as a hub without its database does, is started again. */
  async start(more: readonly string[] = []) {
    for (;;) {
      const child = spawn(process.execPath, [PROGRAM, ...this.#args, ...more], {
        cwd: this.#cwd,
        env: this.#env,
        stdio: ['ignore', 'pipe', 'ignore']
      })
      this.#child = child
      const ended = exitOf(child).then(() => undefined)
      const line = await within(
        `${this.#args[0]} to start`,
        Promise.race([once(createInterface({ input: child.stdout! }), 'line').catch(() => undefined), ended])
      )
      if (line !== undefined) {
        this.ready = JSON.parse(line[0])
        return
      }
      await pause(100)
    }
  }

  async restart() {
    await this.start()
    return []
  }

  async kill() {
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = exitOf(child)
    child.kill('SIGKILL')
    await within('the process to end', ended)
  }
}
