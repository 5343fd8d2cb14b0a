// Messages to and from a server's process: one JSON value a line. What it prints is read within bounds.
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { BoundedLines } from '../processes/bounded-lines.ts'
import type { Spawned } from '../processes/spawner/child-handle.ts'
import { Gone } from './errors.ts'

/** What may wait for a server to read it. */
const MOST_UNREAD_BYTES = 64 * 1024 * 1024
const DEAF = 'it reads nothing any more'

export interface StdioTerms {
  /** Longest line that is taken. */
  max_bytes: number
  /** Hears of lines that are no messages. */
  stray(line: string): void
  /** It cannot be spoken with any more. */
  broken(why: string): void
}

export class StdioTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  /** By these two the library knows that silence means an older server, and not that there is none. */
  readonly stderr = null
  readonly pid: number
  readonly #spawned: Spawned
  readonly #terms: StdioTerms
  readonly #lines: BoundedLines
  #closed = false

  constructor(spawned: Spawned, terms: StdioTerms) {
    this.#spawned = spawned
    this.#terms = terms
    this.#lines = new BoundedLines(terms.max_bytes)
    this.pid = spawned.pid
  }

  async start() {
    this.#spawned.read('stdout', bytes => {
      const lines = this.#take(bytes)
      if (lines.length > 0) void this.#hear(lines)
      return true
    })
  }

  async send(message: JSONRPCMessage) {
    const { stdin } = this.#spawned
    if (this.#closed || !stdin || stdin.destroyed) {
      this.#terms.broken(DEAF)
      throw new Gone(DEAF)
    }
    stdin.write(`${JSON.stringify(message)}\n`)
    if (stdin.writableLength > MOST_UNREAD_BYTES) this.#terms.broken('it reads nothing of what it is told')
  }

  /** Its process is ended by whoever started it. */
  async close() {
    if (this.#closed) return
    this.#closed = true
    this.onclose?.()
  }

  /** Those who hear of a call's progress are forgotten once its answer is there, so each message is dealt with first. */
  async #hear(lines: readonly string[]) {
    for (const line of lines) {
      this.#line(line)
      await undefined
    }
  }

  /** The lines that these bytes complete. */
  #take(bytes: Uint8Array): string[] {
    const lines: string[] = []
    if (this.#closed) return lines
    try {
      for (const line of this.#lines.push(bytes)) lines.push(line)
    } catch (error) {
      this.#terms.broken((error as Error).message)
    }
    return lines
  }

  #line(line: string) {
    if (line.trim() === '') return
    const message = messageIn(line)
    if (message) this.onmessage?.(message)
    else this.#terms.stray(line)
  }
}

/** Programs print this and that; only a message of the protocol is taken for one. */
function messageIn(line: string): JSONRPCMessage | undefined {
  try {
    const value = JSON.parse(line)
    return value?.jsonrpc === '2.0' ? value : undefined
  } catch {
    return undefined
  }
}
