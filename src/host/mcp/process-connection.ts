// Connection to a server that runs as a child process.
import { setTimeout } from 'node:timers/promises'
import type { LongLivedProcess } from '../processes/long-lived-process.ts'
import { KILL_GRACE_MS } from '../processes/spawner/child-handle.ts'
import type { ConnectionEnd, McpConnection } from './connection.ts'
import { sanitizeText } from './sanitize.ts'
import { StdioTransport } from './stdio-transport.ts'

const MAX_OUTPUT_CHARACTERS = 4_000
const MAX_LAST_LINE_CHARACTERS = 300
/** Time in milliseconds for a graceful exit once its input is closed. */
const EXIT_GRACE_MS = 500

export class ProcessConnection implements McpConnection {
  readonly transport: StdioTransport
  readonly ended: Promise<ConnectionEnd>
  readonly pid: number
  readonly #process: LongLivedProcess
  #output = ''
  #exitReason: string | undefined
  #wasStopped = false

  constructor(started: LongLivedProcess, maxLineBytes: number) {
    const { spawned } = started
    this.#process = started
    this.pid = spawned.pid
    this.transport = new StdioTransport(spawned, {
      maxLineBytes,
      onStrayLine: line => this.#appendOutput(`${line}\n`),
      onFatalError: why => void (this.#wasStopped || this.kill(why))
    })
    spawned.stderr.setEncoding('utf8').on('data', text => this.#appendOutput(String(text)))
    this.ended = this.#waitForExit()
  }

  recentOutput(): string {
    return sanitizeText(this.#output.trim(), MAX_OUTPUT_CHARACTERS)
  }

  kill(why: string) {
    this.#exitReason ??= why
    this.#process.spawned.kill(0)
  }

  async stop(why: string) {
    this.#exitReason ??= why
    this.#wasStopped = true
    const { spawned } = this.#process
    spawned.stdin?.end()
    await Promise.race([this.ended, setTimeout(EXIT_GRACE_MS, undefined, { ref: false })])
    spawned.kill(KILL_GRACE_MS)
    await this.ended
  }

  #appendOutput(text: string) {
    this.#output = (this.#output + text).slice(-MAX_OUTPUT_CHARACTERS)
  }

  async #waitForExit(): Promise<ConnectionEnd> {
    const { exit_code, signal, out_of_memory } = await this.#process.ended
    if (out_of_memory) this.#exitReason ??= 'the server exceeded its memory limit'
    await this.transport.close()
    // It may have exited for its own reason just before it would have been ended.
    const why = exit_code !== null && !this.#wasStopped && !out_of_memory ? undefined : this.#exitReason
    return { reason: why ?? this.#describeExit(exit_code, signal), wasStopped: this.#wasStopped }
  }

  #describeExit(code: number | null, signal: string | null): string {
    const how = signal ? `the server was killed by ${signal}` : `the server exited with code ${code}`
    const words = this.recentOutput().split('\n').at(-1)!.trim()
    return words ? `${how}; its last output: ${sanitizeText(words, MAX_LAST_LINE_CHARACTERS)}` : how
  }
}
