// Messages to and from a server's process: one JSON value a line. What it prints is read within bounds.
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { BoundedLines } from '../processes/bounded-lines.ts'
import type { ChildHandle } from '../processes/spawner/child-handle.ts'
import { McpConnectionClosedError } from './errors.ts'

/** What may wait for a server to read it. */
const MAX_STDIN_BUFFER_BYTES = 64 * 1024 * 1024
const STDIN_CLOSED = 'it reads nothing any more'

export interface StdioTransportOptions {
  /** Longest line that is taken. */
  maxLineBytes: number
  /** Hears of lines that are no messages. */
  onStrayLine(line: string): void
  /** It cannot be spoken with any more. */
  onFatalError(why: string): void
}

export class StdioTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  /** By these two the library knows that silence means an older server, and not that there is none. */
  readonly stderr = null
  readonly pid: number
  readonly #spawned: ChildHandle
  readonly #options: StdioTransportOptions
  readonly #lines: BoundedLines
  #closed = false

  constructor(spawned: ChildHandle, terms: StdioTransportOptions) {
    this.#spawned = spawned
    this.#options = terms
    this.#lines = new BoundedLines(terms.maxLineBytes)
    this.pid = spawned.pid
  }

  async start() {
    this.#spawned.read('stdout', bytes => {
      const lines = this.#readLines(bytes)
      if (lines.length > 0) void this.#dispatch(lines)
      return true
    })
  }

  async send(message: JSONRPCMessage) {
    const { stdin } = this.#spawned
    if (this.#closed || !stdin || stdin.destroyed) {
      this.#options.onFatalError(STDIN_CLOSED)
      throw new McpConnectionClosedError(STDIN_CLOSED)
    }
    stdin.write(`${JSON.stringify(message)}\n`)
    if (stdin.writableLength > MAX_STDIN_BUFFER_BYTES) this.#options.onFatalError('it reads nothing of what it is told')
  }

  /** Its process is ended by whoever started it. */
  async close() {
    if (this.#closed) return
    this.#closed = true
    this.onclose?.()
  }

  /** Those who hear of a call's progress are forgotten once its answer is there, so each message is dealt with first. */
  async #dispatch(lines: readonly string[]) {
    for (const line of lines) {
      this.#handleLine(line)
      await undefined
    }
  }

  /** The lines that these bytes complete. */
  #readLines(bytes: Uint8Array): string[] {
    const lines: string[] = []
    if (this.#closed) return lines
    try {
      for (const line of this.#lines.push(bytes)) lines.push(line)
    } catch (error) {
      this.#options.onFatalError((error as Error).message)
    }
    return lines
  }

  #handleLine(line: string) {
    if (line.trim() === '') return
    const message = parseMessage(line)
    if (message) this.onmessage?.(message)
    else this.#options.onStrayLine(line)
  }
}

/** Programs print this and that; only a message of the protocol is taken for one. */
function parseMessage(line: string): JSONRPCMessage | undefined {
  try {
    const value = JSON.parse(line)
    return value?.jsonrpc === '2.0' ? value : undefined
  } catch {
    return undefined
  }
}
