// A running git process with limits on time and output size: its output streamed, or read as a whole.
import { ToolError } from '../../errors.ts'
import { type ChildHandle, KILL_GRACE_MS } from '../processes/spawner/child-handle.ts'

const MAX_STDERR_CHARACTERS = 65_536
const CANCELLED = new ToolError('CANCELLED', 'The call was cancelled.')

export interface GitExit {
  code: number | null
  /** Error output; truncated to its beginning if long. */
  stderr: string
}

interface GitProcessLimits {
  signal: AbortSignal
  timeout_ms: number
}

export class GitProcess {
  readonly #spawned: ChildHandle
  readonly #signal: AbortSignal
  readonly #timer: NodeJS.Timeout
  readonly #onAbort: () => void
  readonly #onOver: (() => void)[] = []
  #error: unknown
  #stderr = ''

  constructor(spawned: ChildHandle, { signal, timeout_ms }: GitProcessLimits) {
    this.#spawned = spawned
    this.#signal = signal
    this.#onAbort = () => this.#stop(signal.reason ?? CANCELLED)
    const late = () => this.#stop(new ToolError('TIMEOUT', `git took longer than ${timeout_ms} ms and was stopped.`))
    this.#timer = setTimeout(late, timeout_ms)
    signal.addEventListener('abort', this.#onAbort, { once: true })
    if (signal.aborted) this.#onAbort()
    spawned.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text.slice(0, MAX_STDERR_CHARACTERS - this.#stderr.length)
    })
  }

  /** Lets a watch, which is ended with git, make it fail. */
  watch(begin: (fail: (error: ToolError) => void) => () => void): this {
    this.#onOver.push(begin(error => this.#stop(error)))
    return this
  }

  /** Streams the output. Leaving the loop ends git, which is no error. */
  async *output(): AsyncGenerator<Buffer, GitExit, void> {
    let over = false
    try {
      for await (const chunk of this.#spawned.stdout) yield chunk as Buffer
      const { code } = await this.#spawned.exited
      over = true
      const { stderr } = this.#spawned
      // Error output may still be in the pipe.
      if (!stderr.closed && code !== 0) await new Promise(resolve => stderr.once('close', resolve))
      if (this.#error !== undefined) throw this.#error
      return { code, stderr: this.#stderr }
    } catch (error) {
      throw this.#error ?? error
    } finally {
      clearTimeout(this.#timer)
      for (const end of this.#onOver) end()
      this.#signal.removeEventListener('abort', this.#onAbort)
      if (!over) this.#spawned.kill(0)
    }
  }

  /** Reads the whole output. Ends git and fails with TOO_LARGE beyond `max_bytes`. */
  async readAll(max_bytes: number): Promise<GitExit & { stdout: Buffer }> {
    const parts: Buffer[] = []
    let bytes = 0
    const output = this.output()
    for (let step = await output.next(); ; step = await output.next()) {
      if (step.done) return { ...step.value, stdout: Buffer.concat(parts) }
      bytes += step.value.length
      if (bytes > max_bytes) {
        await output.return({ code: null, stderr: '' })
        throw new ToolError('TOO_LARGE', `git printed more than ${max_bytes} bytes. Request less at a time.`)
      }
      parts.push(step.value)
    }
  }

  #stop(why: unknown) {
    this.#error ??= why
    this.#spawned.kill(KILL_GRACE_MS)
    // Other processes that hold the pipe open are not waited for.
    this.#spawned.stdout.destroy()
    this.#spawned.stderr.destroy()
  }
}
