// Runs commands for a call: each in a session of its own, with a clean environment, kept by the sandbox, its output kept
// whole. Nothing of a command outlives its call, unless somebody takes it over by `detach`.
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ToolError } from '../../errors.ts'
import { openFolder } from '../files/open-folder.ts'
import type { Effects, Workspace } from '../host.ts'
import { unmounted } from '../sandbox/host-paths.ts'
import type { Confined, Isolation, Level, Mount, Program, Sandbox } from '../sandbox/sandbox.ts'
import { Command, type CommandEnd, type CommandTexts, type Delta } from './command/command.ts'
import { pipeInput, terminalInput } from './command/command-input.ts'
import { CommandOutput, type Mask } from './command/command-output.ts'
import { commandEnvironment, type Environment } from './environment.ts'
import { type Filtered, type FilterOptions, filtered } from './filter.ts'
import { findProgram, findShell, isThere } from './find-program.ts'
import { type Printed, printedIn } from './outputs/captured-stdout.ts'
import type { Outputs, OutputWriter } from './outputs/output-store.ts'
import { type OwnFile, type PlacedFile, placeFile } from './private-temp-file.ts'
import { heedingKeys, onTerminal, type TerminalSize } from './pty.ts'
import { pathBeside } from './search-path.ts'
import type { Spawned } from './spawner/child-handle.ts'
import type { Spawner } from './spawner/spawner.ts'

const MARK = 'TOOL_CALL_ID'
const TERMINAL = { TERM: 'xterm-256color' }
const QUIET_MS = 60_000
const UNKEPT: Isolation = { level: 'none', network: [] }

/** What to run: a line for bash (or sh where there is none), or a program with its arguments. */
type CommandLine = { command: string } | { argv: readonly string[] }

export type StartOptions = CommandLine & {
  /** Canonical path of a folder, relative to the workspace's root. */
  cwd?: string | undefined
  env?: Readonly<Record<string, string>> | undefined
  /** Given at the start; without it standard input is empty. */
  stdin?: string | undefined
  /** Standard input stays open for `write`, until `endInput`. */
  interactive?: boolean | undefined
  /** It runs on a terminal of this size, which takes input until it ends. */
  pty?: TerminalSize | undefined
  /** Undefined for what the server gives to commands that ask for nothing else. */
  isolation?: Isolation | undefined
  /** What becomes of what it leaves in the background: ended with it, which is the default, or kept with it. In a sandbox
   * all ends with the command. */
  survivors?: 'kill' | 'keep' | undefined
  /** What it must find in its sandbox besides. */
  mounts?: readonly Mount[] | undefined
  /** Ends it after this long. */
  timeout_ms?: number | undefined
}

export type RunOptions = StartOptions & { timeout_ms: number }

export interface ShellResult extends CommandEnd, CommandTexts {
  /** What kept it from the rest of the machine. */
  isolation: Level
}

/** Yields output while the command runs and returns its result; leaving it early ends the command. */
type Running = AsyncGenerator<Delta, ShellResult, void>

export interface ProcessesOptions {
  call_id: string
  /** Variables of the server's environment that commands may see besides the usual ones. */
  env_allow: readonly string[]
  environment?: Environment
  /** Where all workspaces are. */
  roots?: readonly string[]
  /** Without one every command runs with all rights of the user, and no other level is to be had. */
  sandbox?: Sandbox
  /** Where files are placed; the system's temporary folder without one. */
  place_in?: string
  /** How long a command is silent before that is told. */
  quiet_ms?: number
  /** Made for each stream of each command; without one all is seen as it is. */
  mask?: () => Mask
}

export class Processes {
  readonly #spawner: Spawner
  readonly #outputs: Outputs
  readonly #workspace: Workspace
  readonly #effects: Effects
  readonly #options: ProcessesOptions
  #started = 0
  /** The output of all commands of the call, one after the other. */
  #writer: OutputWriter | undefined
  /** Where the last one's standard output begins. */
  #from = 0

  constructor(spawner: Spawner, outputs: Outputs, workspace: Workspace, effects: Effects, options: ProcessesOptions) {
    this.#spawner = spawner
    this.#outputs = outputs
    this.#workspace = workspace
    this.#effects = effects
    this.#options = options
  }

  /** Runs a command to its end. Fails only when it can't be run; see `Running`. */
  async *run(options: RunOptions): Running {
    const command = await this.start(options)
    try {
      yield* command.deltas()
      const end = await command.ended
      this.#effects.signal.throwIfAborted()
      return { ...command.texts(), ...end, isolation: command.isolation }
    } finally {
      command.leave()
    }
  }

  /** Starts a command, for whoever follows it by itself. It ends with the call, unless it is detached. */
  async start(options: StartOptions): Promise<Command> {
    const { signal } = this.#effects
    signal.throwIfAborted()
    const isolation = options.isolation ?? (await this.#usual())
    const { spawned, released } = await this.#spawn(options, isolation, this.#effects.committed())
    const command = new Command({
      spawned,
      released,
      output: this.#output(),
      signal,
      isolation: isolation.level,
      input: options.pty ? terminalInput(spawned.stdin) : pipeInput(options.interactive ? spawned.stdin : undefined),
      interactive: options.interactive === true || options.pty !== undefined,
      keep: options.survivors === 'keep',
      quiet_ms: this.#options.quiet_ms ?? QUIET_MS
    })
    command.timeLimit(options.timeout_ms)
    return command
  }

  /** Writes down a text that a program reads as a file of its own. Whoever placed it removes it. */
  place(file: OwnFile): Promise<PlacedFile> {
    return placeFile(this.#options.place_in ?? tmpdir(), file)
  }

  /** The first of these programs that a command with such an environment finds; undefined where it finds none. */
  find(names: readonly string[], env: Readonly<Record<string, string>> = {}): string | undefined {
    const { env_allow, environment = this.#spawner.environment } = this.#options
    const whole = commandEnvironment(environment, env_allow, env)
    return names.find(name => isThere(name, whole))
  }

  /** The server's search path without folders of workspaces: a project's own program must not stand in for one of the
   * machine where nobody is asked. */
  searchPath(): string {
    const { environment = this.#spawner.environment, roots = [this.#workspace.root] } = this.#options
    return pathBeside(roots, environment)
  }

  /** What the last command has printed to standard output by now, from its beginning: nothing of that is skipped, as may
   * be for those who follow it. */
  printed(mostBytes: number): Promise<Printed> {
    const to = this.#writer?.end.stdout ?? 0
    return printedIn(this.#outputs, this.#options.call_id, { from: this.#from, to }, mostBytes)
  }

  /** Whether a level of isolation is to be had here. */
  async holds(level: Level): Promise<boolean> {
    const states = await this.#options.sandbox?.states()
    return states?.some(state => state.level === level && state.holds) ?? false
  }

  /** Hands a text to a program, and gives what it prints. Nothing of that is told to anybody. */
  async filter({ level, network = [], timeout_ms, most_bytes, ...options }: FilterOptions): Promise<Filtered> {
    const { signal } = this.#effects
    const isolation = { level: level ?? (await this.#usual()).level, network }
    const committed = isolation.level === 'strict' ? undefined : this.#effects.committed()
    const kept = await this.#spawn(options, isolation, committed)
    return filtered(kept, { signal, timeout_ms, most_bytes, isolation: isolation.level })
  }

  #output(): CommandOutput {
    const { call_id, mask } = this.#options
    this.#writer = this.#outputs.open(call_id, this.#writer)
    this.#from = this.#writer.end.stdout
    return new CommandOutput(this.#writer, call_id, mask)
  }

  async #usual(): Promise<Isolation> {
    const { sandbox } = this.#options
    await sandbox?.states()
    return sandbox ? { level: sandbox.default, network: [] } : UNKEPT
  }

  /** What keeps it is made ready while the call's intent is still on its way to the disk; nothing runs before that. */
  async #spawn(
    options: StartOptions,
    isolation: Isolation,
    committed: Promise<void> | undefined
  ): Promise<Pick<Confined, 'released'> & { spawned: Spawned }> {
    const { stdin, interactive = false, mounts, pty } = options
    const { call_id, env_allow, environment = this.#spawner.environment } = this.#options
    // Unique, so that sweeping up after one command never ends another of the same call.
    const id = this.#started++ === 0 ? call_id : `${call_id}/${this.#started}`
    // Told where it is waited for.
    committed?.catch(() => {})
    const env = commandEnvironment(environment, env_allow, { ...(pty && TERMINAL), ...options.env, [MARK]: id })
    this.#effects.signal.throwIfAborted()
    const folder = openFolder(this.#workspace, options.cwd ?? '.')
    try {
      const own = join(this.#workspace.root, options.cwd ?? '.')
      const program = {
        ...programOf(options, env, own),
        cwd: folder.path,
        env,
        ...(mounts && { mounts }),
        ...(pty && { terminal: true })
      }
      const confined = await this.#confined(program, isolation, own)
      try {
        await committed
        const spawned = await this.#spawner.spawn({
          ...confined,
          stdin,
          interactive: interactive || pty !== undefined,
          ...(pty && onTerminal(confined, pty, { input: stdin, environment })),
          mark: `${MARK}=${id}`,
          sandbox: isolation.level === 'workspace' || isolation.level === 'strict'
        })
        return { spawned, released: confined.released }
      } catch (error) {
        await confined.released()
        throw error
      }
    } finally {
      folder.close()
    }
  }

  async #confined(program: Program, isolation: Isolation, cwd: string): Promise<Confined> {
    const { sandbox } = this.#options
    if (isolation.level === 'none')
      return (
        (await sandbox?.confine(program, isolation, this.#workspace)) ?? {
          ...unmounted(program),
          inherit: [],
          released: async () => ({ quarantined: [] })
        }
      )
    if (!sandbox) throw new ToolError('SANDBOX_UNAVAILABLE', `There is no sandbox here for level ${isolation.level}.`)
    // By its name: inside, a door of ours leads nowhere, and whatever the name has come to mean meanwhile is kept too.
    const kept = { ...program, cwd }
    return sandbox.confine(program.terminal ? heedingKeys(kept) : kept, isolation, this.#workspace)
  }
}

function programOf(line: CommandLine, env: Record<string, string>, cwd: string): Pick<Program, 'file' | 'args'> {
  if ('command' in line) return { file: findShell(env), args: ['-c', line.command] }
  const [name = '', ...args] = line.argv
  return { file: findProgram(name, env, cwd), args }
}
