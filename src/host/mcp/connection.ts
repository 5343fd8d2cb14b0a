// The way to one server, while it lasts: its process, or an address.
import type { Transport } from '@modelcontextprotocol/client'

/** How a server came to its end. */
export interface ConnectionEnd {
  reason: string
  /** We have ended it, since it is not needed. */
  wasStopped: boolean
}

export interface McpConnection {
  transport: Transport
  /** Resolves when nothing of it is left. */
  ended: Promise<ConnectionEnd>
  pid?: number
  /** The last that it printed besides messages. */
  recentOutput(): string
  /** Ends it at once. */
  kill(why: string): void
  /** Asks it to end, and ends it where it does not. */
  stop(why: string): Promise<void>
}
