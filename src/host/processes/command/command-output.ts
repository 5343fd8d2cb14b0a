// A command's output on its way in: masked before anything else sees it, then kept whole by the writer, in brief for the
// result, and told to whoever follows it.
import type { Socket } from 'node:net'
import type { Source, Stream } from '../outputs/capture-page.ts'
import { Capture, lineEnds } from '../outputs/head-tail-capture.ts'
import type { OutputWriter } from '../outputs/live-output.ts'
import type { Spawned } from '../spawner/child-handle.ts'
import { Deltas } from './delta-queue.ts'
import { CommandText, type Delta } from './output-decoder.ts'

/** How long what may be the beginning of a secret waits for its rest. */
const IDLE_MS = 100

/** Takes the bytes of one stream as they come and gives those that may be seen. */
export interface Mask {
  push(bytes: Uint8Array): Uint8Array
  end(): Uint8Array
  /** What may be seen of the bytes that wait, because nothing came for a while. */
  idle(): Uint8Array
  /** Bytes wait for what follows. */
  readonly waiting: boolean
}

export interface CommandTexts {
  stdout: string
  stderr: string
  /** Both, interleaved as they came. */
  output: string
  /** Something was left out of `stdout`, `stderr` or `output`. */
  truncated: boolean
  /** Where what comes later begins, in bytes of `output`. */
  next_offset: number
}

export class CommandOutput {
  /** When something came last, by the monotonic clock. */
  lastByteAt = performance.now()
  readonly #writer: OutputWriter
  readonly #callId: string
  readonly #mask: (() => Mask) | undefined
  readonly #captures: Record<Stream, Capture>
  readonly #deltas = new Deltas()
  #paused = 0

  constructor(writer: OutputWriter, callId: string, mask: (() => Mask) | undefined) {
    this.#writer = writer
    this.#callId = callId
    this.#mask = mask
    const { stdout, stderr, output } = writer.end
    this.#captures = { stdout: new Capture(stdout), stderr: new Capture(stderr), output: new Capture(output) }
  }

  /** Reading waits for the disk, so nothing coming says nothing. */
  get paused() {
    return this.#paused > 0
  }

  /** Takes all that comes through the pipe; resolves when it has ended. */
  async read(stream: Source, spawned: Pick<Spawned, 'read'>): Promise<void> {
    const mask = this.#mask?.()
    const text = new CommandText(stream, this.#writer.end[stream], delta => this.#deltas.add(delta))
    const keep = (bytes: Uint8Array) => this.#keep(stream, bytes, text)
    let idle: NodeJS.Timeout | undefined
    const socket = spawned.read(stream, bytes => {
      this.lastByteAt = performance.now()
      clearTimeout(idle)
      keep(mask ? mask.push(bytes) : bytes)
      if (mask?.waiting) idle = setTimeout(() => keep(mask.idle()), IDLE_MS)
      if (this.#writer.behind) void this.#pause(socket)
      return !this.#writer.behind
    })
    // Not `events.once`, which fails where the pipe does: then what came before counts.
    await new Promise<void>(resolve => socket.once('close', () => resolve()))
    clearTimeout(idle)
    if (mask) keep(mask.end())
    text.end()
  }

  deltas(signal?: AbortSignal): AsyncGenerator<Delta, void, void> {
    return this.#deltas.read(signal)
  }

  heeding(quietMs: number, signal: AbortSignal): AsyncGenerator<Delta | undefined, void, void> {
    return this.#deltas.heeding(quietMs, signal)
  }

  /** What a result shows of it until now. */
  texts(): CommandTexts {
    const of = (stream: Stream) => this.#captures[stream].text(stream, this.#callId)
    const [stdout, stderr, output] = [of('stdout'), of('stderr'), of('output')]
    return {
      stdout: stdout.text,
      stderr: stderr.text,
      output: output.text,
      truncated: stdout.cut || stderr.cut || output.cut,
      next_offset: this.#writer.end.output
    }
  }

  close() {
    this.#writer.close()
    this.#deltas.end()
  }

  #keep(stream: Source, bytes: Uint8Array, text: CommandText) {
    if (bytes.length === 0) return
    const lines = lineEnds(bytes)
    this.#writer.append(stream, bytes)
    this.#captures[stream].append(bytes, lines)
    this.#captures.output.append(bytes, lines)
    text.append(bytes)
  }

  // The pipe fills, and the command waits as it would for a slow reader.
  async #pause(socket: Socket) {
    this.#paused += 1
    await this.#writer.caughtUp()
    this.#paused -= 1
    this.lastByteAt = performance.now()
    socket.resume()
  }
}
