// Runs commands for a call: each in its own session, with a clean environment, sandboxed, its output stored in full. No process
// outlives its call, unless it is taken over by `detach`.
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ToolError } from '../../errors.ts'
import type { IsolationLevel } from '../../protocol/isolation-levels.ts'
import type { Effects } from '../effects.ts'
import { openFolder } from '../files/open-folder.ts'
import { connectToOwnListeners } from '../ports/own-listeners.ts'
import { withHostPaths } from '../sandbox/host-paths.ts'
import type {
  ConfinedProgram,
  Isolation,
  Mount,
  PortConnector,
  Program,
  Sandbox,
  SecretExposure
} from '../sandbox/sandbox.ts'
import type { Workspace } from '../workspace.ts'
import { Command, type CommandEnd } from './command/command.ts'
import { pipeInput, terminalInput } from './command/command-input.ts'
import type { CommandTexts } from './command/command-output.ts'
import { CommandOutput, type OutputMask } from './command/command-output.ts'
import type { Delta } from './command/output-decoder.ts'
import { commandEnvironment, type Environment } from './environment.ts'
import { toOutputCheck } from './exposed-secrets.ts'
import { type FilterOptions, type FilterResult, runFilter } from './filter.ts'
import { findProgram, findShell, isProgramAvailable } from './find-program.ts'
import { type CapturedStdout, readCapturedStdout } from './outputs/captured-stdout.ts'
import type { OutputWriter } from './outputs/live-output.ts'
import type { OutputStore } from './outputs/output-store.ts'
import { type PrivateFile, type PrivateTempFile, writePrivateTempFile } from './private-temp-file.ts'
import { newProcessMark } from './process-mark.ts'
import { type TerminalSize, withDefaultSignals, wrapInPty } from './pty.ts'
import { searchPathOutside } from './search-path.ts'
import type { ChildHandle, SpawnRequest } from './spawner/child-handle.ts'
import type { Spawner } from './spawner/spawner.ts'
import type { StartGate } from './start-gate.ts'

const CALL_ID_VARIABLE = 'TOOL_CALL_ID'
/** Variable with the mark by which the processes of a program are found. */
const MARK_VARIABLE = 'TOOL_PROCESS'
const TERMINAL = { TERM: 'xterm-256color' }
const QUIET_MS = 60_000
const UNSANDBOXED: Isolation = { level: 'none', network: [] }

/** The command to run: a line for bash (or sh as fallback) with its arguments, or a program with its arguments. */
type CommandLine = { command: string; args?: readonly string[] } | { argv: readonly string[] }

export type StartOptions = CommandLine & {
  /** Canonical path of a folder, relative to the workspace's root. */
  cwd?: string | undefined
  env?: Readonly<Record<string, string>> | undefined
  /** Initial input; without it standard input is empty. */
  stdin?: string | undefined
  /** Standard input stays open for `write`, until `endInput`. */
  interactive?: boolean | undefined
  /** Both streams go into one pipe, in the order in which they are written, and count as standard output. */
  mergeStreams?: boolean | undefined
  /** Runs on a terminal of this size, which accepts input until it ends. */
  pty?: TerminalSize | undefined
  /** Undefined for the server's default. */
  isolation?: Isolation | undefined
  /**
   * Treatment of background processes: killed with the command, which is the default, or adopted. In a sandbox all processes end
   * with the command.
   */
  survivors?: 'kill' | 'keep' | undefined
  /** Additional mounts in its sandbox. */
  mounts?: readonly Mount[] | undefined
  /** Ends it after this time. */
  timeout_ms?: number | undefined
}

export type RunOptions = StartOptions & { timeout_ms: number }

export interface ShellResult extends CommandEnd, CommandTexts {
  /** Isolation level under which it ran. */
  isolation: IsolationLevel
}

/** Yields output while the command runs and returns its result; leaving it early ends the command. */
type CommandRun = AsyncGenerator<Delta, ShellResult, void>

export interface ProcessesOptions {
  call_id: string
  /** Variables of the server's environment that commands may see besides the default ones. */
  env_allow: readonly string[]
  environment?: Environment
  /** Roots of all workspaces. */
  roots?: readonly string[]
  /** Without a sandbox every command runs with all rights of the user, and no other level is available. */
  sandbox?: Sandbox
  /** Folder for placed files; defaults to the system's temporary folder. */
  place_in?: string
  /** Silence of a command after which it is reported. */
  quiet_ms?: number
  /** The gate that its commands pass when they start. */
  gate?: StartGate
  /** Creates a mask for each stream of each command; without it the output is unmasked. */
  mask?: () => OutputMask
}

interface SpawnedProgram extends Pick<ConfinedProgram, 'released' | 'exposure'> {
  spawned: ChildHandle
  connectPort: PortConnector
}

export class Processes {
  readonly #spawner: Spawner
  readonly #outputs: OutputStore
  readonly #workspace: Workspace
  readonly #effects: Effects
  readonly #options: ProcessesOptions
  #started = 0
  /** Output writer shared by all commands of the call, one after the other. */
  #writer: OutputWriter | undefined
  /** Offset of the last command's standard output. */
  #stdoutStart = 0

  constructor(
    spawner: Spawner,
    outputs: OutputStore,
    workspace: Workspace,
    effects: Effects,
    options: ProcessesOptions
  ) {
    this.#spawner = spawner
    this.#outputs = outputs
    this.#workspace = workspace
    this.#effects = effects
    this.#options = options
  }

  /** Runs a command to its end. Fails only if it cannot be run; see `CommandRun`. */
  async *run(options: RunOptions): CommandRun {
    const command = await this.start(options)
    try {
      yield* command.deltas()
      const end = await command.ended
      this.#effects.signal.throwIfAborted()
      return { ...command.texts(), ...end, isolation: command.isolation }
    } finally {
      command.release()
    }
  }

  /** Starts a command without following it. It ends with the call, unless it is detached. */
  async start(options: StartOptions): Promise<Command> {
    const { signal } = this.#effects
    signal.throwIfAborted()
    const isolation = options.isolation ?? (await this.#defaultIsolation())
    const { spawned, released, exposure, connectPort } = await this.#spawn(
      options,
      isolation,
      this.#effects.commitIntent()
    )
    const command = new Command({
      spawned,
      released,
      connectPort,
      output: this.#output(exposure),
      signal,
      isolation: isolation.level,
      input: options.pty ? terminalInput(spawned.stdin) : pipeInput(options.interactive ? spawned.stdin : undefined),
      interactive: options.interactive === true || options.pty !== undefined,
      adoptOrphans: options.survivors === 'keep',
      quietMs: this.#options.quiet_ms ?? QUIET_MS
    })
    command.setTimeLimit(options.timeout_ms)
    return command
  }

  /** Writes a private file for a program. The caller removes it. */
  placeFile(file: PrivateFile): Promise<PrivateTempFile> {
    return writePrivateTempFile(this.#options.place_in ?? tmpdir(), file)
  }

  /** Returns the first of these programs that a command with such an environment finds; undefined if there is none. */
  find(names: readonly string[], env: Readonly<Record<string, string>> = {}): string | undefined {
    const { env_allow, environment = this.#spawner.environment } = this.#options
    const whole = commandEnvironment(environment, env_allow, env)
    return names.find(name => isProgramAvailable(name, whole))
  }

  /**
   * Returns the server's search path without folders of workspaces: without approval, a project's own program must not shadow one
   * of the machine.
   */
  searchPath(): string {
    const { environment = this.#spawner.environment, roots = [this.#workspace.root] } = this.#options
    return searchPathOutside(roots, environment)
  }

  /** Reads the last command's complete standard output so far: unlike live output, it has no gaps. */
  capturedStdout(mostBytes: number): Promise<CapturedStdout> {
    const to = this.#writer?.end.stdout ?? 0
    return readCapturedStdout(this.#outputs, this.#options.call_id, { from: this.#stdoutStart, to }, mostBytes)
  }

  /** Checks if an isolation level is available. */
  async hasLevel(level: IsolationLevel): Promise<boolean> {
    const states = await this.#options.sandbox?.states()
    return states?.some(state => state.level === level && state.holds) ?? false
  }

  /** Filters a text through a program and returns its output, which is not published. */
  async filter({ level, network = [], timeout_ms, maxBytes, ...options }: FilterOptions): Promise<FilterResult> {
    const { signal } = this.#effects
    const isolation = { level: level ?? (await this.#defaultIsolation()).level, network }
    const committed = isolation.level === 'read-only' ? undefined : this.#effects.commitIntent()
    const child = await this.#spawn(options, isolation, committed)
    return runFilter(child, { signal, timeout_ms, maxBytes, isolation: isolation.level })
  }

  #output(exposure: SecretExposure | undefined): CommandOutput {
    const { call_id, mask } = this.#options
    this.#writer = this.#outputs.open(call_id, this.#writer)
    this.#stdoutStart = this.#writer.end.stdout
    return new CommandOutput({
      writer: this.#writer,
      callId: call_id,
      mask,
      check: exposure && toOutputCheck(exposure)
    })
  }

  async #defaultIsolation(): Promise<Isolation> {
    const { sandbox } = this.#options
    await sandbox?.states()
    return sandbox ? { level: sandbox.default, network: [] } : UNSANDBOXED
  }

  /** The sandbox is prepared while the call's intent is still being written to disk; nothing runs before that. */
  async #spawn(
    options: StartOptions,
    isolation: Isolation,
    committed: Promise<void> | undefined
  ): Promise<SpawnedProgram> {
    const { stdin, interactive = false, mergeStreams = false, mounts, pty } = options
    const { call_id, env_allow, environment = this.#spawner.environment } = this.#options
    // Unique, so that the cleanup after one command never ends another.
    const mark = newProcessMark()
    const id = this.#started++ === 0 ? call_id : `${call_id}/${this.#started}`
    // Handled by the code that awaits it.
    committed?.catch(() => {})
    const env = commandEnvironment(environment, env_allow, {
      ...(pty && TERMINAL),
      ...options.env,
      [CALL_ID_VARIABLE]: id,
      [MARK_VARIABLE]: mark
    })
    this.#effects.signal.throwIfAborted()
    const folder = openFolder(this.#workspace, options.cwd ?? '.')
    try {
      const own = join(this.#workspace.root, options.cwd ?? '.')
      const program = {
        ...resolveProgram(options, env, own),
        cwd: folder.path,
        env,
        ...(mounts && { mounts }),
        ...(pty && { terminal: true })
      }
      const confined = await this.#confine(program, isolation, own)
      try {
        await committed
        const spawned = await this.#passGate(confined, {
          ...confined,
          cwdIdentity: confined.cwd === folder.path ? folder.identity : undefined,
          stdin,
          interactive: interactive || pty !== undefined,
          mergeStreams,
          ...(pty && (await wrapInPty(confined, pty, { input: stdin, environment }))),
          mark: `${MARK_VARIABLE}=${mark}`,
          ...(isolation.level !== 'read-only' && { writesIn: this.#workspace.root })
        })
        const {
          released,
          exposure,
          connectPort = connectToOwnListeners({ pid: spawned.pid, mark: `${MARK_VARIABLE}=${mark}` })
        } = confined
        return { spawned, released, exposure, connectPort }
      } catch (error) {
        await confined.released()
        throw error
      }
    } finally {
      folder.close()
    }
  }

  /** Starts a program once no other start stands in the way, after a last check of what it executes. */
  async #passGate({ hasBegun }: ConfinedProgram, request: SpawnRequest): Promise<ChildHandle> {
    const verify = this.#effects.startCheck?.()
    const onStarted = () => this.#effects.onStarted?.()
    const onEnded = () => this.#effects.onEnded?.()
    const pass = await this.#options.gate?.enter(this.#workspace.root, verify && { verify, onStarted, onEnded })
    try {
      const spawned = await this.#spawner.spawn(request)
      pass?.({ hasBegun: hasBegun ?? (() => true), ended: spawned.exited })
      return spawned
    } catch (error) {
      pass?.(undefined)
      throw error
    }
  }

  async #confine(program: Program, isolation: Isolation, cwd: string): Promise<ConfinedProgram> {
    const { sandbox } = this.#options
    if (isolation.level === 'none')
      return (
        (await sandbox?.confine(program, isolation, this.#workspace)) ?? {
          ...withHostPaths(program),
          inherit: [],
          isSandbox: false,
          released: async () => ({ quarantined: [] })
        }
      )
    if (!sandbox)
      throw new ToolError('SANDBOX_UNAVAILABLE', `No sandbox for isolation ${isolation.level} is available.`)
    // The folder is passed by name: descriptor paths are invalid inside, and the sandbox applies to whatever the name refers to
    // by then.
    const request = { ...program, cwd }
    const wanted = program.terminal ? await withDefaultSignals(request) : request
    return sandbox.confine(wanted, isolation, this.#workspace)
  }
}

function resolveProgram(line: CommandLine, env: Record<string, string>, cwd: string): Pick<Program, 'file' | 'args'> {
  if ('command' in line) {
    const file = findShell(env)
    return { file, args: ['-c', line.command, ...(line.args ? [file, ...line.args] : [])] }
  }
  const [name = '', ...args] = line.argv
  return { file: findProgram(name, env, cwd), args }
}
