// A command's output on its way in: masked before anything else sees it, then kept whole by the writer, in brief for the
// result, and told to whoever follows it.
import type { Socket } from 'node:net'
import type { OutputStream, StdStream } from '../outputs/capture-page.ts'
import { countLineEnds, HeadTailCapture } from '../outputs/head-tail-capture.ts'
import type { OutputWriter } from '../outputs/live-output.ts'
import type { ChildHandle } from '../spawner/child-handle.ts'
import { DeltaQueue } from './delta-queue.ts'
import { type Delta, OutputDecoder } from './output-decoder.ts'

/** How long what may be the beginning of a secret waits for its rest. */
const IDLE_MS = 100

/** Takes the bytes of one stream as they come and gives those that may be seen. */
export interface OutputMask {
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
  readonly #mask: (() => OutputMask) | undefined
  readonly #captures: Record<OutputStream, HeadTailCapture>
  readonly #deltas = new DeltaQueue()
  #pauses = 0

  constructor(writer: OutputWriter, callId: string, mask: (() => OutputMask) | undefined) {
    this.#writer = writer
    this.#callId = callId
    this.#mask = mask
    const { stdout, stderr, output } = writer.end
    this.#captures = {
      stdout: new HeadTailCapture(stdout),
      stderr: new HeadTailCapture(stderr),
      output: new HeadTailCapture(output)
    }
  }

  /** Reading waits for the disk, so nothing coming says nothing. */
  get isPaused() {
    return this.#pauses > 0
  }

  /** Takes all that comes through the pipe; resolves when it has ended. */
  async read(stream: StdStream, spawned: Pick<ChildHandle, 'read'>): Promise<void> {
    const mask = this.#mask?.()
    const text = new OutputDecoder(stream, this.#writer.end[stream], delta => this.#deltas.add(delta))
    const keep = (bytes: Uint8Array) => this.#capture(stream, bytes, text)
    let idle: NodeJS.Timeout | undefined
    const socket = spawned.read(stream, bytes => {
      this.lastByteAt = performance.now()
      clearTimeout(idle)
      keep(mask ? mask.push(bytes) : bytes)
      if (mask?.waiting) idle = setTimeout(() => keep(mask.idle()), IDLE_MS)
      if (this.#writer.isBehind) void this.#pause(socket)
      return !this.#writer.isBehind
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

  untilQuiet(quietMs: number, signal: AbortSignal): AsyncGenerator<Delta | undefined, void, void> {
    return this.#deltas.untilQuiet(quietMs, signal)
  }

  /** What a result shows of it until now. */
  texts(): CommandTexts {
    const of = (stream: OutputStream) => this.#captures[stream].text(stream, this.#callId)
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

  #capture(stream: StdStream, bytes: Uint8Array, text: OutputDecoder) {
    if (bytes.length === 0) return
    const lines = countLineEnds(bytes)
    this.#writer.append(stream, bytes)
    this.#captures[stream].append(bytes, lines)
    this.#captures.output.append(bytes, lines)
    text.append(bytes)
  }

  // The pipe fills, and the command waits as it would for a slow reader.
  async #pause(socket: Socket) {
    this.#pauses += 1
    await this.#writer.caughtUp()
    this.#pauses -= 1
    this.lastByteAt = performance.now()
    socket.resume()
  }
}
