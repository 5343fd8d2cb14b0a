// MCP stdio transport: one JSON value per line, with bounded input. Nothing more is read before the messages read so far are
// handled and other work had its turn, so a server that floods waits for its pipe.
import { setImmediate } from 'node:timers/promises'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { BoundedLines } from '../processes/bounded-lines.ts'
import type { ChildHandle } from '../processes/spawner/child-handle.ts'
import { McpConnectionClosedError } from './errors.ts'
import { markInexactNumbers } from './exact-numbers.ts'

/** Maximum number of bytes buffered for a server to read. */
const MAX_STDIN_BUFFER_BYTES = 64 * 1024 * 1024
const STDIN_CLOSED = 'the server has closed its standard input'

interface StdioTransportOptions {
  /** Maximum line length; longer lines are an error. */
  maxLineBytes: number
  /** Receives lines that are no messages. */
  onStrayLine(line: string): void
  /** The connection is unusable. */
  onFatalError(why: string): void
}

export class StdioTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  /** Lets the library conclude from silence that a server is older, rather than missing. */
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
    const output = this.#spawned.read('stdout', bytes => {
      const lines = this.#readLines(bytes)
      if (lines.length === 0) return true
      void this.#dispatch(lines).then(() => output.resume())
      return false
    })
  }

  async send(message: JSONRPCMessage) {
    const { stdin } = this.#spawned
    if (this.#closed || !stdin || stdin.destroyed) {
      this.#options.onFatalError(STDIN_CLOSED)
      throw new McpConnectionClosedError(STDIN_CLOSED)
    }
    stdin.write(`${JSON.stringify(message)}\n`)
    if (stdin.writableLength > MAX_STDIN_BUFFER_BYTES)
      this.#options.onFatalError('stdin buffer full: the server is not reading')
  }

  /** The process is ended by the code that started it. */
  async close() {
    if (this.#closed) return
    this.#closed = true
    this.onclose?.()
  }

  /** Progress listeners are removed once the result has arrived, so each message is handled before the next. */
  async #dispatch(lines: readonly string[]) {
    for (const line of lines) {
      this.#handleLine(line)
      await undefined
    }
    await setImmediate()
  }

  /** Returns the lines completed by these bytes. */
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

/** Programs print other output too; only protocol messages are accepted. */
function parseMessage(line: string): JSONRPCMessage | undefined {
  try {
    const value = JSON.parse(markInexactNumbers(line))
    return value?.jsonrpc === '2.0' ? value : undefined
  } catch {
    return undefined
  }
}
