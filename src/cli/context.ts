// What every verb works with: the process as handed in by main, the global flags, the terminal, the server.
import type { Readable, Writable } from 'node:stream'
import type { Command } from 'commander'
import type { Client } from '../client/client.ts'
import type { DiscoveredServer } from '../client/discover.ts'
import { packageVersion } from '../host/user-file.ts'
import { CliError, EXIT, usageError } from './exit.ts'
import { Terminal } from './ui/terminal.ts'

/** The process, as far as a verb may touch it. */
export interface CliRuntime {
  argv: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  pid: number
  stdin: Readable & { isTTY?: boolean; setRawMode?: (raw: boolean) => void }
  stdout: Writable & TerminalStream
  stderr: Writable & TerminalStream
  /** How this program was started, to start it again. */
  selfCommand: readonly string[]
  /** Ends the process at once. */
  exit(code: number): never
  onSignal(listener: (signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP') => void): void
}

interface TerminalStream {
  isTTY?: boolean
  /** As large as it is now, where it is one. */
  columns?: number
  rows?: number
}

interface GlobalFlags {
  json?: boolean
  quiet?: boolean
  color?: boolean
  input?: boolean
  timeout?: string
  url?: string
  root?: string
}

export class CliContext {
  readonly runtime: CliRuntime
  readonly version: string
  /** What the process will end with. */
  exitCode: number = EXIT.ok
  terminal: Terminal
  #flags: GlobalFlags = {}
  #deadline: AbortSignal | undefined
  readonly #interrupt = new AbortController()

  constructor(world: CliRuntime) {
    this.runtime = world
    this.version = packageVersion()
    // What is wrong with the words of a line is told before its flags are taken.
    this.#flags = { json: argsBeforeTerminator(world.argv).includes('--json') }
    this.terminal = this.#makeTerminal()
  }

  /** Takes the global flags of the parsed command. */
  applyFlags(command: Command): void {
    this.#flags = command.optsWithGlobals()
    this.terminal = this.#makeTerminal()
    if (this.#flags.timeout !== undefined) this.#deadline = AbortSignal.timeout(parseDuration(this.#flags.timeout))
  }

  /** Aborts when --timeout is over, and by `interrupt`. */
  get signal(): AbortSignal {
    return this.#deadline ? AbortSignal.any([this.#deadline, this.#interrupt.signal]) : this.#interrupt.signal
  }

  /** From now on an interrupt by the user ends what waits on `signal` instead of the process. */
  handleInterrupt(): void {
    this.runtime.onSignal(() => this.#interrupt.abort(new DOMException('Interrupted.', 'AbortError')))
  }

  /** Whether a person can be asked. */
  get canPrompt(): boolean {
    return Boolean(this.runtime.stdin.isTTY && this.runtime.stderr.isTTY) && this.#flags.input !== false
  }

  get project(): string {
    return this.#flags.root ?? this.runtime.cwd
  }

  /** The server of this project. */
  async findServer(timeout_ms?: number): Promise<DiscoveredServer> {
    const { discover } = await import('../client/discover.ts')
    const { env } = this.runtime
    const found = await discover({
      env,
      project: this.project,
      url: this.#flags.url,
      ...(timeout_ms !== undefined && { timeout_ms })
    })
    if (found) return found
    const where = this.#flags.url ?? env.TOOLGATE_URL
    if (where !== undefined)
      throw new CliError(`No token for ${where}.`, {
        exit: EXIT.auth,
        code: 'UNAUTHORIZED',
        hint: 'Set TOOLGATE_TOKEN_FILE to the file that contains it.'
      })
    throw new CliError(`No server is running for ${this.project}.`, {
      exit: EXIT.unreachable,
      code: 'UNREACHABLE',
      hint: 'Start one with: toolgate serve. For the server of another project, add --root <folder>.'
    })
  }

  async connect(): Promise<Client> {
    const { url, token } = await this.findServer()
    const { connect } = await import('../client/client.ts')
    return connect({ url, token, client: 'toolgate-cli', rediscover: () => this.findServer() })
  }

  /** One small answer of the server, for what may do without. */
  async getJson(path: string): Promise<unknown> {
    const [found, { getJson }] = await Promise.all([this.findServer(QUICK_TIMEOUT_MS), import('../client/get-json.ts')])
    return getJson(found, path, QUICK_TIMEOUT_MS)
  }

  /** A line of the person's; Esc is an empty one, and `until` takes the question back. */
  async prompt(question: string, until?: AbortSignal): Promise<string> {
    const { createInterface } = await import('node:readline/promises')
    const { stdin, stderr } = this.runtime
    const lines = createInterface({ input: stdin, output: stderr })
    const closed = Promise.withResolvers<never>()
    // Back, as in any dialogue; readline tells it apart from the keys that begin with it.
    const back = Promise.withResolvers<string>()
    stdin.on('keypress', onKey)
    function onKey(_: unknown, key: { name?: string } | undefined) {
      if (key?.name === 'escape') back.resolve('')
    }
    // By control and C or D, which is not to be taken for an answer.
    lines.once('close', () => closed.reject(new DOMException('Interrupted.', 'AbortError')))
    const signal = until ? AbortSignal.any([until, this.signal]) : this.signal
    try {
      return (await Promise.race([lines.question(question, { signal }), back.promise, closed.promise])).trim()
    } catch (error) {
      throw signal.aborted ? signal.reason : error
    } finally {
      stdin.off('keypress', onKey)
      lines.close()
    }
  }

  #makeTerminal() {
    const { stdout, stderr, env } = this.runtime
    const { json = false, quiet = false, color = true } = this.#flags
    const colored = color && !env.NO_COLOR && env.TERM !== 'dumb' && Boolean(stdout.isTTY && stderr.isTTY)
    return new Terminal(stdout, stderr, { color: colored && !json, quiet, json })
  }
}

/** Longer seems to hang. */
const QUICK_TIMEOUT_MS = 1_000

/** The words that may be flags. */
const argsBeforeTerminator = (argv: readonly string[]) =>
  argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined)

/** Flags that every verb takes. `serve` has its own `--root` and starts what others look for. */
export function addGlobalFlags(command: Command): void {
  command
    .option('--json', 'print JSON: lists as one array, streams as one value per line')
    .option('--quiet', 'suppress informational output')
    .option('--no-color', 'disable colours (also: NO_COLOR)')
    .option('--no-input', 'never prompt')
}

export function addServerFlags(command: Command): void {
  command
    .option('--timeout <duration>', 'stop waiting after this time, such as 30s, 500ms or 2m; exit code 124')
    .option('--url <url>', 'address of the server (also: TOOLGATE_URL, with TOOLGATE_TOKEN_FILE)')
    .option('--root <folder>', 'project whose server to use (default: the current folder)')
}

const UNIT_MS: Record<string, number> = { ms: 1, '': 1_000, s: 1_000, m: 60_000, h: 3_600_000 }

/** A time told as how long ago, such as 90m or 7d, in milliseconds; undefined for what is none. */
export function parseAge(text: string): number | undefined {
  const [, days] = /^(\d+)d$/.exec(text) ?? []
  if (days !== undefined) return Number(days) * 24 * UNIT_MS.h!
  return /^\d+(?:\.\d+)?(?:s|m|h)$/.test(text) ? parseDuration(text) : undefined
}

/** Milliseconds; seconds where no unit is given. */
export function parseDuration(text: string): number {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? []
  if (number === undefined) throw usageError(`Invalid duration: ${text}.`, 'Write it as 30s, 500ms or 2m.')
  return Math.round(Number(number) * UNIT_MS[unit]!)
}
