// Pipeline of a command's output: held until it is certain to contain no new secret, masked, stored in full by the writer,
// captured in brief for the result, and streamed to readers.
import type { Socket } from 'node:net'
import type { OutputStream, StdStream } from '../outputs/capture-page.ts'
import { countLineEnds, HeadTailCapture } from '../outputs/head-tail-capture.ts'
import type { OutputWriter } from '../outputs/live-output.ts'
import type { ChildHandle } from '../spawner/child-handle.ts'
import { DeltaQueue } from './delta-queue.ts'
import { HeldOutput, type OutputCheck } from './held-output.ts'
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
  /** Both streams: in the order of the writes if they are merged, otherwise as they were read. */
  output: string
  /** Something was left out of `stdout`, `stderr` or `output`. */
  truncated: boolean
  /** Offset of later output, in bytes of `output`. */
  next_offset: number
}

interface CommandOutputOptions {
  writer: OutputWriter
  callId: string
  mask?: (() => OutputMask) | undefined
  /** Precedes the release of output; without it nothing is held. */
  check?: OutputCheck | undefined
}

export class CommandOutput {
  /** Time of the last byte, by the monotonic clock. */
  lastByteAt = performance.now()
  readonly #writer: OutputWriter
  readonly #callId: string
  readonly #mask: (() => OutputMask) | undefined
  readonly #captures: Record<OutputStream, HeadTailCapture>
  readonly #deltas = new DeltaQueue()
  readonly #held: HeldOutput | undefined
  #pauses = 0

  constructor({ writer, callId, mask, check }: CommandOutputOptions) {
    this.#writer = writer
    this.#callId = callId
    this.#mask = mask
    this.#held = check && new HeldOutput(check)
    const { stdout, stderr, output } = writer.end
    this.#captures = {
      stdout: new HeadTailCapture(stdout),
      stderr: new HeadTailCapture(stderr),
      output: new HeadTailCapture(output)
    }
  }

  /** Reading waits for the disk or a check, so silence has no meaning. */
  get isPaused() {
    return this.#pauses > 0 || this.#held?.isChecking === true
  }

  /** Aborts if the output is withheld from now on; undefined if none ever is. */
  get withheld(): AbortSignal | undefined {
    return this.#held?.withheld
  }

  /** Releases the held output once the program has ended. Throws the reason for which output is withheld. */
  async assertReleased(): Promise<void> {
    await this.#held?.finish()
    this.withheld?.throwIfAborted()
  }

  /** Reads the pipe; resolves when it has ended. */
  async read(stream: StdStream, spawned: Pick<ChildHandle, 'read' | 'exited'>): Promise<void> {
    const mask = this.#mask?.()
    const text = new OutputDecoder(stream, this.#writer.end[stream], delta => this.#deltas.add(delta))
    const keep = (bytes: Uint8Array) => this.#capture(stream, bytes, text)
    const held = this.#held
    let idle: NodeJS.Timeout | undefined
    const pass = (bytes: Uint8Array) => {
      clearTimeout(idle)
      keep(mask ? mask.push(bytes) : bytes)
      if (mask?.waiting) idle = setTimeout(() => keep(mask.idle()), IDLE_MS)
    }
    const socket = spawned.read(stream, bytes => {
      this.lastByteAt = performance.now()
      if (held) held.add(bytes, pass)
      else pass(bytes)
      const waits = this.#writer.isBehind || held?.isFull === true
      if (waits) void this.#pause(socket)
      return !waits
    })
    // Not `events.once`, which rejects if the pipe fails: what came before still counts.
    await new Promise<void>(resolve => socket.once('close', () => resolve()))
    if (held) {
      // One check at the end of the program covers both streams.
      await spawned.exited.catch(() => {})
      await held.finish()
    }
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

  /** Returns the texts shown in a result so far: head and tail, or only the first `headBytes`. */
  texts(headBytes?: number): CommandTexts {
    const of = (stream: OutputStream) => {
      const capture = this.#captures[stream]
      return headBytes === undefined ? capture.text(stream, this.#callId) : capture.head(headBytes)
    }
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
    if (this.#held?.isFull) await this.#held.release()
    await this.#writer.caughtUp()
    this.#pauses -= 1
    this.lastByteAt = performance.now()
    socket.resume()
  }
}
