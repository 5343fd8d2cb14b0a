// Runs command lines for a call: each in a session of its own, with a clean environment, its output kept whole.
//
// A command ends when its shell does and its output has been read; what it left running in the background gets a
// moment to finish writing, and is then ended and told as survivors. Nothing of a command outlives its call.
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { commandEnvironment, type Environment } from './environment.ts'
import { openFolder } from './folder.ts'
import type { Effects, Workspace } from './host.ts'
import { type Outputs, type OutputWriter, unfinished } from './outputs.ts'
import type { Source } from './outputs-page.ts'
import { Capture } from './processes-capture.ts'
import { findShell } from './shell.ts'
import type { Spawned, Spawner } from './spawner.ts'

const KILL_GRACE_MS = 200
// After the shell's exit: silence for this long means that nothing more is coming, and no drain takes longer than this.
const QUIET_MS = 200
const DRAIN_MS = 2_000
// Text that waits for a slow reader of deltas; beyond it the oldest is skipped. The output itself is kept whole.
const MAX_WAITING_CHARACTERS = 262_144
const MARK = 'TOOL_CALL_ID'

export interface ShellOptions {
  command: string
  /** Canonical path of a folder, relative to the workspace's root. */
  cwd?: string | undefined
  env?: Readonly<Record<string, string>> | undefined
  stdin?: string | undefined
  timeout_ms: number
}

/** Output as it comes. `offset` is where `text` begins, in bytes of its stream. */
export interface Delta {
  stream: Source
  text: string
  offset: number
}

export interface ShellResult {
  stdout: string
  stderr: string
  /** Both, interleaved as they came. */
  output: string
  exit_code: number | null
  signal: string | null
  timed_out: boolean
  duration_ms: number
  /** Processes that outlived the command and were ended with it. */
  survivors: number[]
  /** Something was left out of `stdout`, `stderr` or `output`. */
  truncated: boolean
}

/** Yields output while the command runs and returns its result; leaving it early ends the command. */
export type Running = AsyncGenerator<Delta, ShellResult, void>

export interface ProcessesOptions {
  call_id: string
  /** Variables of the server's environment that commands may see besides the usual ones. */
  env_allow: readonly string[]
  environment?: Environment
}

export class Processes {
  readonly #spawner: Spawner
  readonly #outputs: Outputs
  readonly #workspace: Workspace
  readonly #effects: Effects
  readonly #options: ProcessesOptions
  #started = 0

  constructor(spawner: Spawner, outputs: Outputs, workspace: Workspace, effects: Effects, options: ProcessesOptions) {
    this.#spawner = spawner
    this.#outputs = outputs
    this.#workspace = workspace
    this.#effects = effects
    this.#options = options
  }

  /** Runs a command line with bash, or sh where there is none. Fails only when it can't be run; see `Running`. */
  async *shell(options: ShellOptions): Running {
    const { signal } = this.#effects
    const { call_id } = this.#options
    signal.throwIfAborted()
    const began = performance.now()
    const spawned = await this.#spawn(options)
    const command = new Command(spawned, this.#outputs.open(call_id))
    const stop = () => spawned.kill(KILL_GRACE_MS)
    const timer = setTimeout(() => command.timeOut(), options.timeout_ms)
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    try {
      yield* command.deltas()
      const end = await command.ended
      signal.throwIfAborted()
      return { ...command.texts(call_id), ...end, duration_ms: Math.round(performance.now() - began) }
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      command.leave()
    }
  }

  async #spawn({ command, cwd, env, stdin }: ShellOptions): Promise<Spawned> {
    const { call_id, env_allow, environment = process.env } = this.#options
    // Unique, so that sweeping up after one command never ends another of the same call.
    const id = this.#started++ === 0 ? call_id : `${call_id}/${this.#started}`
    const mark = `${MARK}=${id}`
    const commandEnv = commandEnvironment(environment, env_allow, { ...env, [MARK]: id })
    await this.#effects.committed()
    this.#effects.signal.throwIfAborted()
    const folder = openFolder(this.#workspace, cwd ?? '.')
    try {
      const file = findShell(commandEnv)
      return await this.#spawner.spawn({ file, args: ['-c', command], cwd: folder.path, env: commandEnv, stdin, mark })
    } finally {
      folder.close()
    }
  }
}

interface End {
  exit_code: number | null
  signal: string | null
  timed_out: boolean
  survivors: number[]
}

/** One running command: its output on the way in, and its end. */
class Command {
  readonly ended: Promise<End>
  readonly #spawned: Spawned
  readonly #writer: OutputWriter
  readonly #captures = { stdout: new Capture(), stderr: new Capture(), output: new Capture() }
  #waiting: Delta[] = []
  #waitingCharacters = 0
  #wake: (() => void) | undefined
  #over = false
  #timedOut = false
  #lastByteAt = 0

  constructor(spawned: Spawned, writer: OutputWriter) {
    this.#spawned = spawned
    this.#writer = writer
    const pipes = [this.#read('stdout', spawned.stdout), this.#read('stderr', spawned.stderr)]
    this.ended = this.#end(Promise.all(pipes)).finally(() => {
      this.#over = true
      writer.end()
      this.#wake?.()
    })
    // Whoever leaves early does not ask how it ended.
    this.ended.catch(() => {})
  }

  timeOut() {
    this.#timedOut = true
    this.#spawned.kill(KILL_GRACE_MS)
  }

  /** The command must not go on without its reader. */
  leave() {
    if (!this.#over) this.#spawned.kill(KILL_GRACE_MS)
  }

  async *deltas(): AsyncGenerator<Delta, void, void> {
    while (true) {
      const next = this.#waiting.shift()
      if (next) {
        this.#waitingCharacters -= next.text.length
        yield next
      } else if (this.#over) return
      else
        await new Promise<void>(resolve => {
          this.#wake = resolve
        })
    }
  }

  texts(callId: string) {
    const { stdout, stderr, output } = this.#captures
    const shown = {
      stdout: stdout.text('stdout', callId),
      stderr: stderr.text('stderr', callId),
      output: output.text('output', callId)
    }
    return {
      stdout: shown.stdout.text,
      stderr: shown.stderr.text,
      output: shown.output.text,
      truncated: shown.stdout.cut || shown.stderr.cut || shown.output.cut
    }
  }

  async #end(pipes: Promise<unknown>): Promise<End> {
    const { stdout, stderr } = this.#spawned
    try {
      const exit = await this.#spawned.exited
      await this.#drained(pipes)
      const survivors = exit.left ? await this.#spawned.sweep() : []
      if (survivors.length > 0) await this.#drained(pipes)
      return { exit_code: exit.code, signal: exit.signal, timed_out: this.#timedOut, survivors }
    } finally {
      stdout.destroy()
      stderr.destroy()
    }
  }

  // Until both pipes have ended, or nothing has come for a while although somebody still holds one of them.
  async #drained(pipes: Promise<unknown>) {
    const since = performance.now()
    const ended = pipes.then(() => true)
    let quiet = false
    while (!quiet && performance.now() - since < DRAIN_MS) {
      const pause = Promise.withResolvers<false>()
      const timer = setTimeout(pause.resolve, QUIET_MS, false)
      const over = await Promise.race([ended, pause.promise])
      clearTimeout(timer)
      if (over) return
      quiet = performance.now() - this.#lastByteAt >= QUIET_MS
    }
  }

  #read(stream: Source, socket: Socket): Promise<unknown> {
    const text = new Text(stream, delta => this.#tell(delta))
    socket.on('data', (bytes: Uint8Array) => {
      this.#lastByteAt = performance.now()
      this.#writer.append(stream, bytes)
      this.#captures[stream].append(bytes)
      this.#captures.output.append(bytes)
      text.append(bytes)
    })
    return once(socket, 'close').then(() => text.end())
  }

  #tell(delta: Delta) {
    this.#waiting.push(delta)
    this.#waitingCharacters += delta.text.length
    while (this.#waitingCharacters > MAX_WAITING_CHARACTERS && this.#waiting.length > 1)
      this.#waitingCharacters -= this.#waiting.shift()!.text.length
    this.#wake?.()
  }
}

/** Turns bytes into text without ever cutting a character; what is not UTF-8 shows as replacement characters. */
class Text {
  readonly #stream: Source
  readonly #tell: (delta: Delta) => void
  #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  #offset = 0
  #held = 0

  constructor(stream: Source, tell: (delta: Delta) => void) {
    this.#stream = stream
    this.#tell = tell
  }

  append(bytes: Uint8Array) {
    this.#say(this.#decoder.decode(bytes, { stream: true }), bytes.length, unfinished(bytes))
  }

  end() {
    this.#say(this.#decoder.decode(), 0, 0)
  }

  #say(text: string, bytes: number, held: number) {
    this.#held += bytes
    if (text === '') return
    this.#tell({ stream: this.#stream, text, offset: this.#offset })
    this.#offset += this.#held - held
    this.#held = held
  }
}
