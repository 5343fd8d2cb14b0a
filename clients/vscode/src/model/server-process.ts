// Starts a Toolgate server for a folder. It ends with the window, also if that crashes: it exits when its standard input is closed.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

export interface ServerCommand {
  readonly program: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Maximum number of lines of the log that explain a failed start. */
const MAX_EXPLAINING_LINES = 4

export class ServerProcess {
  readonly root: string
  /** Resolves when the server accepts requests; rejects with the last lines of its log if it ends before that. */
  readonly ready: Promise<void>
  readonly #child: ChildProcessWithoutNullStreams

  /** Calls `log` for each line that the server logs. */
  constructor(root: string, { program, args, env }: ServerCommand, log: (line: string) => void) {
    this.root = root
    const flags = ['serve', '--root', root, '--port', '0', '--ready', 'json', '--reuse', '--log-level', 'warn']
    this.#child = spawn(program, [...flags, '--exit-with-stdin', ...args], { cwd: root, env, windowsHide: true })
    const last: string[] = []
    createInterface({ input: this.#child.stderr }).on('line', line => {
      log(line)
      last.push(line)
      if (last.length > MAX_EXPLAINING_LINES) last.shift()
    })
    const { promise, resolve, reject } = withResolvers<void>()
    this.ready = promise
    createInterface({ input: this.#child.stdout }).once('line', () => resolve())
    this.#child.once('error', error => reject(new Error(`${program} cannot be started: ${error.message}`)))
    // The log may arrive after the exit.
    this.#child.once('close', code => {
      const why = last.length > 0 ? last.join('\n') : `exit code ${code}`
      reject(new Error(`The server did not start: ${why}`))
    })
    // The server may end later, when no one waits for it.
    this.ready.catch(() => {})
    this.#child.stdin.on('error', () => {})
  }

  get isRunning(): boolean {
    return this.#child.pid !== undefined && this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** Stops the server. Running calls may end first. */
  stop() {
    this.#child.kill('SIGTERM')
  }
}

/** Node 20 has no Promise.withResolvers. */
function withResolvers<T>() {
  let resolve!: (value: T) => void
  let reject!: (reason: Error) => void
  const promise = new Promise<T>((accept, refuse) => {
    resolve = accept
    reject = refuse
  })
  return { promise, resolve, reject }
}
