// A running command: its output, its input, its end.
//
// It ends when its program has exited and its output has been read; background processes get a moment to finish writing, and are
// then killed and reported as survivors.
import type { Socket } from 'node:net'
import type { IsolationLevel } from '../../../protocol/isolation-levels.ts'
import type { EgressReport } from '../../egress/egress-log.ts'
import { sandboxSetupError } from '../../sandbox/bubblewrap/setup-errors.ts'
import type { PortConnector, SandboxReport } from '../../sandbox/sandbox.ts'
import { pauseAndRead } from '../pause-and-read.ts'
import type { TerminalSize } from '../pty.ts'
import { type ChildHandle, KILL_GRACE_MS } from '../spawner/child-handle.ts'
import type { Orphan } from '../spawner/spawner-protocol.ts'
import type { CommandInput } from './command-input.ts'
import type { CommandOutput, CommandTexts } from './command-output.ts'
import type { Delta } from './output-decoder.ts'

// After the program's exit: silence for this long means that no more output is coming, and no drain takes longer than this.
const QUIET_MS = 200
const DRAIN_MS = 2_000

/** Signals that a person may send. */
export type StopSignal = 'SIGTERM' | 'SIGINT' | 'SIGKILL' | 'SIGHUP'

export interface CommandEnd {
  exit_code: number | null
  signal: string | null
  timed_out: boolean
  /** Time from its start to the end of its output. */
  duration_ms: number
  /** Processes that outlived the command and were killed with it. */
  survivors: number[]
  /** Names of their programs, in the same order, if there are any. */
  survivor_names?: string[]
  /** Self-starting files that the command created and that were quarantined: their paths in the workspace. */
  quarantined: string[]
  /** Folder to which they were moved. */
  quarantine_folder?: string
  /** Reason why such files could not be checked for. */
  unchecked?: string
  /** Sockets and pipes of other programs, which it seems to have failed to move or remove: their paths in the workspace. */
  special_files?: string[]
  /** Network access attempted by a command that was granted hosts. */
  network?: EgressReport
  /** A process was killed because the command exceeded its memory limit. */
  out_of_memory?: true
}

/** Mounts that cover entries cannot be moved or removed. */
const BUSY = /EBUSY|device or resource busy/i

/** Exit of the program, while its background processes may run on. */
interface CommandExit {
  exit_code: number | null
  signal: string | null
  /** Background processes that were adopted. */
  adopted: Orphan[]
}

/** Progress of a running command. */
type CommandProgress = { delta: Delta } | { message: string }

interface CommandParts {
  spawned: ChildHandle
  output: CommandOutput
  isolation: IsolationLevel
  /** Ends the command while it belongs to its call. */
  signal: AbortSignal
  input: CommandInput
  /** Standard input stays open after the initial input. */
  interactive: boolean
  /** Background processes are adopted instead of killed. */
  adoptOrphans: boolean
  /** Silence of this duration is reported. */
  quietMs: number
  connectPort: PortConnector
  released(): Promise<SandboxReport>
}

/** Formats background processes for reports. */
export const orphanReport = (left: readonly Orphan[]): Pick<CommandEnd, 'survivors' | 'survivor_names'> => ({
  survivors: left.map(({ pid }) => pid),
  ...(left.length > 0 && { survivor_names: left.map(({ name }) => name) })
})

export class Command {
  readonly pid: number
  readonly isolation: IsolationLevel
  /** Rejects only if the command was lost: the spawner's helper died, and the command with it. */
  readonly ended: Promise<CommandEnd>
  readonly #parts: CommandParts
  readonly #began = performance.now()
  /** Aborts when the program has ended and background processes were adopted. */
  readonly #orphansAdopted = new AbortController()
  /** Open connections to its ports. */
  readonly #connections = new Set<Socket>()
  #exit: CommandExit | undefined
  #detached = false
  #timeout: NodeJS.Timeout | undefined
  #ended = false
  #timedOut = false

  constructor(parts: CommandParts) {
    this.#parts = parts
    const { spawned, signal, output } = parts
    this.pid = spawned.pid
    this.isolation = parts.isolation
    const pipes = spawned.streams.map(stream => output.read(stream, spawned))
    this.ended = this.#end(Promise.all(pipes)).finally(() => this.#settle())
    // Prevents an unhandled rejection if the caller leaves early.
    this.ended.catch(() => {})
    signal.addEventListener('abort', this.stop, { once: true })
    output.withheld?.addEventListener('abort', this.stop, { once: true })
    if (signal.aborted) this.stop()
  }

  /** Streams output until its end or the reader's signal; the next reader continues at the same position. */
  deltas(signal?: AbortSignal): AsyncGenerator<Delta, void, void> {
    return this.#parts.output.deltas(signal)
  }

  /** Streams output and reports long silences; ends when the program has ended, even if background processes were adopted. */
  async *progress(signal?: AbortSignal): AsyncGenerator<CommandProgress, void, void> {
    const { output, quietMs } = this.#parts
    const until = AbortSignal.any([this.#orphansAdopted.signal, ...(signal ? [signal] : [])])
    for await (const delta of output.untilQuiet(quietMs, until)) yield delta ? { delta } : { message: this.#silence() }
  }

  /** Exit of the program; undefined while it runs. */
  get exit(): CommandExit | undefined {
    return this.#exit
  }

  /** Returns the milliseconds since its start. */
  elapsed(): number {
    return Math.round(performance.now() - this.#began)
  }

  /** Returns the texts shown in a result so far: head and tail, or only the first `headBytes`. */
  texts(headBytes?: number): CommandTexts {
    return this.#parts.output.texts(headBytes)
  }

  /** Limits the run time, measured from its start; undefined lifts the limit. */
  setTimeLimit(ms: number | undefined) {
    clearTimeout(this.#timeout)
    if (ms === undefined || this.#ended) return
    this.#timeout = setTimeout(
      () => {
        this.#timedOut = true
        this.stop()
      },
      Math.max(0, this.#began + ms - performance.now())
    )
  }

  /** Connects to one of its ports, while it runs. */
  async connectPort(port: number): Promise<Socket> {
    const socket = await this.#parts.connectPort(port)
    this.#connections.add(socket)
    socket.once('close', () => this.#connections.delete(socket))
    if (this.#ended) socket.destroy()
    return socket
  }

  /** Writes input, resolving once it is on its way. Throws CONFLICT if the input is closed; OVERLOADED if the buffer is full. */
  write(text: string): Promise<void> {
    return this.#parts.input.write(text)
  }

  /** Closes the input once all of it is read. */
  endInput() {
    this.#parts.input.end()
  }

  /** Resizes its terminal. Throws CONFLICT if it has none. */
  resize(size: TerminalSize) {
    this.#parts.input.resize(size)
  }

  /** Sends a signal to all of its processes. */
  kill(signal: StopSignal) {
    if (!this.#ended) this.#parts.spawned.signal(signal)
  }

  /** Sends SIGTERM, and SIGKILL soon after. */
  stop = () => {
    if (this.#ended) return
    const { spawned } = this.#parts
    if (this.#exit) void spawned.killTree()
    else spawned.kill(KILL_GRACE_MS)
  }

  /** Called when its reader leaves: without a reader it must not go on, unless it was detached. */
  release() {
    if (!this.#detached) this.stop()
  }

  /** Detaches it from its call: from now on neither the call's end nor its cancellation ends it. */
  detach() {
    this.#detached = true
    this.#parts.signal.removeEventListener('abort', this.stop)
  }

  #settle() {
    this.#ended = true
    clearTimeout(this.#timeout)
    this.detach()
    this.#parts.output.close()
    for (const socket of this.#connections) socket.destroy()
  }

  #silence() {
    const seconds = Math.round(this.#parts.quietMs / 1_000)
    const input = this.#parts.interactive
      ? 'the command may be waiting for input'
      : 'the command cannot receive input, because it has no terminal, and its standard input is closed'
    return `The command has printed nothing for ${seconds} s; ${input}.`
  }

  async #end(pipes: Promise<unknown>): Promise<CommandEnd> {
    const outcome = await this.#outcome(pipes).catch(async (error: unknown) => {
      await this.#parts.released()
      throw error
    })
    const { quarantined, folder, unchecked, special_files, network, out_of_memory, never_began } =
      await this.#parts.released()
    if (never_began && outcome.exit_code !== null && !outcome.timed_out)
      throw sandboxSetupError(this.texts().output, outcome.exit_code)
    return {
      ...outcome,
      quarantined,
      ...(folder !== undefined && { quarantine_folder: folder }),
      ...(unchecked !== undefined && { unchecked }),
      ...(special_files && BUSY.test(this.texts().output) && { special_files }),
      ...(network && { network }),
      ...(out_of_memory && { out_of_memory })
    }
  }

  async #outcome(pipes: Promise<unknown>) {
    const { spawned } = this.#parts
    try {
      const { code, signal, left } = await spawned.exited
      await this.#drain(pipes)
      // The exit code is withheld too.
      await this.#parts.output.assertReleased()
      const survivors = left ? await this.#handleOrphans(code, signal) : []
      this.#exit ??= { exit_code: code, signal, adopted: [] }
      if (survivors.length > 0) await this.#drain(pipes)
      const timed_out = this.#timedOut
      return { exit_code: code, signal, timed_out, duration_ms: this.elapsed(), ...orphanReport(survivors) }
    } finally {
      for (const stream of spawned.streams) spawned[stream].destroy()
    }
  }

  /** Handles the background processes once the program has ended. */
  async #handleOrphans(exit_code: number | null, signal: string | null): Promise<Orphan[]> {
    const { spawned, adoptOrphans, signal: call } = this.#parts
    if (!adoptOrphans || this.#timedOut || (call.aborted && !this.#detached)) return spawned.killTree()
    const { orphans, gone } = await spawned.adopt()
    this.#exit = { exit_code, signal, adopted: orphans }
    if (orphans.length > 0) this.#orphansAdopted.abort()
    await gone
    return orphans
  }

  // Waits until both pipes have ended, or are silent for a while although a process still holds one of them.
  async #drain(pipes: Promise<unknown>) {
    const { output } = this.#parts
    const since = performance.now()
    const ended = pipes.then(() => true)
    let quiet = false
    while (!quiet && (output.isPaused || performance.now() - since < DRAIN_MS)) {
      if (await Promise.race([ended, pauseAndRead(QUIET_MS)])) return
      quiet = !output.isPaused && performance.now() - output.lastByteAt >= QUIET_MS
    }
  }
}
