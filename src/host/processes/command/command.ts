// One running command: its output on the way in, its input, its end.
//
// It ends when its program does and its output has been read; what it left running in the background gets a moment to
// finish writing, and is then ended and told as survivors.
import type { EgressReport } from '../../egress/egress-log.ts'
import { sandboxSetupError } from '../../sandbox/bubblewrap/setup-errors.ts'
import type { IsolationLevel, SandboxReport } from '../../sandbox/sandbox.ts'
import { pauseAndRead } from '../pause-and-read.ts'
import type { TerminalSize } from '../pty.ts'
import { type ChildHandle, KILL_GRACE_MS } from '../spawner/child-handle.ts'
import type { Orphan } from '../spawner/spawner-protocol.ts'
import type { CommandInput } from './command-input.ts'
import type { CommandOutput, CommandTexts } from './command-output.ts'
import type { Delta } from './output-decoder.ts'

export type { CommandTexts } from './command-output.ts'
export type { Delta } from './output-decoder.ts'

// After the program's exit: silence for this long means that nothing more is coming, and no drain takes longer than this.
const QUIET_MS = 200
const DRAIN_MS = 2_000

/** Signals that a person may send. */
export type StopSignal = 'SIGTERM' | 'SIGINT' | 'SIGKILL' | 'SIGHUP'

export interface CommandEnd {
  exit_code: number | null
  signal: string | null
  timed_out: boolean
  /** From its start to the end of its output. */
  duration_ms: number
  /** Processes that outlived the command and were ended with it. */
  survivors: number[]
  /** Their programs, in the same order, where there are any. */
  survivor_names?: string[]
  /** Files that some program would obey later, which it made and which were taken out of the workspace: their paths there. */
  quarantined: string[]
  /** Where they are now. */
  quarantine_folder?: string
  /** Why nobody could look for such files. */
  unchecked?: string
  /** What it tried to reach, where it was granted hosts. */
  network?: EgressReport
  /** Something of it was killed because all of it together took more memory than it may. */
  out_of_memory?: true
}

/** How its program ended, while what it left may run on. */
interface CommandExit {
  exit_code: number | null
  signal: string | null
  /** Processes that it left behind and that were to be kept. */
  adopted: Orphan[]
}

/** What is told of a command while it runs. */
type CommandProgress = { delta: Delta } | { message: string }

interface CommandParts {
  spawned: ChildHandle
  output: CommandOutput
  isolation: IsolationLevel
  /** Ends it while it belongs to its call. */
  signal: AbortSignal
  input: CommandInput
  /** Its input stays open after what it was given at the start. */
  interactive: boolean
  /** What it leaves in the background lives on with it, instead of being ended. */
  adoptOrphans: boolean
  /** Silence for so long is told. */
  quietMs: number
  released(): Promise<SandboxReport>
}

/** What a command left behind, as its end and its answer tell it. */
export const orphanReport = (left: readonly Orphan[]): Pick<CommandEnd, 'survivors' | 'survivor_names'> => ({
  survivors: left.map(({ pid }) => pid),
  ...(left.length > 0 && { survivor_names: left.map(({ name }) => name) })
})

export class Command {
  readonly pid: number
  readonly isolation: IsolationLevel
  /** Rejects only where the command was lost: the helper that runs commands died, and it with it. */
  readonly ended: Promise<CommandEnd>
  readonly #parts: CommandParts
  readonly #began = performance.now()
  /** Aborts when its program has ended and something is kept. */
  readonly #orphansAdopted = new AbortController()
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
    const pipes = [output.read('stdout', spawned), output.read('stderr', spawned)]
    this.ended = this.#end(Promise.all(pipes)).finally(() => this.#settle())
    // Whoever leaves early does not ask how it ended.
    this.ended.catch(() => {})
    signal.addEventListener('abort', this.stop, { once: true })
    if (signal.aborted) this.stop()
  }

  /** Its output as it comes, until its end or the reader's signal; the next reader goes on where this one left. */
  deltas(signal?: AbortSignal): AsyncGenerator<Delta, void, void> {
    return this.#parts.output.deltas(signal)
  }

  /** The same for those who wait, who are also told when nothing comes for long; it ends when the program has ended,
   * whatever is kept of it. */
  async *progress(signal?: AbortSignal): AsyncGenerator<CommandProgress, void, void> {
    const { output, quietMs } = this.#parts
    const until = AbortSignal.any([this.#orphansAdopted.signal, ...(signal ? [signal] : [])])
    for await (const delta of output.untilQuiet(quietMs, until)) yield delta ? { delta } : { message: this.#silence() }
  }

  /** How its program ended; undefined while it runs. */
  get exit(): CommandExit | undefined {
    return this.#exit
  }

  /** Milliseconds since its start. */
  elapsed(): number {
    return Math.round(performance.now() - this.#began)
  }

  /** What a result shows of the output until now. */
  texts(): CommandTexts {
    return this.#parts.output.texts()
  }

  /** Ends it after this long from its start; undefined lifts the limit. */
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

  /** Gives it input, resolving once that is on its way. CONFLICT where its input is closed; OVERLOADED where too much
   * waits already. */
  write(text: string): Promise<void> {
    return this.#parts.input.write(text)
  }

  /** Ends its input, once all that was given is read. */
  endInput() {
    this.#parts.input.end()
  }

  /** Gives its terminal another size. CONFLICT where it has none. */
  resize(size: TerminalSize) {
    this.#parts.input.resize(size)
  }

  /** Sends one signal to all of it. */
  kill(signal: StopSignal) {
    if (!this.#ended) this.#parts.spawned.signal(signal)
  }

  /** Asks it to end, and makes it soon after. */
  stop = () => {
    if (this.#ended) return
    const { spawned } = this.#parts
    if (this.#exit) void spawned.killTree()
    else spawned.kill(KILL_GRACE_MS)
  }

  /** Whoever followed it goes: it must not go on without a reader, unless it was detached. */
  release() {
    if (!this.#detached) this.stop()
  }

  /** From now on it lives without its call: neither the call's end nor its cancel ends it. */
  detach() {
    this.#detached = true
    this.#parts.signal.removeEventListener('abort', this.stop)
  }

  #settle() {
    this.#ended = true
    clearTimeout(this.#timeout)
    this.detach()
    this.#parts.output.close()
  }

  #silence() {
    const seconds = Math.round(this.#parts.quietMs / 1_000)
    const input = this.#parts.interactive
      ? 'it may wait for input'
      : 'should it wait for input, none will come: it has no terminal, and its standard input is at its end'
    return `No output for ${seconds} s; ${input}.`
  }

  async #end(pipes: Promise<unknown>): Promise<CommandEnd> {
    const outcome = await this.#outcome(pipes).catch(async (error: unknown) => {
      await this.#parts.released()
      throw error
    })
    const { quarantined, folder, unchecked, network, out_of_memory, never_began } = await this.#parts.released()
    if (never_began && outcome.exit_code !== null && !outcome.timed_out)
      throw sandboxSetupError(this.texts().stderr, outcome.exit_code)
    return {
      ...outcome,
      quarantined,
      ...(folder !== undefined && { quarantine_folder: folder }),
      ...(unchecked !== undefined && { unchecked }),
      ...(network && { network }),
      ...(out_of_memory && { out_of_memory })
    }
  }

  async #outcome(pipes: Promise<unknown>) {
    const { spawned } = this.#parts
    try {
      const { code, signal, left } = await spawned.exited
      await this.#drain(pipes)
      const survivors = left ? await this.#handleOrphans(code, signal) : []
      this.#exit ??= { exit_code: code, signal, adopted: [] }
      if (survivors.length > 0) await this.#drain(pipes)
      const timed_out = this.#timedOut
      return { exit_code: code, signal, timed_out, duration_ms: this.elapsed(), ...orphanReport(survivors) }
    } finally {
      spawned.stdout.destroy()
      spawned.stderr.destroy()
    }
  }

  /** What its program left behind, once that has ended. */
  async #handleOrphans(exit_code: number | null, signal: string | null): Promise<Orphan[]> {
    const { spawned, adoptOrphans, signal: call } = this.#parts
    if (!adoptOrphans || this.#timedOut || (call.aborted && !this.#detached)) return spawned.killTree()
    const { orphans, gone } = await spawned.adopt()
    this.#exit = { exit_code, signal, adopted: orphans }
    if (orphans.length > 0) this.#orphansAdopted.abort()
    await gone
    return orphans
  }

  // Until both pipes have ended, or nothing has come for a while although somebody still holds one of them.
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
