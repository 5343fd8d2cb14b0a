// Pipeline of a command's output: masked first, then stored in full by the writer, captured in brief for the result, and streamed
// to readers.
import type { Socket } from 'node:net'
import type { OutputStream, StdStream } from '../outputs/capture-page.ts'
import { countLineEnds, HeadTailCapture } from '../outputs/head-tail-capture.ts'
import type { OutputWriter } from '../outputs/live-output.ts'
import type { ChildHandle } from '../spawner/child-handle.ts'
import { DeltaQueue } from './delta-queue.ts'
import { type Delta, OutputDecoder } from './output-decoder.ts'

/** Time in milliseconds for which a possible beginning of a secret waits for its rest. */
const IDLE_MS = 100

/** Masks the bytes of one stream incrementally and returns those that may be shown. */
export interface OutputMask {
  push(bytes: Uint8Array): Uint8Array
  end(): Uint8Array
  /** Returns what may be shown of the buffered bytes after a pause in the stream. */
  idle(): Uint8Array
  /** Bytes are buffered until more arrive. */
  readonly waiting: boolean
}

export interface CommandTexts {
  stdout: string
  stderr: string
  /** Both streams, interleaved as they came. */
  output: string
  /** Something was left out of `stdout`, `stderr` or `output`. */
  truncated: boolean
  /** Offset of later output, in bytes of `output`. */
  next_offset: number
}

export class CommandOutput {
  /** Time of the last byte, by the monotonic clock. */
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

  /** Reading waits for the disk, so silence has no meaning. */
  get isPaused() {
    return this.#pauses > 0
  }

  /** Reads the pipe; resolves when it has ended. */
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
    // Not `events.once`, which rejects if the pipe fails: what came before still counts.
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

  /** Returns the texts shown in a result so far. */
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

  // The pipe fills, and the command blocks as with any slow reader.
  async #pause(socket: Socket) {
    this.#pauses += 1
    await this.#writer.caughtUp()
    this.#pauses -= 1
    this.lastByteAt = performance.now()
    socket.resume()
  }
}
