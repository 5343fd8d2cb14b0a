// Context of every command: the process as passed by main, the global flags, the terminal, the server.
import path from 'node:path'
import type { Readable, Writable } from 'node:stream'
import type { Command } from 'commander'
import type { Client } from '../client/client.ts'
import { packageVersion } from '../host/user-file.ts'
import type { DiscoveredServer } from '../node-client/discover.ts'
import { CliError, EXIT, usageError } from './exit.ts'
import { httpFetch } from './http-fetch.ts'
import { Terminal } from './ui/terminal.ts'

/** The part of the process that commands may access. */
export interface CliRuntime {
  argv: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  pid: number
  stdin: Readable & { isTTY?: boolean; setRawMode?: (raw: boolean) => void }
  stdout: Writable & TerminalStream
  stderr: Writable & TerminalStream
  /** The command that started this program, for restarting it. */
  selfCommand: readonly string[]
  /** Exits the process immediately. */
  exit(code: number): never
  onSignal(listener: (signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP') => void): void
}

interface TerminalStream {
  isTTY?: boolean
  /** Current width, if it is a terminal. */
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
  /** Exit code of the process. */
  exitCode: number = EXIT.ok
  terminal: Terminal
  #flags: GlobalFlags = {}
  #deadline: AbortSignal | undefined
  readonly #interrupt = new AbortController()

  constructor(world: CliRuntime) {
    this.runtime = world
    this.version = packageVersion()
    // Usage errors are reported before the flags are applied.
    this.#flags = { json: argsBeforeTerminator(world.argv).includes('--json') }
    this.terminal = this.#makeTerminal()
  }

  /** Applies the global flags of the parsed command. */
  applyFlags(command: Command): void {
    this.#flags = command.optsWithGlobals()
    this.terminal = this.#makeTerminal()
    if (this.#flags.timeout !== undefined) this.#deadline = AbortSignal.timeout(parseDuration(this.#flags.timeout))
  }

  /** Aborts after --timeout, and by `interrupt`. */
  get signal(): AbortSignal {
    return this.#deadline ? AbortSignal.any([this.#deadline, this.#interrupt.signal]) : this.#interrupt.signal
  }

  /** From now on an interrupt by the user aborts `signal` instead of ending the process. */
  handleInterrupt(): void {
    this.runtime.onSignal(() => this.#interrupt.abort(new DOMException('Interrupted.', 'AbortError')))
  }

  /** Returns true if a person can be prompted. */
  get canPrompt(): boolean {
    return Boolean(this.runtime.stdin.isTTY && this.runtime.stderr.isTTY) && this.#flags.input !== false
  }

  /** The absolute path of the project, from `--root` or the current folder. */
  get project(): string {
    return path.resolve(this.runtime.cwd, this.#flags.root ?? '')
  }

  /** Returns the server of this project. */
  async findServer(timeout_ms?: number): Promise<DiscoveredServer> {
    const { discover } = await import('../node-client/discover.ts')
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
      throw new CliError(`There is no token for the server at ${where}.`, {
        exit: EXIT.auth,
        code: 'UNAUTHORIZED',
        hint: 'Set TOOLGATE_TOKEN_FILE to the file that contains the token.'
      })
    throw new CliError(`No server is running for ${this.project}.`, {
      exit: EXIT.unreachable,
      code: 'UNREACHABLE',
      hint: 'Start a server with: toolgate serve. To use the server of another project, add --root <folder>.'
    })
  }

  async connect(): Promise<Client> {
    const { url, token } = await this.findServer()
    const { connect } = await import('../client/client.ts')
    return connect({ url, token, client: 'toolgate-cli', rediscover: () => this.findServer(), fetch: httpFetch })
  }

  /** Fetches a small JSON response, for optional information. */
  async getJson(path: string): Promise<unknown> {
    const [found, { getJson }] = await Promise.all([
      this.findServer(QUICK_TIMEOUT_MS),
      import('../node-client/get-json.ts')
    ])
    return getJson(found, path, QUICK_TIMEOUT_MS)
  }

  /** Reads a line from the person; Esc yields an empty one, and `until` withdraws the prompt. */
  async prompt(question: string, until?: AbortSignal): Promise<string> {
    const { createInterface } = await import('node:readline/promises')
    const { stdin, stderr } = this.runtime
    const lines = createInterface({ input: stdin, output: stderr })
    const closed = Promise.withResolvers<never>()
    // Cancels on Esc, as in any dialog; readline distinguishes it from keys that begin with it.
    const back = Promise.withResolvers<string>()
    stdin.on('keypress', onKey)
    function onKey(_: unknown, key: { name?: string } | undefined) {
      if (key?.name === 'escape') back.resolve('')
    }
    // On Ctrl-C or Ctrl-D, which must not count as an answer.
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

/** In milliseconds; a longer wait would look like a hang. */
const QUICK_TIMEOUT_MS = 1_000

/** Returns the arguments that may be flags. */
const argsBeforeTerminator = (argv: readonly string[]) =>
  argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined)

/** Adds the flags of every command. `serve` has its own `--root` and starts what others look for. */
export function addGlobalFlags(command: Command): void {
  command
    .option('--json', 'print JSON: lists as one array, streams as one value per line')
    .option('--quiet', 'suppress informational output')
    .option('--no-color', 'disable colours (also: the variable NO_COLOR)')
    .option('--no-input', 'never prompt')
}

export function addServerFlags(command: Command): void {
  command
    .option('--timeout <duration>', 'stop waiting after this time, such as 30s, 500ms or 2m, and exit with code 124')
    .option('--url <url>', 'address of the server (also: the variable TOOLGATE_URL, with TOOLGATE_TOKEN_FILE)')
    .option('--root <folder>', 'folder of the project whose server is used (default: the current folder)')
}

const UNIT_MS: Record<string, number> = { ms: 1, '': 1_000, s: 1_000, m: 60_000, h: 3_600_000 }

/** Parses an age, such as 90m or 7d, to milliseconds; undefined if invalid. */
function parseAge(text: string): number | undefined {
  const [, days] = /^(\d+)d$/.exec(text) ?? []
  if (days !== undefined) return Number(days) * 24 * UNIT_MS.h!
  return /^\d+(?:\.\d+)?(?:s|m|h)$/.test(text) ? parseDuration(text) : undefined
}

/** Parses a duration to milliseconds; the default unit is seconds. */
export function parseDuration(text: string): number {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? []
  if (number === undefined) throw usageError(`Invalid duration: ${text}.`, 'Write the duration as 30s, 500ms or 2m.')
  return Math.round(Number(number) * UNIT_MS[unit]!)
}

/** Parses an absolute time, or an age relative to now. */
export function parseTime(text: string, option: string): string {
  const before = parseAge(text)
  const at = before === undefined ? Date.parse(text) : Date.now() - before
  if (!Number.isNaN(at)) return new Date(at).toISOString()
  throw usageError(
    `Invalid time of ${option}: ${text}.`,
    'Write the time as 2026-01-31, 2026-01-31T12:00:00Z, or as an age: 2h, 7d.'
  )
}
